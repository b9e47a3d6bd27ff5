"""The body of a request that brings files."""

from __future__ import annotations

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest

_READ_AWAY_BYTES = 100 << 20
_PIECE = 1 << 16


def parse(request: HttpRequest, most: int) -> bool:
    """Reads the fields and files of a request. False: they are more than so many bytes, or too many to be had."""
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) <= most:
            bool(request.POST)  # parsed when first asked for
            return True
    except (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent):
        pass
    _read_away(request)
    return False


def _read_away(request: HttpRequest) -> None:
    """Browsers show an answer only after they have sent everything; some more than is allowed is let them send."""
    for _ in range(_READ_AWAY_BYTES // _PIECE):
        if not request.read(_PIECE):
            return
