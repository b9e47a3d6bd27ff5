"""Error pages: what happened, whose fault it is, what to do next."""

from __future__ import annotations

import sys

import structlog
from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string

from softmark.ui.typed import typed_texts

log = structlog.get_logger(__name__)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    reason = str(exception) if isinstance(exception, PermissionDenied) else ""
    return render(request, "403.html", {"reason": reason}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", status=404)


def broken(request: HttpRequest) -> HttpResponse:
    """What no view expected. A database that is away is no fault of ours to be mended, and gets a page of its own."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return unavailable(request)
    return render(None, "500.html", status=500)


def unavailable(request: HttpRequest) -> HttpResponse:
    """The database does not answer. Uses none, not even to know who is asking; what was typed is handed back."""
    log.error("database_unavailable", path=request.path)
    context = {
        "typed": typed_texts(request),
        "fields": fields_to_send_again(request),
        "path": request.get_full_path(),
        "csrf_token": get_token(request),
    }
    return HttpResponse(render_to_string("503.html", context), status=503, headers={"Retry-After": "10"})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form from another session, mostly: signed in or out in another tab since. What was typed is handed back, and
    can be sent again as it is.
    """
    context = {
        "typed": typed_texts(request),
        "fields": fields_to_send_again(request),
        "path": request.get_full_path(),
    }
    return render(request, "csrf.html", context, status=403)


def fields_to_send_again(request: HttpRequest) -> list[tuple[str, str]]:
    """What a form of ours held, if all of it can be put into another one: no file, no password. Nothing of a form
    from another site, which is what the check against forgery is for.
    """
    ours = request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
    if (
        request.method != "POST"
        or not ours
        or request.FILES
        or any("password" in name for name in request.POST)
    ):
        return []
    return [(name, value) for name, value in _fields(request) if name != "csrfmiddlewaretoken"]


def _fields(request: HttpRequest) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, values in request.POST.lists() for value in values]
