"""Is it alive, is it healthy, how is it doing: for load balancers, container engines and Prometheus."""

from __future__ import annotations

import secrets

import redis
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from django_prometheus.exports import ExportToDjangoView


@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """The process answers; says nothing of database and broker, whose failure no restart of it would mend."""
    return HttpResponse("alive\n", content_type="text/plain")


@require_safe
def healthy(request: HttpRequest) -> JsonResponse:
    """200 where everything that this process needs is there, else 503."""
    found = {"database": _database(), "broker": _broker()}
    return JsonResponse(found, status=200 if all(state == "ok" for state in found.values()) else 503)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For whoever knows METRICS_TOKEN; without one, for nobody."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not secrets.compare_digest(
        given.encode(), settings.METRICS_TOKEN.encode()
    ):
        raise PermissionDenied(
            "The figures are for the operator: set METRICS_TOKEN and send it as a bearer token."
        )
    return ExportToDjangoView(request)  # type: ignore[no-any-return]


def _database() -> str:
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "down"
    return "ok"


def _broker() -> str:
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1) as broker:
            broker.ping()
    except redis.RedisError:
        return "down"
    return "ok"
