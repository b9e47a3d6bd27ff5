"""A database that is down gives a page that says so, and hands back what was typed."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from softmark.config.errors import typed_texts

log = structlog.get_logger(__name__)


class OutageMiddleware:
    """Outermost of those that use the database."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            return self.get_response(request)
        except (OperationalError, InterfaceError) as error:
            return self._unavailable(request, error)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, OperationalError | InterfaceError):
            return self._unavailable(request, exception)
        return None

    def _unavailable(self, request: HttpRequest, error: Exception) -> HttpResponse:
        log.error("database_unavailable", path=request.path, error=str(error))
        response = render(None, "503.html", {"typed": typed_texts(request), "path": request.path}, status=503)
        response["Retry-After"] = "10"
        return response
