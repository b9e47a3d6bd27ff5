"""The uploads that are to be verified: claims, leases, and what ends them, as for submissions (softmark.grading.queue).

A claim is for one file. Whoever holds it renews the lease while the grading loop lives, and keeps the report under its
claim_no; then the upload waits for its next claim. So a worker that dies costs one file, and students' submissions go
in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from softmark.coursework import leases
from softmark.coursework.actions import as_json
from softmark.coursework.leases import LEASE_SECONDS, ClaimLost
from softmark.coursework.models import Upload, UploadStatus
from softmark.coursework.signals import awaits_verification
from softmark.coursework.verifying import Standing, names_of

DEATHS_UNTIL_FAILED = 3
MOST_SECONDS = 20 * 60.0  # of grading, for all files of an upload together


# Uploads in turn: the one that was served longest ago, or never.
_CLAIM = """
WITH next AS (
    SELECT id FROM coursework_upload WHERE queue = %s AND status = 'waiting'
    ORDER BY claimed_at NULLS FIRST, id LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE coursework_upload AS upload
SET status = 'running', claim_no = claim_no + 1, worker = %s, trouble = '', claimed_at = clock_timestamp(),
    lease_until = clock_timestamp() + make_interval(secs => %s)
FROM next WHERE upload.id = next.id
RETURNING upload.*
"""


def claim(queue: str, worker: str) -> Upload | None:
    """The upload of that queue of which a file is to be graded next; None where none waits."""
    return next(iter(Upload.objects.raw(_CLAIM, [queue, worker, LEASE_SECONDS])), None)


def renew(upload: Upload) -> None:
    """Extends the lease. Raises ClaimLost."""
    leases.renew(_held(upload))


@transaction.atomic
def keep(upload: Upload, now: Standing, seconds: float) -> None:
    """Keeps how far it has come, after so many seconds of grading. Raises ClaimLost, having written nothing."""
    taken = upload.seconds + seconds
    names = names_of(now.verification.assignment)  # a newer grader may try more
    changes: dict[str, Any] = {"verification": as_json(now.verification), "names": names, "seconds": taken}
    if now.next is None:
        changes |= {"status": UploadStatus.VERIFIED, "reports": {}, "finished_at": Now()}
    elif taken > MOST_SECONDS:
        changes |= {"status": UploadStatus.FAILED, "trouble": _TOO_LONG, "finished_at": Now()}
    else:
        changes |= {"status": UploadStatus.WAITING, "reports": now.reports}
    if not _held(upload).update(lease_until=None, **changes):
        raise ClaimLost
    if changes["status"] is UploadStatus.WAITING:
        awaits_verification.send(sender=Upload, upload=upload)


def fail(upload: Upload, why: str) -> None:
    """It cannot be verified, and trying again would not help."""
    _held(upload).update(status=UploadStatus.FAILED, lease_until=None, trouble=why, finished_at=Now())


def give_up(upload: Upload) -> None:
    """The machine failed under this file: as if its worker had died."""
    _free(Q(pk=upload.pk, claim_no=upload.claim_no))


def give_back(upload: Upload) -> None:
    """The worker is told to stop before the file is done: it waits again, and nobody is to blame."""
    _held(upload).update(status=UploadStatus.WAITING, lease_until=None)


def tell_trouble(queue: str, why: str) -> None:
    """A worker came to verify and could not: says so to those who wait in that queue."""
    Upload.objects.filter(queue=queue, status=UploadStatus.WAITING).update(trouble=why)


def free_expired() -> int:
    """Ends the claims whose lease has run out. Returns how many."""
    return _free(Q(lease_until__lt=Now()))


def free_of_workers(queue: str, host: str, is_gone: Callable[[str], bool]) -> int:
    """Ends the claims in a queue of workers of this machine that are gone, without waiting for their leases."""
    gone = leases.of_the_gone(_running().filter(queue=queue), host, is_gone)
    return _free(gone) if gone is not None else 0


def waiting(queue: str) -> int:
    """How many uploads of a queue wait for a claim."""
    return Upload.objects.filter(queue=queue, status=UploadStatus.WAITING).count()


def is_claimed(queue: str) -> bool:
    """Whether any worker is verifying an upload of that queue right now."""
    return _running().filter(queue=queue, lease_until__gte=Now()).exists()


def is_busy(host: str) -> bool:
    """Whether a worker of that machine is verifying right now."""
    return leases.is_busy(_running(), host)


_TOO_LONG = (
    f"Grading its files took more than {MOST_SECONDS / 60:.0f} minutes, and not all of them are graded. Find what "
    "takes so long: a loop without an end in a known mistake, inputs larger than a check needs, limits that are too "
    "generous."
)


def _running() -> QuerySet[Upload]:
    return Upload.objects.filter(status=UploadStatus.RUNNING)


def _held(upload: Upload) -> QuerySet[Upload]:
    """The row, as long as the claim holds."""
    return _running().filter(pk=upload.pk, claim_no=upload.claim_no)


@transaction.atomic
def _free(which: Q) -> int:
    """One more death under each; the third is the last, so that an upload cannot kill for ever."""
    freed = _running().filter(which).select_for_update().defer("files", "reports")
    for upload in freed:
        deaths = upload.deaths + 1
        end: dict[str, Any] = {"status": UploadStatus.WAITING}
        if deaths >= DEATHS_UNTIL_FAILED:
            end = {"status": UploadStatus.FAILED, "trouble": _died(upload), "finished_at": Now()}
        _held(upload).update(deaths=deaths, lease_until=None, **end)
    return len(freed)


def _died(upload: Upload) -> str:
    return (
        f"{DEATHS_UNTIL_FAILED} graders stopped while they verified this folder, the last one while it graded "
        f"“{upload.names[upload.done]}”. That may be the folder's doing, or the machine's."
    )
