"""One process that grades: sandboxes that are kept warm, and the steps from a claim to its result."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeVar

import structlog
from django.db import InterfaceError, OperationalError, connection
from django.utils.crypto import salted_hmac

from grader.assignment import Assignment, AssignmentError, Device, assignment_from_texts
from grader.grade import Grader, SandboxUnavailable
from grader.report import Report, Verdict
from grader.source import Source
from softmark.coursework import queue as uploads
from softmark.coursework.leases import ClaimLost
from softmark.coursework.models import AssignmentVersion, Upload
from softmark.coursework.routing import device_of
from softmark.coursework.verifying import standing
from softmark.grading import progress, queue, workers
from softmark.grading.queue import Claim

log = structlog.get_logger(__name__)

T = TypeVar("T")

ASSIGNMENTS_KEPT = 32
DATABASE_PATIENCE = 60.0  # seconds: a restart of PostgreSQL is sat out rather than graded again


class Bench:
    """Where one process grades. Not for several threads, and opened in the one that lives longest."""

    def __init__(self) -> None:
        self.name = workers.own_name()
        self._graders: dict[Device, Grader] = {}
        self._troubles: dict[Device, str] = {}
        self._assignments: OrderedDict[int, Assignment] = OrderedDict()

    def open(self, device: Device) -> Grader:
        """The sandbox of a device, warm. Raises SandboxUnavailable.

        Where it could not be had, it is tried again at the next announcement only: that takes seconds for a GPU.
        """
        if device in self._troubles:
            raise SandboxUnavailable(self._troubles[device])
        if device not in self._graders:
            try:
                self._graders[device] = Grader(device=device)
            except SandboxUnavailable as unavailable:
                self._troubles[device] = str(unavailable)
                raise
        return self._graders[device]

    def close(self) -> None:
        while self._graders:
            self._graders.popitem()[1].close()

    def announce(self, queues: list[str]) -> None:
        """Says in the database that this process is here, and which of its queues it can grade."""
        self._troubles.clear()
        for each in queues:
            device = device_of(each)
            try:
                rung, trouble = self.open(device).rung.number, ""
            except SandboxUnavailable as unavailable:
                rung, trouble = None, str(unavailable)
                log.error("sandbox_unavailable", queue=each, reason=trouble)
            workers.announce(self.name, each, rung, trouble)

    def grade_next(self, queue_name: str) -> bool:
        """Grades the next submission of a queue; False where none was waiting. Raises SandboxUnavailable."""
        self.open(device_of(queue_name))  # nothing is claimed that cannot be graded
        claim = patiently(lambda: queue.claim(queue_name, self.name))
        if claim is None:
            return False
        with self._held(
            lambda: queue.give_back(claim), lambda: queue.give_up(claim),
            submission=claim.submission_id, claim=claim.claim_no,
        ):  # fmt: skip
            self._grade(claim)
        return True

    def verify_next(self, queue_name: str) -> bool:
        """Grades the next file of an upload of a queue; False where none was waiting. Raises SandboxUnavailable."""
        self.open(device_of(queue_name))
        upload = patiently(lambda: uploads.claim(queue_name, self.name))
        if upload is None:
            return False
        with self._held(
            lambda: uploads.give_back(upload), lambda: uploads.give_up(upload),
            upload=upload.pk, claim=upload.claim_no,
        ):  # fmt: skip
            self._verify(upload)
        return True

    @contextmanager
    def _held(
        self, give_back: Callable[[], None], give_up: Callable[[], None], **claimed: int
    ) -> Iterator[None]:
        """Around the work under a claim: however it ends, the claim does not stay behind."""
        try:
            yield
        except ClaimLost:
            log.warning("claim_lost", **claimed)
        except (SystemExit, KeyboardInterrupt):  # told to stop
            self.close()
            patiently(give_back)
            raise
        except BaseException:  # beyond every limit, or a fault of ours
            log.exception("grading_broke", **claimed)
            self.close()
            patiently(give_up)
            raise

    def _grade(self, claim: Claim) -> None:
        started_at = datetime.now(UTC)
        assignment = self._assignment(claim.version_id)
        source = Source(claim.text, claim.notes, claim.cells)
        ticker = progress.Ticker(claim.submission_id, claim.claim_no)
        report = self.open(assignment.device).grade(
            assignment,
            source,
            seed=seed_of(assignment, source),
            on_check=ticker.tell,
            on_beat=lambda: renew(lambda: queue.renew(claim)),
        )
        if report.verdict is Verdict.PLATFORM_FAULT:
            log.error("platform_fault", submission=claim.submission_id, reason=_first_message(report))
            self.close()  # where no other sandbox can be had, a GPU that is lost say, nothing more is claimed
            patiently(lambda: queue.give_up(claim))
            return
        finished_at = datetime.now(UTC)
        patiently(
            lambda: queue.finish(
                claim, report, started_at=started_at, finished_at=finished_at, worker=self.name
            )
        )

    def _verify(self, upload: Upload) -> None:
        try:
            now = standing(assignment_from_texts(upload.files), upload.reports)
        except AssignmentError as error:  # what is asked of a folder has changed since it came
            why = f"The folder cannot be used any more: {error.problems[0]}"
            patiently(lambda: uploads.fail(upload, why))
            return
        assert now.next is not None  # else it would not wait
        report = self.open(now.by.device).grade(
            now.by, now.next, on_beat=lambda: renew(lambda: uploads.renew(upload))
        )
        if report.verdict is Verdict.PLATFORM_FAULT:
            log.error("platform_fault", upload=upload.pk, reason=_first_message(report))
            self.close()
            patiently(lambda: uploads.give_up(upload))
            return
        after = now.after(report)
        patiently(lambda: uploads.keep(upload, after, report.seconds))

    def _assignment(self, version_id: int) -> Assignment:
        if version_id not in self._assignments:
            version = patiently(lambda: AssignmentVersion.objects.get(pk=version_id))
            self._assignments[version_id] = assignment_from_texts(version.files)
            if len(self._assignments) > ASSIGNMENTS_KEPT:
                self._assignments.popitem(last=False)
        self._assignments.move_to_end(version_id)
        return self._assignments[version_id]


def renew(lease: Callable[[], None]) -> None:
    """Renews a lease, if the database is there. If not, the work goes on: what is written in the end is guarded
    by the claim, whatever has become of its lease. Raises ClaimLost.
    """
    try:
        lease()
    except (OperationalError, InterfaceError):
        connection.close()


def patiently(step: Callable[[], T]) -> T:
    """Takes a step in the database, again and again while the database is away."""
    until = time.monotonic() + DATABASE_PATIENCE
    pause = 0.1
    while True:
        try:
            return step()
        except (OperationalError, InterfaceError):
            connection.close()
            if connection.in_atomic_block or time.monotonic() + pause > until:
                raise
            time.sleep(pause)
            pause = min(2 * pause, 2.0)


def seed_of(assignment: Assignment, source: Source) -> int:
    """Of the hidden inputs: the same whenever the same is graded again, and nobody's guess outside the server."""
    mac = salted_hmac("softmark.grading.seed", f"{assignment.version}\0{source.text}", algorithm="sha256")
    return int.from_bytes(mac.digest()[:6], "little")


def _first_message(report: Report) -> str:
    return next((check.message for check in report.checks if check.verdict.is_fault), "")
