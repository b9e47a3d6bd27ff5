"""Uploads are verified a file at a time: claims, leases and deaths; a real worker; what happens when it dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import connection
from django.utils import timezone

from grader.assignment import assignment_from_texts
from grader.grade import Grader
from grader.report import CheckResult, Report, Verdict, overall
from softmark.courses.models import Course, Role
from softmark.coursework import queue, verifying
from softmark.coursework.actions import receive
from softmark.coursework.importing import gate
from softmark.coursework.models import Upload, UploadStatus
from softmark.coursework.queue import ClaimLost
from softmark.coursework.reading import read_zip
from softmark.coursework.routing import Queue
from softmark.grading import bell, tasks, workers
from softmark.grading.work import Bench
from tests.factories import enrol, make_assignment, make_course, make_upload
from tests.jobs.test_queue import in_parallel
from tests.jobs.test_worker import hand_in, wait_for
from tests.processes import CeleryProcess, eventually
from tests.small_assignment import FILES, FILES_ON_GPU
from tests.zips import zipped

BATCH = str(Queue.BATCH)
GPU = str(Queue.GPU)
WORKER = "here:1:2"
Start = Callable[..., CeleryProcess]
SLOW = FILES | {"starter.py": "import time\n\ndef attention(q, k, v):\n    time.sleep(1.5)\n    return v\n"}


def claimed(name: str = BATCH) -> Upload:
    upload = queue.claim(name, WORKER)
    assert upload is not None
    return upload


def report_on(upload: Upload, verdict: Verdict = Verdict.PASSED, seconds: float = 0.1) -> Report:
    """Of the next file."""
    [spec] = assignment_from_texts(upload.files).checks
    points = spec.points if verdict is Verdict.PASSED else spec.points * 0
    check = CheckResult(spec.id, spec.title, verdict, points, spec.points, spec.visibility)
    return Report(upload.slug, upload.called, overall((check,)), 1, seconds, (check,))


def go_on(upload: Upload, **about: Any) -> None:
    """As the worker does once it has graded the next file."""
    now = verifying.standing(assignment_from_texts(upload.files), upload.reports)
    report = report_on(upload, **about)
    queue.keep(upload, now.after(report), report.seconds)


def upload_zip(course: Course | None = None, files: dict[str, str] = FILES) -> Upload:
    """As the page does it."""
    course = course or make_course()
    by = enrol(course, role=Role.INSTRUCTOR)
    return receive(course, by, read_zip(zipped(files), "double.zip"))[0]


def now(upload: Upload) -> Upload:
    return Upload.objects.get(pk=upload.pk)


@pytest.mark.django_db
class TestTheQueue:
    def test_a_claim_is_a_lease_on_one_upload(self) -> None:
        made = make_upload(trouble="No sandbox.")
        upload = claimed()
        assert (upload.pk, upload.claim_no, upload.files, upload.names) == (
            made.pk,
            1,
            made.files,
            made.names,
        )
        kept = now(made)
        assert (kept.state, kept.worker, kept.trouble) == (UploadStatus.RUNNING, WORKER, "")
        assert kept.lease_until is not None
        assert timedelta(0) < kept.lease_until - timezone.now() <= timedelta(seconds=queue.LEASE_SECONDS)
        assert queue.claim(BATCH, WORKER) is None

    def test_each_queue_for_itself(self) -> None:
        on_gpu, usual = make_upload(files=FILES_ON_GPU), make_upload()
        assert (queue.waiting(GPU), queue.waiting(BATCH), queue.waiting(str(Queue.CPU))) == (1, 1, 0)
        assert claimed().pk == usual.pk
        assert queue.claim(BATCH, WORKER) is None
        assert (queue.is_claimed(BATCH), queue.is_claimed(GPU)) == (True, False)
        assert claimed(GPU).pk == on_gpu.pk
        assert queue.waiting(GPU) == 0
        assert queue.is_claimed(GPU)
        Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert not queue.is_claimed(GPU)

    def test_trouble_is_told_to_those_who_wait_for_the_same_workers(self) -> None:
        on_gpu, usual = make_upload(files=FILES_ON_GPU), make_upload()
        running = make_upload(status=UploadStatus.RUNNING)
        queue.tell_trouble(GPU, "No GPU here.")
        assert [now(each).trouble for each in (on_gpu, usual)] == ["No GPU here.", ""]
        queue.tell_trouble(BATCH, "No sandbox.")
        assert [now(each).trouble for each in (on_gpu, usual, running)] == ["No GPU here.", "No sandbox.", ""]

    def test_uploads_in_turn(self) -> None:
        first, second = make_upload(), make_upload()
        for expected in (first, second, first, second):
            upload = claimed()
            assert upload.pk == expected.pk
            queue.give_back(upload)

    def test_each_file_is_kept_and_the_last_one_ends_it(self) -> None:
        made = make_upload()
        for done in range(1, len(made.names)):
            go_on(claimed(), verdict=Verdict.PASSED if done == 1 else Verdict.WRONG_ANSWER)
            upload = now(made)
            assert (upload.state, upload.done, upload.lease_until) == (UploadStatus.WAITING, done, None)
        go_on(claimed(), verdict=Verdict.WRONG_ANSWER)
        upload = now(made)
        assert (upload.state, upload.done, upload.reports) == (UploadStatus.VERIFIED, len(made.names), {})
        assert upload.seconds == pytest.approx(0.1 * len(made.names))
        assert upload.finished_at is not None
        assert upload.verification is not None
        [problem] = upload.verification["problems"]
        assert '"never-divided" is caught' in problem
        assert "not named" in problem

    def test_a_newer_grader_may_try_more_than_was_announced(self) -> None:
        made = make_upload(names=["solution"])
        go_on(claimed())
        assert now(made).names == verifying.names_of(assignment_from_texts(FILES))
        for _ in range(3):
            queue.give_up(claimed())
        assert "“starter”" in now(made).trouble

    def test_where_the_checks_break_nothing_else_is_graded(self) -> None:
        made = make_upload()
        go_on(claimed(), verdict=Verdict.ASSIGNMENT_FAULT)
        upload = now(made)
        assert (upload.state, upload.done) == (UploadStatus.VERIFIED, 1)
        assert upload.verification is not None
        assert len(upload.verification["problems"]) == 1

    def test_a_lost_claim_writes_nothing(self) -> None:
        made = make_upload()
        late = claimed()
        queue.give_back(late)
        newer = claimed()
        with pytest.raises(ClaimLost):
            go_on(late)
        with pytest.raises(ClaimLost):
            queue.renew(late)
        queue.give_up(late)
        queue.give_back(late)
        queue.fail(late, "no")
        kept = now(made)
        assert (kept.state, kept.claim_no, kept.deaths, kept.done) == (UploadStatus.RUNNING, 2, 0, 0)
        queue.renew(newer)
        go_on(newer)
        with pytest.raises(ClaimLost):
            go_on(newer)

    def test_three_deaths_end_it_and_say_where(self) -> None:
        made = make_upload()
        go_on(claimed())
        for deaths in (1, 2):
            claimed()
            Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
            assert queue.free_expired() == 1
            assert (now(made).state, now(made).deaths) == (UploadStatus.WAITING, deaths)
        queue.give_up(claimed())
        upload = now(made)
        assert (upload.state, upload.deaths) == (UploadStatus.FAILED, 3)
        assert "3 graders stopped" in upload.trouble
        assert "“starter”" in upload.trouble

    def test_a_lease_that_lives_is_not_freed(self) -> None:
        make_upload()
        claimed()
        assert queue.free_expired() == 0

    def test_claims_of_dead_processes_of_this_machine(self) -> None:
        here, there, alive = make_upload(), make_upload(), make_upload()
        host = workers.own_host()
        for worker in (f"{host}:4194304:77", "another-machine:4194304:77", workers.own_name()):
            queue.claim(BATCH, worker)
        assert queue.is_busy(host)
        assert queue.free_of_workers(GPU, host, workers.is_gone) == 0, "their bell is another"
        assert queue.free_of_workers(BATCH, host, workers.is_gone) == 1
        assert [now(each).state for each in (here, there, alive)] == [
            UploadStatus.WAITING, UploadStatus.RUNNING, UploadStatus.RUNNING,
        ]  # fmt: skip

    def test_all_files_together_may_take_twenty_minutes(self) -> None:
        made = make_upload()
        go_on(claimed(), seconds=queue.MOST_SECONDS)
        assert now(made).state is UploadStatus.WAITING
        go_on(claimed(), verdict=Verdict.TIME_LIMIT, seconds=1)
        upload = now(made)
        assert upload.state is UploadStatus.FAILED
        assert "more than 20 minutes" in upload.trouble

    def test_the_last_file_counts_however_long_it_took(self) -> None:
        made = make_upload()
        for _ in made.names[:-1]:
            go_on(claimed())
        go_on(claimed(), seconds=2 * queue.MOST_SECONDS)
        assert now(made).state is UploadStatus.VERIFIED


@pytest.mark.django_db(transaction=True)
def test_no_two_workers_get_the_same(transactional_db: None) -> None:
    made = {make_upload().pk for _ in range(12)}
    got: list[int] = []

    def work() -> None:
        while (upload := queue.claim(BATCH, WORKER)) is not None:
            got.append(upload.pk)
        connection.close()

    in_parallel(work, 4)
    assert sorted(got) == sorted(made)


@pytest.mark.django_db(transaction=True)
class TestOneWorker:
    """Without a process of its own: what hearing one bell does."""

    @pytest.fixture
    def bench(self, monkeypatch: pytest.MonkeyPatch) -> Bench:
        bench = Bench()
        monkeypatch.setattr(tasks, "_bench", bench)
        return bench

    def answer(self, bench: Bench, monkeypatch: pytest.MonkeyPatch, report: Callable[..., Report]) -> None:
        """This is what the sandbox says."""
        monkeypatch.setattr(Grader, "__init__", lambda self, **_: None)
        monkeypatch.setattr(Grader, "close", lambda self: None)
        monkeypatch.setattr(Grader, "grade", report)
        monkeypatch.setattr(Bench, "announce", lambda *arguments: None)

    def test_one_bell_is_one_file_and_rings_for_the_next(
        self, bench: Bench, bells: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upload = upload_zip()
        assert bells.llen(BATCH) == 1
        bells.flushdb()
        self.answer(bench, monkeypatch, lambda *_, **__: report_on(upload))
        tasks.hear(BATCH)
        assert (now(upload).state, now(upload).done) == (UploadStatus.WAITING, 1)
        assert bells.llen(BATCH) == 1

    def test_a_fault_of_the_machine_is_a_death_and_no_problem_of_the_folder(
        self, bench: Bench, broker: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upload = upload_zip()
        self.answer(bench, monkeypatch, lambda *_, **__: report_on(upload, Verdict.PLATFORM_FAULT))
        for _ in range(3):
            tasks.hear(BATCH)
        assert (now(upload).state, now(upload).deaths, now(upload).done) == (UploadStatus.FAILED, 3, 0)

    def test_a_claim_is_given_up_where_our_own_code_breaks(
        self, bench: Bench, broker: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upload = upload_zip()

        def break_(*arguments: Any, **options: Any) -> Report:
            raise ZeroDivisionError

        self.answer(bench, monkeypatch, break_)
        with pytest.raises(ZeroDivisionError):
            tasks.hear(BATCH)
        assert (now(upload).state, now(upload).deaths) == (UploadStatus.WAITING, 1)

    def test_a_worker_that_is_told_to_stop_gives_it_back(
        self, bench: Bench, broker: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upload = upload_zip()

        def stop(*arguments: Any, **options: Any) -> Report:
            raise SystemExit

        self.answer(bench, monkeypatch, stop)
        with pytest.raises(SystemExit):
            tasks.hear(BATCH)
        assert (now(upload).state, now(upload).deaths) == (UploadStatus.WAITING, 0)

    def test_the_lease_is_renewed_while_the_grader_beats(
        self, bench: Bench, broker: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upload = upload_zip()
        leases = []

        def slow(*arguments: Any, on_beat: Callable[[], None], **options: Any) -> Report:
            for _ in range(2):
                leases.append(now(upload).lease_until)
                on_beat()
            return report_on(upload)

        self.answer(bench, monkeypatch, slow)
        tasks.hear(BATCH)
        assert leases[0] < leases[1]

    def test_a_folder_of_an_older_format_is_told(
        self, bench: Bench, broker: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upload = upload_zip()
        manifest = FILES["assignment.toml"].replace("points = 2\n", "points = 3\n", 1)
        Upload.objects.update(files=FILES | {"assignment.toml": manifest})
        self.answer(bench, monkeypatch, lambda *_, **__: report_on(upload))
        tasks.hear(BATCH)
        assert now(upload).state is UploadStatus.FAILED
        assert "cannot be used any more: assignment.toml:7:" in now(upload).trouble

    def test_without_a_sandbox_it_waits_and_says_why(
        self, bench: Bench, broker: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upload = upload_zip()
        monkeypatch.setenv("GRADER_MINIMUM_RUNG", "9")
        tasks.hear(BATCH)
        assert now(upload).state is UploadStatus.WAITING
        assert "GRADER_MINIMUM_RUNG" in now(upload).trouble
        assert now(upload).deaths == 0

    def test_lost_bells_are_rung_again(self, bells: redis.Redis) -> None:
        for files in (FILES, FILES, FILES, FILES_ON_GPU, FILES_ON_GPU):
            upload_zip(files=files)
        bells.flushdb()
        tasks.reap()
        assert (bells.llen(BATCH), bells.llen(GPU), bells.llen(str(Queue.CPU))) == (3, 2, 1)

    def test_the_reaper_frees_what_a_dead_machine_held(self, broker: redis.Redis) -> None:
        upload = upload_zip()
        queue.claim(BATCH, "another-machine:1:1")
        Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        tasks.reap()  # the first round after a while gives those who live the time to say so
        tasks.reap()
        assert (now(upload).state, now(upload).deaths) == (UploadStatus.WAITING, 1)

    def test_a_worker_that_verifies_for_long_is_there(self) -> None:
        make_upload()
        queue.claim(BATCH, workers.own_name())
        assert workers.heard_of_host(workers.own_host(), None)


@pytest.mark.django_db(transaction=True)
class TestRealWorkers:
    def test_verified_by_a_worker_as_by_the_command(self, worker: CeleryProcess) -> None:
        upload = upload_zip()
        eventually(lambda: now(upload).state is UploadStatus.VERIFIED, "a verified upload")
        kept = now(upload).verification
        assert kept is not None
        at_once = gate(assignment_from_texts(FILES))
        assert [row["name"] for row in kept["table"]] == [row.name for row in at_once.table]
        assert [row["marks"] for row in kept["table"]] == [list(row.marks) for row in at_once.table]
        assert (kept["problems"], kept["notes"]) == (list(at_once.problems), list(at_once.notes))
        assert kept["problems"] == []

    def test_checks_that_break_say_what_broke(self, worker: CeleryProcess) -> None:
        upload = upload_zip(files=FILES | {"checks/public.py": "import numpy\n\n1 / 0\n"})
        eventually(lambda: now(upload).state is UploadStatus.VERIFIED, "a verified upload")
        kept = now(upload).verification
        assert kept is not None
        [problem] = kept["problems"]
        assert "assignment fault" in problem
        assert "ZeroDivisionError" in problem
        assert [row["result"] for row in kept["table"]] == ["fault"]

    def test_submissions_go_in_between(self, start_worker: Start) -> None:
        """The files of an upload are behind live submissions, also once the upload has begun."""
        upload = upload_zip(files=SLOW)  # its second file takes longer than we take to look
        for _ in upload.names:  # rung for more than once, it is no sooner done
            bell.ring(BATCH)
        live = [hand_in(make_assignment()) for _ in range(2)]
        start_worker(str(Queue.CPU), BATCH)
        wait_for(*live)
        assert now(upload).done <= 1
        eventually(lambda: now(upload).state is UploadStatus.VERIFIED, "a verified upload")

    def test_a_pool_process_is_killed_in_the_middle(self, start_worker: Start) -> None:
        """What was graded before stays, and only the file in its hands is graded again."""
        worker = start_worker(BATCH)
        upload = upload_zip(files=SLOW)

        def at_the_starter() -> bool:
            found = now(upload)
            return found.state is UploadStatus.RUNNING and found.done == found.names.index("starter")

        eventually(at_the_starter, "the slow file")
        [child] = worker.pool()
        os.kill(child, signal.SIGKILL)
        eventually(lambda: now(upload).state is UploadStatus.VERIFIED, "a verified upload")
        done = now(upload)
        assert done.deaths == 1
        assert done.verification is not None
        assert [row["name"] for row in done.verification["table"]] == done.names
        assert done.claim_no == len(done.names) + 1
