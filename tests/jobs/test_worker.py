"""Submissions through a real broker and real workers; what happens when one of them dies."""

from __future__ import annotations

import os
import signal
import tomllib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import connection, transaction
from django.utils import timezone
from kombu import Connection

from softmark.config.local.service import stop, wait_until_ready
from softmark.config.local.valkey import Valkey
from softmark.coursework.models import Assignment
from softmark.coursework.routing import Queue
from softmark.grading import bell, queue, tasks
from softmark.grading.models import Run, Worker
from softmark.grading.work import seed_of
from softmark.submissions.models import Status, Submission
from softmark.submissions.signals import submitted
from tests.factories import ROOT, folder_of, make_assignment, make_submission
from tests.processes import CeleryProcess, eventually

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[..., CeleryProcess]
CPU = str(Queue.CPU)
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads(
    (ROOT / "fixtures" / "submissions" / "expected.toml").read_text("utf-8")
)
SLOW = "import time\n\ndef attention(q, k, v):\n    time.sleep(1.5)\n    return v\n"


def hand_in(assignment: Assignment, text: str | None = None, **fields: Any) -> Submission:
    """As the submit action does it: the row, and the signal in its transaction."""
    with transaction.atomic():
        submission = make_submission(assignment, text=text, **fields)
        submitted.send(sender=Submission, submission=submission)
    return submission


def state(submission: Submission) -> str:
    return Submission.objects.values_list("status", flat=True).get(pk=submission.pk)


def wait_for(*submissions: Submission, status: Status = Status.GRADED) -> None:
    for each in submissions:
        eventually(lambda each=each: state(each) == status, f"{status} instead of {state(each)}")


def test_every_kind_of_submission(worker: CeleryProcess) -> None:
    assignment = make_assignment()
    files = """
        scaled-dot-product/right/plain.py
        scaled-dot-product/wrong/swapped_operands.py
        scaled-dot-product/hostile/null_pointer.py
        scaled-dot-product/hostile/forges_answers.py
    """.split()
    made = {
        file: hand_in(assignment, (ROOT / "fixtures" / "submissions" / file).read_text("utf-8"))
        for file in files
    }
    wait_for(*made.values())
    for file, submission in made.items():
        run = Run.objects.get(submission=submission)
        assert run.verdict == EXPECTED[file]["verdict"], file
        points = EXPECTED[file]["points"]
        assert run.points == (run.max_points if points == "all" else points), file
        assert [each["id"] for each in run.report["mistakes"]] == EXPECTED[file]["mistakes"], file
        assert run.event.points == run.points


def test_the_seed_is_the_servers_and_stays(worker: CeleryProcess) -> None:
    assignment = make_assignment()
    first, again = hand_in(assignment), hand_in(assignment)
    wait_for(first, again)
    seeds = [run.report["provenance"]["seed"] for run in Run.objects.all()]
    from grader.source import Source

    assert seeds == [seed_of(folder_of("scaled-dot-product"), Source(first.text))] * 2


def test_a_lease_is_renewed_while_code_runs(worker: CeleryProcess) -> None:
    submission = hand_in(make_assignment(), SLOW)
    wait_for(submission, status=Status.RUNNING)
    claimed = Submission.objects.get(pk=submission.pk)
    assert claimed.claimed_at is not None
    usual = claimed.claimed_at + timedelta(seconds=queue.LEASE_SECONDS + 1)

    def renewed() -> bool:
        found = Submission.objects.get(pk=submission.pk)
        assert found.status == Status.RUNNING, "it ended with the lease that it began with"
        return found.lease_until is not None and found.lease_until > usual

    eventually(renewed, "a renewed lease")


def test_students_code_never_meets_the_workers_process(worker: CeleryProcess) -> None:
    """The process with the credentials loads neither numpy nor an assignment's code."""
    submission = hand_in(make_assignment())
    wait_for(submission)
    [child] = worker.pool()
    assert "numpy" not in Path(f"/proc/{child}/maps").read_text()


def test_a_worker_keeps_its_connection(worker: CeleryProcess) -> None:
    """Celery would open a new one for every task, which takes longer than all that is asked of it."""
    assignment = make_assignment()
    backends = set()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (begun,) = cursor.fetchone()
        for _ in range(3):
            wait_for(hand_in(assignment))
            cursor.execute(  # the server of other tests is idle, and PostgreSQL's own processes are no connections
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                " AND backend_type = 'client backend' AND query_start > %s", [begun],
            )  # fmt: skip
            backends |= {pid for (pid,) in cursor.fetchall()}
    assert len(backends) == 1


def test_a_broker_that_is_away_loses_no_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    """Handing in works all the same; the reaper rings when the broker is back."""
    nowhere = Connection("redis://127.0.0.1:9/0", transport_options={"max_retries": 0})
    monkeypatch.setattr(bell, "_connection", lambda: nowhere)
    submission = hand_in(make_assignment())
    assert state(submission) == Status.WAITING
    monkeypatch.setattr("django.conf.settings.REDIS_URL", "redis://127.0.0.1:9/0")
    tasks.reap()  # says so in the log, and goes on


def test_whoever_hands_in_does_not_wait_for_the_broker() -> None:
    """Neither for one that refuses, which kombu would try again for six seconds, nor for a silent one."""
    options = bell._connection().transport_options
    assert options["max_retries"] == 0
    assert options["socket_connect_timeout"] + options["socket_timeout"] <= 3


def test_a_claim_is_given_up_where_our_own_code_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    from softmark.grading.work import Bench

    submission = make_submission(make_assignment())

    def break_(*arguments: Any, **options: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(queue, "finish", break_)
    bench = Bench()
    with pytest.raises(ZeroDivisionError):
        bench.grade_next(CPU)
    bench.close()
    submission.refresh_from_db()
    assert (submission.status, submission.deaths) == (Status.WAITING, 1)


def test_a_pool_process_is_killed_in_the_middle(start_worker: Start) -> None:
    """Celery starts another, which frees what the dead one held; no lease is waited for."""
    worker = start_worker(CPU)
    assignment = make_assignment()
    submission = hand_in(assignment, SLOW)
    wait_for(submission, status=Status.RUNNING)
    [child] = worker.pool()
    os.kill(child, signal.SIGKILL)
    wait_for(submission)
    submission.refresh_from_db()
    assert submission.deaths == 1
    assert Run.objects.filter(submission=submission).count() == 1


def test_a_machine_dies_and_another_takes_over(start_worker: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its claims are freed when their leases have run out."""
    worker = start_worker(CPU)
    assignment = make_assignment()
    running, waiting = hand_in(assignment, SLOW), hand_in(assignment)
    wait_for(running, status=Status.RUNNING)
    worker.kill()
    # As seen from another machine, to which the names of processes here say nothing.
    Submission.objects.filter(pk=running.pk).update(worker="another-machine:1:1")
    start_worker(CPU)
    wait_for(waiting)
    assert state(running) == Status.RUNNING
    Submission.objects.filter(pk=running.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    tasks.reap()  # the first round after a while gives those who live the time to say so
    tasks.reap()
    wait_for(running)
    assert Run.objects.count() == 2


def test_lost_bells_are_rung_again(start_worker: Start, broker: redis.Redis) -> None:
    assignment = make_assignment()
    made = [hand_in(assignment) for _ in range(5)]
    assert broker.llen(CPU) == 5
    broker.flushdb()
    tasks.reap()
    assert broker.llen(CPU) == 5
    tasks.reap()
    assert broker.llen(CPU) == 5, "no more bells than rows"
    start_worker(CPU)
    wait_for(*made)


def test_a_bell_whose_answer_finds_no_broker_leaves_the_worker_hearing(
    start_worker: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transport would count that bell for ever, and the worker hear no other."""
    broker = Valkey(tmp_path / "valkey")
    service = broker.service(tmp_path / "valkey.log", os.environ)
    monkeypatch.setattr("django.conf.settings.REDIS_URL", broker.url)
    monkeypatch.setattr(bell, "_connection", lambda: Connection(broker.url))
    child = service.start()
    try:
        wait_until_ready([child])
        worker = start_worker(CPU, REDIS_URL=broker.url)
        [process] = worker.pool()
        os.kill(process, signal.SIGSTOP)
        assignment = make_assignment()
        first = hand_in(assignment)
        with redis.Redis.from_url(broker.url) as client:
            eventually(lambda: client.hlen("unacked") == 1, "a bell that is heard, and not answered")
        stop([child])
        os.kill(process, signal.SIGCONT)
        wait_for(first)
        eventually(lambda: "Couldn't ack" in worker.log.read_text(), "an answer that found no broker")
        child = service.start()
        wait_until_ready([child])
        second = make_submission(assignment)

        def graded() -> bool:
            bell.ring_for(CPU, waiting=1)
            return state(second) == Status.GRADED

        eventually(graded, "a submission graded after the broker has come back")
    finally:
        stop([child])


def test_superfluous_bells_do_no_harm(start_worker: Start) -> None:
    for _ in range(20):
        bell.ring(CPU)
    worker = start_worker(CPU, processes=2)
    submission = hand_in(make_assignment())
    wait_for(submission)
    assert Run.objects.count() == 1
    assert len(worker.pool()) == 2


def test_a_worker_that_is_told_to_stop_finishes_what_it_has(start_worker: Start) -> None:
    worker = start_worker(CPU)
    assignment = make_assignment()
    running, waiting = hand_in(assignment, SLOW), hand_in(assignment)
    wait_for(running, status=Status.RUNNING)
    worker.stop()
    assert state(running) in (Status.GRADED, Status.WAITING)
    running.refresh_from_db()
    assert running.deaths == 0
    start_worker(CPU)
    tasks.reap()
    wait_for(running, waiting)


def test_live_submissions_go_before_a_batch(start_worker: Start) -> None:
    assignment = make_assignment()
    batch = [hand_in(assignment, queue=Queue.BATCH) for _ in range(6)]
    live = [hand_in(assignment) for _ in range(3)]
    start_worker(CPU, str(Queue.BATCH))
    wait_for(*batch, *live)
    order = list(Run.objects.order_by("id").values_list("submission_id", flat=True))
    last_live = max(order.index(each.pk) for each in live)
    assert last_live <= 3, "at most one of the batch, begun before the others were heard, came first"


def test_workers_say_that_they_are_there(start_worker: Start) -> None:
    from softmark.grading.queries import place

    submission = make_submission(make_assignment())
    assert not place(submission).worker_is_there
    start_worker(CPU)
    eventually(lambda: place(submission).worker_is_there, "a worker that has said that it is there")
    assert Worker.objects.get(queue=CPU).rung is not None


def test_a_bell_on_one_queue_shows_the_worker_on_all_of_its_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a worker whose live queue is always rung first would seem to be gone from the other."""
    both = [CPU, str(Queue.BATCH)]
    monkeypatch.setattr(tasks, "own_queues", lambda: both)
    monkeypatch.setattr(tasks, "_announced_at", float("-inf"))
    tasks.hear(CPU)
    tasks.bench().close()
    assert sorted(Worker.objects.values_list("queue", flat=True)) == sorted(both)
