"""What a request brings."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from django.core.exceptions import BadRequest, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponseBase

_READ_AWAY_BYTES = 100 << 20
_PIECE = 1 << 16


def in_utf8(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """A middleware: no page of ours sends other letters, and in some encodings come half characters, which neither
    the database nor a page can hold.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        if request.encoding is not None and codecs.lookup(request.encoding).name != "utf-8":
            raise BadRequest("Letters that are not UTF-8.")
        return get_response(request)

    return respond


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
