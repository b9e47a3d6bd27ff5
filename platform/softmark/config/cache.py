"""The cache: a Valkey that may be away. It counts wrong passwords, and nobody is kept out because it cannot."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import redis
import structlog
from django.core.cache.backends.redis import RedisCache

log = structlog.get_logger(__name__)


def _or(fallback: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What a method answers where the server does not."""

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def forgiving(self: Any, *arguments: Any, **options: Any) -> Any:
            try:
                return method(self, *arguments, **options)
            except redis.RedisError as error:
                log.warning("cache_away", error=str(error))
                return fallback(*arguments, **options)

        return forgiving

    return decorate


class ForgivingRedisCache(RedisCache):
    """Empty while the server is away."""

    get = _or(lambda key, default=None, version=None: default)(RedisCache.get)
    get_many = _or(lambda keys, version=None: {})(RedisCache.get_many)
    has_key = _or(lambda key, version=None: False)(RedisCache.has_key)
    add = _or(lambda *_, **__: True)(RedisCache.add)
    touch = _or(lambda *_, **__: False)(RedisCache.touch)
    set = _or(lambda *_, **__: None)(RedisCache.set)
    set_many = _or(lambda *_, **__: [])(RedisCache.set_many)
    delete = _or(lambda *_, **__: False)(RedisCache.delete)
    delete_many = _or(lambda *_, **__: None)(RedisCache.delete_many)
    incr = _or(lambda key, delta=1, version=None: delta)(RedisCache.incr)
