"""What the claims of submissions and of uploads have in common: a lease on a row, and how it ends early.

The rows have a `worker`, named host:process:start, and a `lease_until`; which of them are running is the caller's
word. Instants are the database's.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

LEASE_SECONDS = 20


class ClaimLost(Exception):
    """Somebody else has, or will have, this work: stop, and write nothing."""


def renew(held: QuerySet[Any]) -> None:
    """Extends the lease of a row, as long as the claim holds. Raises ClaimLost where there is no such row."""
    if not held.update(lease_until=Now() + timedelta(seconds=LEASE_SECONDS)):
        raise ClaimLost


def of_the_gone(running: QuerySet[Any], host: str, is_gone: Callable[[str], bool]) -> Q | None:
    """The rows whose workers, of this machine, are gone; None where there are none.

    By name as well: another process may have freed one meanwhile, and a third one, which lives, claimed it.
    """
    own = running.filter(worker__startswith=f"{host}:").values_list("pk", "worker")
    gone = [(pk, worker) for pk, worker in own if is_gone(worker)]
    return Q(pk__in=[pk for pk, _ in gone], worker__in=[worker for _, worker in gone]) if gone else None


def is_busy(running: QuerySet[Any], host: str) -> bool:
    """Whether a worker of that machine holds one of them right now."""
    return running.filter(worker__startswith=f"{host}:", lease_until__gte=Now()).exists()
