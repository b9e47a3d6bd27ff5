"""The queue: claims, leases, and what ends them. The rows are the truth; every change here is guarded by a claim.

A claim is one UPDATE that gives a waiting submission a new claim_no and a lease. Whoever holds the claim renews the
lease while the grading loop lives, and writes the result under its claim_no; a claim that was freed meanwhile, and
given to somebody else, can write nothing. Instants are the database's, so that the clocks of workers do not matter.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from grader.report import Report, Verdict
from softmark.coursework import leases
from softmark.coursework.leases import LEASE_SECONDS, ClaimLost
from softmark.grading.models import Run
from softmark.grading.signals import run_finished
from softmark.submissions.models import Status, Submission

DEATHS_UNTIL_HELD = 3


@dataclass(frozen=True)
class Claim:
    """The right to grade one submission."""

    submission_id: int
    claim_no: int
    version_id: int
    text: str
    cells: tuple[int, ...]
    notes: tuple[str, ...]


# Students in turn, and of each the oldest: who was served joins the end of the line, and so does who comes new.
# A student's turn is therefore when their oldest waiting submission came, or when they were last served.
_TURNS = """
WITH heads AS (
    SELECT DISTINCT ON (student_id) id, student_id, received_at
    FROM submissions_submission
    WHERE queue = %(queue)s AND status = 'waiting'
    ORDER BY student_id, received_at, id
), turns AS (
    SELECT heads.id, heads.student_id, greatest(heads.received_at, served.claimed_at) AS turn
    FROM heads LEFT JOIN LATERAL (
        SELECT claimed_at FROM submissions_submission AS earlier
        WHERE earlier.student_id = heads.student_id AND earlier.queue = %(queue)s
            AND earlier.claimed_at IS NOT NULL
        ORDER BY claimed_at DESC LIMIT 1
    ) AS served ON true
)
"""

# Behind the heads stand the others: who comes while somebody else is claiming a student's head goes on to their next,
# and does not go away with the bell that was rung for it.
_CLAIM = (
    _TURNS
    + """, next AS (
    SELECT submission.id
    FROM turns JOIN submissions_submission AS submission USING (student_id)
    WHERE submission.queue = %(queue)s AND submission.status = 'waiting'
    ORDER BY submission.id <> turns.id, turns.turn, submission.received_at, submission.id
    LIMIT 1
    FOR UPDATE OF submission SKIP LOCKED
)
UPDATE submissions_submission AS submission
SET status = 'running', claim_no = submission.claim_no + 1, worker = %(worker)s,
    claimed_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM next
WHERE submission.id = next.id
RETURNING submission.id, submission.claim_no, submission.version_id, submission.text, submission.cells,
    submission.notes
"""
)

# Of every other student as many go first as there are rounds before ours, and one more whose turn is earlier.
_AHEAD = (
    _TURNS
    + """, mine AS (
    SELECT turns.turn, turns.id, turns.student_id,
        (SELECT count(*) FROM submissions_submission AS own
         WHERE own.queue = %(queue)s AND own.status = 'waiting' AND own.student_id = %(student)s
         AND (own.received_at, own.id) < (%(received_at)s, %(id)s)) AS rounds
    FROM turns WHERE turns.student_id = %(student)s
)
SELECT (SELECT count(*) FROM submissions_submission WHERE queue = %(queue)s AND status = 'running')
    + coalesce(max(mine.rounds), 0) + coalesce(sum(least(
    (SELECT count(*) FROM submissions_submission AS theirs
     WHERE theirs.queue = %(queue)s AND theirs.status = 'waiting' AND theirs.student_id = turns.student_id),
    mine.rounds + ((turns.turn, turns.id) < (mine.turn, mine.id))::int
)) FILTER (WHERE turns.student_id <> mine.student_id), 0)
FROM mine CROSS JOIN turns
"""
)


def claim(queue: str, worker: str) -> Claim | None:
    """The next submission of that queue, in fair order; None where none is waiting."""
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, {"queue": queue, "worker": worker, "lease": LEASE_SECONDS})
        row = cursor.fetchone()
    if row is None:
        return None
    id_, claim_no, version_id, text, cells, notes = row
    return Claim(id_, claim_no, version_id, text, tuple(_json(cells)), tuple(_json(notes)))


def ahead(submission: Submission) -> int:
    """How many come before this one, which waits itself, if nobody comes new: those that run, and those that are
    claimed first.
    """
    asked: dict[str, Any] = {
        "queue": submission.queue, "student": submission.student_id, "received_at": submission.received_at,
        "id": submission.pk,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_AHEAD, asked)
        return int(cursor.fetchone()[0])


def _json(value: Any) -> Any:
    """A JSON column as raw SQL gives it: Django leaves it to its fields to read them."""
    return json.loads(value) if isinstance(value, str) else value


def _running() -> QuerySet[Submission]:
    return Submission.objects.filter(status=Status.RUNNING)


def _held(claim: Claim) -> QuerySet[Submission]:
    """The row, as long as the claim holds."""
    return _running().filter(pk=claim.submission_id, claim_no=claim.claim_no)


def renew(claim: Claim) -> None:
    """Extends the lease. Raises ClaimLost."""
    leases.renew(_held(claim))


@transaction.atomic
def finish(claim: Claim, report: Report, *, started_at: datetime, finished_at: datetime, worker: str) -> Run:
    """Writes the result, and with it everything that follows from it. Raises ClaimLost, having written nothing.

    An assignment whose own checks failed takes nothing from the student: the attempt is given back.
    """
    fault = report.verdict is Verdict.ASSIGNMENT_FAULT
    changed = _held(claim).update(
        status=Status.FAULT if fault else Status.GRADED, lease_until=None, finished_at=Now(),
        **({"returned": True} if fault else {}),
    )  # fmt: skip
    if not changed:
        raise ClaimLost
    run = Run.objects.create(
        submission_id=claim.submission_id, claim_no=claim.claim_no, started_at=started_at,
        finished_at=finished_at, verdict=str(report.verdict), points=report.points, max_points=report.max_points,
        seconds=report.seconds, worker=worker, report=report.to_dict(),
    )  # fmt: skip
    run_finished.send(sender=Run, run=run)
    return run


def give_up(claim: Claim) -> None:
    """The machine failed under this submission: as if its worker had died."""
    _free(Q(pk=claim.submission_id, claim_no=claim.claim_no))


def give_back(claim: Claim) -> None:
    """The worker is told to stop before it is done: back into the queue, and nobody is to blame."""
    _held(claim).update(status=Status.WAITING, lease_until=None)


def free_expired() -> int:
    """Ends the claims whose lease has run out. Returns how many."""
    return _free(Q(lease_until__lt=Now()))


def free_of_workers(queue: str, host: str, is_gone: Callable[[str], bool]) -> int:
    """Ends the claims in a queue of workers of this machine that are gone, without waiting for their leases."""
    gone = leases.of_the_gone(_running().filter(queue=queue), host, is_gone)
    return _free(gone) if gone is not None else 0


def is_busy(host: str) -> bool:
    """Whether a worker of that machine is grading right now."""
    return leases.is_busy(_running(), host)


def _free(which: Q) -> int:
    """One more death under each; the third holds a submission for the staff, so that it cannot kill for ever."""
    running = _running().filter(which)
    held = running.filter(deaths__gte=DEATHS_UNTIL_HELD - 1).update(
        status=Status.HELD, lease_until=None, deaths=F("deaths") + 1, finished_at=Now()
    )
    return held + running.update(status=Status.WAITING, lease_until=None, deaths=F("deaths") + 1)


def waiting(queue: str) -> int:
    """How many submissions wait in a queue."""
    return Submission.objects.filter(queue=queue, status=Status.WAITING).count()
