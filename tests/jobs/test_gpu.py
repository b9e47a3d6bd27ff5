"""What needs a GPU is graded by workers that have one, and waits unharmed for as long as there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import redis
from django.core.management import CommandError, call_command

from grader.assignment import Device, assignment_from_texts
from grader.grade import Grader, SandboxUnavailable
from grader.report import Verdict
from softmark.coursework.models import Assignment, UploadStatus
from softmark.coursework.routing import Queue
from softmark.grading import tasks, work
from softmark.grading.models import Run, Worker
from softmark.grading.queries import place
from softmark.grading.work import Bench
from softmark.submissions.models import Status, Submission
from tests.factories import make_assignment, make_assignment_version, make_submission, make_upload
from tests.jobs.test_queue import report_of
from tests.jobs.test_uploads import now, upload_zip
from tests.jobs.test_worker import hand_in, wait_for
from tests.processes import CeleryProcess, eventually
from tests.small_assignment import FILES_ON_GPU

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[..., CeleryProcess]
CPU, GPU, BATCH = str(Queue.CPU), str(Queue.GPU), str(Queue.BATCH)
NO_GPU = "No sandbox with a GPU can be had on this machine."


@pytest.fixture
def on_gpu() -> Assignment:
    return make_assignment(version=make_assignment_version(folder=assignment_from_texts(FILES_ON_GPU)))


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, broker: redis.Redis) -> Iterator[Bench]:
    """This process as a worker of every queue, which has said nothing yet."""
    bench = Bench()
    monkeypatch.setattr(tasks, "_bench", bench)
    monkeypatch.setattr(tasks, "_announced_at", float("-inf"))
    monkeypatch.setattr(tasks, "own_queues", lambda: [CPU, GPU, BATCH])
    yield bench
    bench.close()


class Machine:
    """Where graders are opened: with a GPU, or without one."""

    def __init__(self) -> None:
        self.has_gpu = False
        self.opened: list[Device] = []

    def __call__(self, *, device: Device) -> Grader:
        self.opened.append(device)
        if device is Device.CUDA and not self.has_gpu:
            raise SandboxUnavailable(NO_GPU)
        return Grader(device=device, stand_in=True)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(work, "Grader", machine)
    return machine


def kept(submission: Submission) -> Submission:
    return Submission.objects.get(pk=submission.pk)


class TestWithoutOne:
    def test_what_is_handed_in_waits_and_nobody_is_to_blame(
        self, bench: Bench, machine: Machine, on_gpu: Assignment
    ) -> None:
        submission = make_submission(on_gpu)
        for _ in range(4):
            tasks.hear(GPU)
        waits = kept(submission)
        assert (waits.status, waits.claim_no, waits.deaths) == (Status.WAITING, 0, 0)
        assert not place(submission).worker_is_there

    def test_an_upload_waits_and_says_why(self, bench: Bench, machine: Machine) -> None:
        upload, other = make_upload(files=FILES_ON_GPU), make_upload()
        tasks.hear(GPU)
        waits = now(upload)
        assert (waits.state, waits.claim_no, waits.deaths) == (UploadStatus.WAITING, 0, 0)
        assert waits.trouble == NO_GPU
        assert now(other).trouble == ""

    def test_the_same_process_grades_everything_else(
        self, bench: Bench, machine: Machine, on_gpu: Assignment
    ) -> None:
        waiting, submission, upload = make_submission(on_gpu), make_submission(), make_upload()
        for name in (GPU, CPU, BATCH):
            tasks.hear(name)
        assert kept(submission).status == Status.GRADED
        assert (now(upload).done, now(upload).trouble) == (1, "")
        assert kept(waiting).status == Status.WAITING
        said = {worker.queue: (worker.rung is not None, worker.trouble) for worker in Worker.objects.all()}
        assert said == {CPU: (True, ""), BATCH: (True, ""), GPU: (False, NO_GPU)}

    def test_it_is_looked_for_once_an_announcement_and_found_when_it_is_back(
        self, bench: Bench, machine: Machine, on_gpu: Assignment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        submission = make_submission(on_gpu)
        for _ in range(5):
            tasks.hear(GPU)
        assert machine.opened.count(Device.CUDA) == 1, "looking takes seconds"
        machine.has_gpu = True
        tasks.hear(GPU)
        assert kept(submission).status == Status.WAITING
        monkeypatch.setattr(tasks, "_announced_at", float("-inf"))
        tasks.hear(GPU)
        assert kept(submission).status == Status.GRADED
        told = Worker.objects.get(queue=GPU)
        assert (told.rung is not None, told.trouble) == (True, "")
        assert machine.opened == [Device.CPU, Device.CUDA, Device.CUDA]

    def test_one_that_is_lost_costs_one_claim(
        self, bench: Bench, machine: Machine, on_gpu: Assignment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        machine.has_gpu = True
        submission, upload = make_submission(on_gpu), make_upload(files=FILES_ON_GPU)

        def lose(*arguments: Any, **options: Any) -> Any:
            machine.has_gpu = False
            return report_of(Verdict.PLATFORM_FAULT)

        monkeypatch.setattr(Grader, "grade", lose)
        for _ in range(5):
            tasks.hear(GPU)
        waits = kept(submission)
        assert (waits.status, waits.deaths, waits.claim_no) == (Status.WAITING, 1, 1)
        assert now(upload).claim_no == 0

    def test_the_worker_is_healthy(self, bench: Bench, machine: Machine) -> None:
        with pytest.raises(CommandError):
            call_command("worker_health", "--queue", GPU)
        tasks.hear(GPU)
        call_command("worker_health", "--queue", GPU)


class TestWithOne:
    @pytest.fixture(autouse=True)
    def gpu(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(work, "Grader", partial(Grader, stand_in=True))

    def test_a_student_goes_before_an_upload(self, bench: Bench, on_gpu: Assignment) -> None:
        upload, submission = make_upload(files=FILES_ON_GPU), make_submission(on_gpu)
        tasks.hear(GPU)
        assert (kept(submission).status, now(upload).done) == (Status.GRADED, 0)
        tasks.hear(GPU)
        assert now(upload).done == 1

    def test_in_a_batch_an_upload_goes_first(self, bench: Bench) -> None:
        upload, submission = make_upload(), make_submission(queue=Queue.BATCH)
        tasks.hear(BATCH)
        assert (kept(submission).status, now(upload).done) == (Status.WAITING, 1)

    def test_a_worker_that_verifies_for_long_is_there(self, bench: Bench, on_gpu: Assignment) -> None:
        submission = make_submission(on_gpu)
        make_upload(files=FILES_ON_GPU, status=UploadStatus.RUNNING)
        assert place(submission).worker_is_there

    def test_what_a_dead_process_held_is_freed_and_rung_for(
        self, bench: Bench, bells: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upload = make_upload(
            files=FILES_ON_GPU, status=UploadStatus.RUNNING, worker=f"{work.workers.own_host()}:4194304:77"
        )
        tasks.hear(BATCH)
        assert now(upload).state is UploadStatus.RUNNING
        tasks.hear(GPU)
        assert (now(upload).state, now(upload).deaths) == (UploadStatus.WAITING, 1)
        assert (bells.llen(GPU), bells.llen(BATCH)) == (1, 0)


class TestARealWorker:
    """A process of Celery, on a machine that pretends to have a GPU."""

    APP = "tests.jobs.pretended_gpu"

    def test_it_grades_and_verifies(self, start_worker: Start, on_gpu: Assignment) -> None:
        right, wrong = hand_in(on_gpu), hand_in(on_gpu, FILES_ON_GPU["mistakes/never-divided.py"])
        upload = upload_zip(files=FILES_ON_GPU)
        start_worker(GPU, app=self.APP)
        wait_for(right, wrong)
        points = [Run.objects.get(submission=each).points for each in (right, wrong)]
        assert points == [2, 0]
        run = Run.objects.get(submission=right)
        assert "array_api_strict" in run.report["provenance"]["device"]
        eventually(lambda: now(upload).state is UploadStatus.VERIFIED, "a verified upload")
        table = now(upload).verification
        assert table is not None
        assert table["problems"] == []
        assert Worker.objects.get().queue == GPU

    def test_one_process_may_serve_every_queue(self, start_worker: Start, on_gpu: Assignment) -> None:
        made = [hand_in(on_gpu), hand_in(make_assignment()), hand_in(on_gpu)]
        start_worker(CPU, GPU, BATCH, app=self.APP)
        wait_for(*made)
        assert sorted(Worker.objects.values_list("queue", flat=True)) == sorted([CPU, GPU, BATCH])

    def test_workers_without_one_leave_it_alone(self, start_worker: Start, on_gpu: Assignment) -> None:
        waiting, upload, graded = hand_in(on_gpu), upload_zip(files=FILES_ON_GPU), hand_in(make_assignment())
        start_worker(CPU, BATCH)
        wait_for(graded)
        assert (kept(waiting).claim_no, now(upload).claim_no) == (0, 0)
