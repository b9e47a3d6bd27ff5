"""Which checks of a running submission are done: in the cache, because losing it costs nobody anything."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import redis
from django.conf import settings

from grader.report import CheckResult
from softmark.submissions.models import Submission

_KEPT_SECONDS = 3600
_PATIENCE = 0.5  # seconds for the cache to answer


@cache
def _store() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=_PATIENCE,
        socket_connect_timeout=_PATIENCE,
        health_check_interval=30,
    )


def _key(submission_id: int, claim_no: int) -> str:
    return f"softmark:progress:{submission_id}:{claim_no}"


class Ticker:
    """Tells of finished checks. A cache that is away is asked once, and then left alone."""

    def __init__(self, submission_id: int, claim_no: int) -> None:
        self._key = _key(submission_id, claim_no)
        self._away = False

    def tell(self, result: CheckResult) -> None:
        if self._away:
            return
        row = {
            "id": result.id,
            "title": result.title,
            "verdict": str(result.verdict),
            "visibility": str(result.visibility),
        }
        try:
            with _store().pipeline(transaction=False) as pipe:
                pipe.rpush(self._key, json.dumps(row))
                pipe.expire(self._key, _KEPT_SECONDS)
                pipe.execute()
        except redis.RedisError:
            self._away = True


def read(submission: Submission) -> list[dict[str, Any]]:
    """The finished checks of the claim that runs now: id, title, verdict, visibility. Empty where unknown."""
    try:
        rows = _store().lrange(_key(submission.pk, submission.claim_no), 0, -1)
    except redis.RedisError:
        return []
    return [json.loads(row) for row in rows]
