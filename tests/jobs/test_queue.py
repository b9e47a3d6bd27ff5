"""Claims, leases, turns: the rules of the queue, on a real database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.report import CheckResult, Report, Verdict, Visibility, overall
from softmark.accounts.models import User
from softmark.coursework.models import Assignment
from softmark.coursework.routing import Queue
from softmark.grading import queue, tasks, workers
from softmark.grading.models import Run, Worker
from softmark.grading.queries import place
from softmark.grading.queue import ClaimLost
from softmark.grading.signals import run_finished
from softmark.submissions.models import Status, Submission
from tests.factories import enrol, make_assignment, make_submission

WORKER = "here:1:2"
CPU = str(Queue.CPU)


def report_of(verdict: Verdict = Verdict.PASSED, points: int = 1) -> Report:
    from decimal import Decimal

    got = Decimal(points) if verdict is Verdict.PASSED else Decimal(0)
    check = CheckResult("a", "A", verdict, got, Decimal(points), Visibility.PUBLIC)
    return Report("slug", "version", overall((check,)), 1, 0.1, (check,))


def finish(claim: queue.Claim, verdict: Verdict = Verdict.PASSED) -> Run:
    now = datetime.now(UTC)
    return queue.finish(claim, report_of(verdict), started_at=now, finished_at=now, worker=WORKER)


def claimed(name: str = CPU) -> queue.Claim:
    claim = queue.claim(name, WORKER)
    assert claim is not None
    return claim


@pytest.fixture
def assignment(db: None) -> Assignment:
    return make_assignment()


@pytest.fixture
def students(assignment: Assignment) -> list[User]:
    return [enrol(assignment.course) for _ in range(4)]


def test_a_claim_is_a_lease_on_one_submission(assignment: Assignment) -> None:
    submission = make_submission(assignment, notes=["a note"], cells=[1, 5])
    claim = claimed()
    assert (claim.submission_id, claim.claim_no, claim.version_id) == (
        submission.pk,
        1,
        submission.version_id,
    )
    assert (claim.text, claim.cells, claim.notes) == (submission.text, (1, 5), ("a note",))
    submission.refresh_from_db()
    assert submission.status == Status.RUNNING
    assert submission.worker == WORKER
    assert submission.lease_until is not None
    assert timedelta(0) < submission.lease_until - timezone.now() <= timedelta(seconds=queue.LEASE_SECONDS)
    assert queue.claim(CPU, WORKER) is None


def test_each_queue_for_itself(assignment: Assignment) -> None:
    submission = make_submission(assignment, queue=Queue.BATCH)
    assert queue.claim(CPU, WORKER) is None
    assert claimed(str(Queue.BATCH)).submission_id == submission.pk


def test_students_in_turn_and_of_each_the_oldest(assignment: Assignment, students: list[User]) -> None:
    """Ana has handed in three times before Ben and Cem came; they need not wait for all of hers."""
    ana, ben, cem, _ = students
    start = timezone.now() - timedelta(minutes=10)

    def at(student: User, second: int) -> int:
        received = start + timedelta(seconds=second)
        return make_submission(assignment, student, received_at=received).pk

    first, second, third = at(ana, 0), at(ana, 1), at(ana, 2)
    of_ben, of_cem, of_ben_again = at(ben, 3), at(cem, 4), at(ben, 5)
    order = [claimed().submission_id for _ in range(6)]
    assert order == [first, of_ben, of_cem, second, of_ben_again, third]


def test_who_comes_new_does_not_overtake_for_ever(assignment: Assignment, students: list[User]) -> None:
    """A steady stream of others does not starve somebody who was served before."""
    ana, *others = students
    long_ago = timezone.now() - timedelta(minutes=10)
    make_submission(assignment, ana, received_at=long_ago)
    claimed()
    waiting = make_submission(assignment, ana, received_at=long_ago + timedelta(seconds=1))
    newcomers = [
        make_submission(assignment, other, received_at=timezone.now() + timedelta(seconds=n))
        for n, other in enumerate(others)
    ]
    assert claimed().submission_id == waiting.pk
    assert [claimed().submission_id for _ in newcomers] == [each.pk for each in newcomers]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(senders=st.lists(st.integers(0, 3), min_size=1, max_size=14))
def test_the_place_that_is_shown_is_the_place_in_the_order(
    senders: list[int], assignment: Assignment, students: list[User]
) -> None:
    Run.objects.all().delete()
    Submission.objects.all().delete()
    start = timezone.now() - timedelta(hours=1)
    made = [
        make_submission(assignment, students[sender], received_at=start + timedelta(seconds=n))
        for n, sender in enumerate(senders)
    ]
    shown = {each.pk: place(each).ahead for each in made}
    order = [claimed().submission_id for _ in made]
    assert [shown[pk] for pk in order] == list(range(len(made)))


def test_a_result_needs_its_claim(assignment: Assignment) -> None:
    """A worker that was thought dead comes back with a result: nothing of it is written."""
    make_submission(assignment)
    late = claimed()
    expire()
    assert queue.free_expired() == 1
    with pytest.raises(ClaimLost):
        finish(late)
    with pytest.raises(ClaimLost):
        queue.renew(late)
    current = claimed()
    assert (current.submission_id, current.claim_no) == (late.submission_id, 2)
    with pytest.raises(ClaimLost):
        finish(late)
    run = finish(current)
    with pytest.raises(ClaimLost):
        finish(current)
    assert list(Run.objects.all()) == [run]


def expire() -> None:
    Submission.objects.filter(status=Status.RUNNING).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_renewed_lease_is_not_freed(assignment: Assignment) -> None:
    make_submission(assignment)
    claim = claimed()
    expire()
    queue.renew(claim)
    assert queue.free_expired() == 0
    assert finish(claim).claim_no == 1


def test_a_finished_run_is_told_inside_its_transaction(assignment: Assignment) -> None:
    """What fails there undoes it all: no result without its grade."""
    submission = make_submission(assignment)
    claim = claimed()

    def fail(run: Run, **kwargs: Any) -> None:
        assert connection.in_atomic_block
        raise ZeroDivisionError

    run_finished.connect(fail)
    try:
        with pytest.raises(ZeroDivisionError):
            finish(claim)
    finally:
        run_finished.disconnect(fail)
    submission.refresh_from_db()
    assert submission.status == Status.RUNNING
    assert not Run.objects.exists()
    finish(claim)
    submission.refresh_from_db()
    assert submission.status == Status.GRADED


def test_an_outage_is_no_death(assignment: Assignment) -> None:
    """While the database was away nobody could renew: the reaper's first round after it frees nothing."""
    submission = make_submission(assignment)
    tasks.reap()
    claim = claimed()
    expire()
    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=2))  # nor could the reaper do a round
    tasks.reap()
    queue.renew(claim)  # the worker lives
    tasks.reap()
    submission.refresh_from_db()
    assert (submission.status, submission.deaths) == (Status.RUNNING, 0)
    expire()
    tasks.reap()
    submission.refresh_from_db()
    assert (submission.status, submission.deaths) == (Status.WAITING, 1)


def test_a_batch_does_not_take_a_students_turn(assignment: Assignment, students: list[User]) -> None:
    ana, ben = students[:2]
    first = make_submission(assignment, ana, received_at=timezone.now() - timedelta(minutes=5))
    make_submission(assignment, ana, queue=Queue.BATCH)
    second = make_submission(assignment, ben, received_at=timezone.now() - timedelta(minutes=4))
    claimed(str(Queue.BATCH))
    assert [claimed().submission_id for _ in range(2)] == [first.pk, second.pk]


def test_the_third_death_holds_a_submission(assignment: Assignment) -> None:
    submission = make_submission(assignment)
    for deaths in (1, 2):
        claimed()
        expire()
        assert queue.free_expired() == 1
        submission.refresh_from_db()
        assert (submission.status, submission.deaths) == (Status.WAITING, deaths)
    claimed()
    expire()
    queue.free_expired()
    submission.refresh_from_db()
    assert (submission.status, submission.deaths, submission.returned) == (Status.HELD, 3, False)
    assert queue.claim(CPU, WORKER) is None


def test_a_worker_that_is_told_to_stop_gives_back_without_blame(assignment: Assignment) -> None:
    submission = make_submission(assignment)
    queue.give_back(claimed())
    submission.refresh_from_db()
    assert (submission.status, submission.deaths) == (Status.WAITING, 0)


def test_a_fault_of_the_assignment_gives_the_attempt_back(assignment: Assignment) -> None:
    submission = make_submission(assignment)
    finish(claimed(), Verdict.ASSIGNMENT_FAULT)
    submission.refresh_from_db()
    assert (submission.status, submission.returned) == (Status.FAULT, True)


def test_claims_of_dead_processes_of_this_machine(assignment: Assignment, students: list[User]) -> None:
    here, there, alive = (make_submission(assignment, student) for student in students[:3])
    host = workers.own_host()
    queue.claim(CPU, f"{host}:4194304:77")  # no such process
    queue.claim(CPU, "another-machine:4194304:77")
    queue.claim(CPU, workers.own_name())
    assert queue.free_of_workers(CPU, host, workers.is_gone) == 1
    states = [Submission.objects.get(pk=each.pk).status for each in (here, there, alive)]
    assert states == [Status.WAITING, Status.RUNNING, Status.RUNNING]


def test_what_another_process_freed_and_a_live_one_claimed_stays_claimed(assignment: Assignment) -> None:
    """Two processes find the same dead one at once; the slower of them must not end the claim that came after."""
    submission = make_submission(assignment)
    host = workers.own_host()
    dead = f"{host}:4194304:77"
    queue.claim(CPU, dead)

    def is_gone(worker: str) -> bool:
        assert queue.free_of_workers(CPU, host, lambda name: name == dead) == 1  # the quicker one
        queue.claim(CPU, workers.own_name())
        return True

    assert queue.free_of_workers(CPU, host, is_gone) == 0
    submission.refresh_from_db()
    assert (submission.status, submission.worker, submission.deaths) == (
        Status.RUNNING,
        workers.own_name(),
        1,
    )


@pytest.mark.django_db(transaction=True)
def test_a_bell_is_not_lost_while_another_claims_the_same_students_oldest(transactional_db: None) -> None:
    assignment = make_assignment()
    student = enrol(assignment.course)
    oldest, next_one = (make_submission(assignment, student) for _ in range(2))
    got: list[queue.Claim | None] = []

    def other() -> None:
        got.append(queue.claim(CPU, WORKER))
        connection.close()

    with transaction.atomic():
        assert claimed().submission_id == oldest.pk  # not committed yet
        in_parallel(other, 1)
    assert [claim.submission_id for claim in got if claim] == [next_one.pk]


@pytest.mark.django_db(transaction=True)
def test_no_two_workers_get_the_same(transactional_db: None) -> None:
    assignment = make_assignment()
    students = [enrol(assignment.course) for _ in range(5)]
    made = {make_submission(assignment, student).pk for student in students for _ in range(8)}
    got: list[int] = []

    def work() -> None:
        while (claim := queue.claim(CPU, WORKER)) is not None:
            got.append(claim.submission_id)
        connection.close()

    in_parallel(work, 6)
    assert sorted(got) == sorted(made)


def in_parallel(act: Callable[[], None], count: int) -> None:
    threads = [threading.Thread(target=act) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
