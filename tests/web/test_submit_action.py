"""Taking a submission: counted, numbered and announced once, however many arrive at the same time."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries, Settings

from grader.assignment import Device
from softmark.accounts.models import User
from softmark.courses.models import Role
from softmark.coursework.models import Assignment
from softmark.coursework.routing import Queue, queue_of_submissions
from softmark.coursework.source import Source
from softmark.submissions import queries
from softmark.submissions.actions import Refused, save_draft, submit
from softmark.submissions.models import Submission, Work
from softmark.submissions.signals import submitted
from tests.factories import (
    enrol,
    make_assignment,
    make_assignment_version,
    make_course,
    make_extension,
    make_schedule,
    make_submission,
)

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
CODE = Source("def attention(q, k, v):\n    return v\n")


@contextmanager
def hearing() -> Iterator[list[Submission]]:
    """What is announced meanwhile."""
    heard: list[Submission] = []

    def hear(submission: Submission, **_: Any) -> None:
        assert connection.in_atomic_block
        heard.append(submission)

    submitted.connect(hear)
    try:
        yield heard
    finally:
        submitted.disconnect(hear)


def hand_in(
    assignment: Assignment, student: User, *, now: datetime = NOON, token: uuid.UUID | None = None,
    source: Source = CODE, filename: str = "",
) -> Submission:  # fmt: skip
    return submit(assignment, student, source, filename, token or uuid.uuid4(), now)


@pytest.mark.django_db
class TestSubmit:
    def test_a_submission_keeps_what_was_read(self) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        source = Source("x = 1\n", ("Cell 1: a magic was left out.",), (1,))
        with hearing() as heard:
            submission = hand_in(assignment, student, source=source, filename="mine.ipynb")
        submission.refresh_from_db()
        assert (submission.number, submission.version, submission.received_at) == (
            1,
            assignment.version,
            NOON,
        )
        assert (submission.text, submission.filename) == ("x = 1\n", "mine.ipynb")
        assert (submission.notes, submission.cells) == (["Cell 1: a magic was left out."], [1])
        assert (submission.status, submission.returned) == ("waiting", False)
        assert heard == [submission]

    def test_the_same_form_sent_twice_is_one_submission(self) -> None:
        assignment = make_assignment(attempts=1)
        student = enrol(assignment.course)
        token = uuid.uuid4()
        with hearing() as heard:
            first = hand_in(assignment, student, token=token)
            again = hand_in(assignment, student, token=token, now=NOON + timedelta(seconds=1))
        assert first == again
        assert heard == [first]

    def test_it_is_one_submission_even_where_the_second_comes_after_the_end(self) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        make_schedule(assignment.item, due_at=NOON, closes_at=NOON)
        token = uuid.uuid4()
        first = hand_in(assignment, student, token=token)
        assert hand_in(assignment, student, token=token, now=NOON + timedelta(hours=1)) == first

    def test_another_text_from_the_same_form_is_another_submission(self) -> None:
        """Somebody went back in the browser, went on typing, and submitted again."""
        assignment = make_assignment()
        student = enrol(assignment.course)
        token = uuid.uuid4()
        first = hand_in(assignment, student, token=token)
        second = hand_in(assignment, student, token=token, source=Source("y = 2\n"))
        assert (first.number, second.number) == (1, 2)
        assert hand_in(assignment, student, token=token, source=Source("y = 2\n")) == second
        assert hand_in(assignment, student, token=token) == first

    def test_a_form_of_another_student_or_assignment_is_refused(self) -> None:
        course = make_course()
        assignment, other = make_assignment(course=course), make_assignment(course=course)
        student, mate = enrol(course), enrol(course)
        token = hand_in(assignment, student).token
        for text in (CODE, Source("another\n")):
            with pytest.raises(Refused, match="belongs to another"):
                hand_in(assignment, mate, token=token, source=text)
            with pytest.raises(Refused, match="belongs to another"):
                hand_in(other, student, token=token, source=text)
        assert Submission.objects.count() == 1

    def test_attempts_run_out_and_one_given_back_does_not_count(self) -> None:
        assignment = make_assignment(attempts=2)
        student = enrol(assignment.course)
        make_submission(assignment, student, received_at=NOON - timedelta(hours=2), returned=True)
        make_submission(assignment, student, received_at=NOON - timedelta(hours=1))
        assert hand_in(assignment, student).number == 3
        with hearing() as heard, pytest.raises(Refused, match="2 of 2"):
            hand_in(assignment, student)
        assert heard == []
        assert queries.attempts_used(assignment, student) == 2

    def test_the_attempts_of_others_do_not_count(self) -> None:
        assignment = make_assignment(attempts=1)
        make_submission(assignment)
        assert hand_in(assignment, enrol(assignment.course)).number == 1

    def test_the_last_second_of_the_deadline_is_on_time_and_the_next_is_not(self) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        make_schedule(assignment.item, due_at=NOON, closes_at=NOON)
        last = NOON.replace(second=59, microsecond=999_999)
        assert hand_in(assignment, student, now=last).received_at == last
        with pytest.raises(Refused, match="closed on Thu 5 Mar 2026, 13:00 CET"):
            hand_in(assignment, student, now=NOON + timedelta(minutes=1))

    def test_late_is_taken_until_it_closes_and_an_extension_moves_both(self) -> None:
        assignment = make_assignment()
        student, mate = enrol(assignment.course), enrol(assignment.course)
        make_schedule(assignment.item, due_at=NOON, closes_at=NOON + timedelta(days=1))
        make_extension(assignment.item, mate, NOON + timedelta(days=2))
        late, very_late = NOON + timedelta(hours=20), NOON + timedelta(hours=60)
        assert hand_in(assignment, student, now=late).number == 1
        with pytest.raises(Refused):
            hand_in(assignment, student, now=very_late)
        assert hand_in(assignment, mate, now=very_late).number == 1

    def test_refused_where_the_role_or_the_item_says_so(self) -> None:
        assignment = make_assignment()
        for person in (
            enrol(assignment.course, role=Role.TA),
            enrol(assignment.course, role=Role.INSTRUCTOR),
        ):
            with pytest.raises(Refused, match="Only students"):
                hand_in(assignment, person)
        with pytest.raises(Refused, match="not enrolled"):
            hand_in(assignment, enrol(make_course()))
        with pytest.raises(Refused, match="not enrolled"):
            hand_in(assignment, enrol(assignment.course, active=False))
        student = enrol(assignment.course)
        assignment.item.visible = False
        assignment.item.save()
        with pytest.raises(Refused, match="hidden"):
            hand_in(assignment, student)
        assert Work.objects.count() == 0, "a refusal leaves nothing behind"

    def test_so_many_a_minute_over_all_assignments(self, settings: Settings) -> None:
        settings.SUBMISSIONS_PER_MINUTE = 2
        course = make_course()
        student = enrol(course)
        for _ in range(2):
            hand_in(make_assignment(course=course), student)
        assignment = make_assignment(course=course)
        with pytest.raises(Refused, match="in 50 seconds"):
            hand_in(assignment, student, now=NOON + timedelta(seconds=10))
        hand_in(assignment, student, now=NOON + timedelta(seconds=60))
        hand_in(assignment, enrol(course), now=NOON)

    def test_what_no_column_holds_is_left_out(self) -> None:
        assignment = make_assignment()
        source = Source("a\0b\ud800\n", ("note\0",))
        token = uuid.uuid4()
        student = enrol(assignment.course)
        submission = hand_in(
            assignment, student, source=source, filename="a\0" + "x" * 300 + ".py", token=token
        )
        submission.refresh_from_db()
        assert (submission.text, submission.notes) == ("ab\n", ["note"])
        assert len(submission.filename) == 200
        assert submission.filename.endswith("x.py")
        again = hand_in(assignment, student, source=source, filename="a\0" + "x" * 300 + ".py", token=token)
        assert again == submission

    def test_the_version_of_the_moment_is_what_counts(self) -> None:
        assignment = make_assignment()
        stale = Assignment.objects.get(pk=assignment.pk)
        Assignment.objects.update(attempts=1)
        make_submission(
            assignment, student := enrol(assignment.course), received_at=NOON - timedelta(hours=1)
        )
        with pytest.raises(Refused):
            hand_in(stale, student)

    @pytest.mark.parametrize("device", Device)
    def test_it_waits_for_workers_that_have_what_the_version_runs_on(self, device: Device) -> None:
        assignment = make_assignment(version=make_assignment_version(device=device))
        with hearing() as heard:
            hand_in(assignment, enrol(assignment.course))
        assert [each.queue for each in heard] == [queue_of_submissions(device)]
        assert Submission.objects.get().queue == queue_of_submissions(device)

    def test_a_version_that_has_just_come_decides_where(self) -> None:
        """The page may have been opened when the assignment ran on something else."""
        assignment = make_assignment()
        stale = Assignment.objects.select_related("version").get(pk=assignment.pk)
        assignment.version = make_assignment_version("causal-mask", device=Device.CUDA)
        assignment.save()
        student = enrol(assignment.course)
        assert hand_in(stale, student).queue == Queue.GPU

    def test_nobody_waits_for_the_files_of_a_version(self) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        with CaptureQueriesContext(connection) as asked:
            hand_in(assignment, student)
        assert not [
            each["sql"] for each in asked if '"files"' in each["sql"] or '"verification"' in each["sql"]
        ]

    def test_what_a_receiver_cannot_take_is_not_submitted(self) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)

        def fail(**_: Any) -> None:
            raise RuntimeError

        submitted.connect(fail)
        try:
            with pytest.raises(RuntimeError):
                hand_in(assignment, student)
        finally:
            submitted.disconnect(fail)
        assert not Submission.objects.exists()

    def test_the_number_of_queries(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        assignment = make_assignment(attempts=3)
        student = enrol(assignment.course)
        with django_assert_num_queries(11):
            hand_in(assignment, student)


@pytest.mark.django_db
class TestDraft:
    def test_the_last_one_wins_and_says_what_it_replaced(self) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        assert save_draft(assignment, student, "one", NOON) is None
        assert save_draft(assignment, student, "two\0", NOON + timedelta(seconds=5)) == NOON
        work = Work.objects.get()
        assert (work.draft, work.drafted_at) == ("two", NOON + timedelta(seconds=5))

    def test_submitting_the_editor_ends_the_draft_and_an_upload_does_not(self) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        save_draft(assignment, student, "draft", NOON)
        hand_in(assignment, student, filename="mine.py")
        assert Work.objects.get().draft == "draft"
        hand_in(assignment, student)
        assert (Work.objects.get().draft, Work.objects.get().drafted_at) == ("", None)

    def test_what_has_been_submitted_is_no_draft(self) -> None:
        """The editor saves once more when its page is left, which may arrive after the submission."""
        assignment = make_assignment()
        student = enrol(assignment.course)
        hand_in(assignment, student)
        save_draft(assignment, student, CODE.text, NOON)
        assert (Work.objects.get().draft, Work.objects.get().drafted_at) == ("", None)


def at_once(number: int, act: Callable[[int], object]) -> list[object]:
    """What came of so many threads that started together: the result or the refusal of each."""
    together = threading.Barrier(number)

    def run(index: int) -> object:
        try:
            connection.ensure_connection()
            together.wait(60)
            return act(index)
        except Refused as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(run, range(number)))


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_fifty_with_one_attempt_left_are_one_more(self) -> None:
        assignment = make_assignment(attempts=3)
        student = enrol(assignment.course)
        for hours in (1, 2):
            make_submission(assignment, student, received_at=NOON - timedelta(hours=hours))
        results = at_once(50, lambda index: hand_in(assignment, student, source=Source(f"x = {index}\n")))
        assert sum(isinstance(result, Submission) for result in results) == 1
        assert all("3 of 3" in result.reason for result in results if isinstance(result, Refused))
        assert sorted(Submission.objects.values_list("number", flat=True)) == [1, 2, 3]

    def test_fifty_clicks_on_one_form_are_one_submission(self) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        token = uuid.uuid4()
        with hearing() as heard:
            results = at_once(50, lambda _: hand_in(assignment, student, token=token))
        assert len(set(results)) == 1
        assert Submission.objects.count() == len(heard) == 1

    def test_so_many_a_minute(self, settings: Settings) -> None:
        settings.SUBMISSIONS_PER_MINUTE = 4
        assignment = make_assignment()
        student = enrol(assignment.course)
        results = at_once(20, lambda _: hand_in(assignment, student))
        assert sum(isinstance(result, Submission) for result in results) == 4
        assert sorted(Submission.objects.values_list("number", flat=True)) == [1, 2, 3, 4]

    def test_students_do_not_wait_for_each_other(self) -> None:
        assignment = make_assignment(attempts=1)
        students = [enrol(assignment.course) for _ in range(10)]
        results = at_once(20, lambda index: hand_in(assignment, students[index // 2]))
        assert sum(isinstance(result, Submission) for result in results) == 10
        assert set(Submission.objects.values_list("student", "number")) == {(each.pk, 1) for each in students}

    def test_who_waits_for_the_lock_is_judged_by_when_it_was_received(self) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        due = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(
            minutes=5
        )  # it has passed by now
        make_schedule(assignment.item, due_at=due, closes_at=due)
        with transaction.atomic():
            work, _ = Work.objects.get_or_create(assignment=assignment, student=student)
        with ThreadPoolExecutor(1) as pool, transaction.atomic():
            Work.objects.select_for_update().get(pk=work.pk)

            def run() -> Submission:
                try:
                    return hand_in(assignment, student, now=due + timedelta(seconds=59.999))
                finally:
                    connection.close()

            waiting = pool.submit(run)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.3)
        assert waiting.result().number == 1
