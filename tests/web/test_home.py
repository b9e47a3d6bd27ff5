"""The first page: calm for who is not signed in, and for everybody else what waits for them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from grader.report import Verdict
from softmark.accounts.models import User
from softmark.courses.models import Course, Role
from softmark.coursework.models import Assignment
from softmark.gradebook.actions import set_released
from softmark.gradebook.models import Event
from softmark.home.demo_people import PASSWORD
from softmark.lessons.actions import settle
from softmark.lessons.models import Revisit
from softmark.submissions.models import Status, Work
from tests.factories import (
    enrol,
    make_admin,
    make_assignment,
    make_course,
    make_enrolment,
    make_extension,
    make_lesson,
    make_lesson_version,
    make_reading,
    make_run,
    make_schedule,
    make_submission,
    make_user,
)
from tests.lessons.small_lesson import small_lesson
from tests.web.test_lesson_page import words

pytestmark = pytest.mark.django_db
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
LESSONS = ("soon", "later", "done", "over", "late", "closed", "undated", "excused")


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def course() -> Course:
    return make_course(slug="attention", title="Attention, from scratch")


@pytest.fixture
def assignment(course: Course, now: datetime) -> Assignment:
    """Due in five days."""
    return make_assignment(course=course, title="Masks", slug="masks", attempts=3, due_at=now + 5 * DAY)


def page(client: Client, user: User | None = None, path: str = "/") -> str:
    if user is not None:
        client.force_login(user)
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_who_is_not_signed_in_is_told_what_this_is(client: Client) -> None:
    text = page(client)
    assert "teaches the attention mechanism" in text
    assert "/accounts/login/" in text
    assert PASSWORD not in text


def test_the_demos_people_stand_there_in_the_demo_only(client: Client, settings: Settings) -> None:
    course = make_course(slug="attention")
    enrol(course, email="ada@demo.example", name="Ada")
    enrol(course, email="real@example.org", name="Somebody real")
    assert "ada@demo.example" not in page(client)
    settings.DEMO = True
    text = page(client)
    assert "ada@demo.example" in text
    assert PASSWORD in text
    assert "real@example.org" not in text


def test_without_the_demo_course_nobody_is_shown(client: Client, settings: Settings) -> None:
    settings.DEMO = True
    assert PASSWORD not in page(client)


def test_who_is_in_no_course_is_told_what_to_do(client: Client) -> None:
    text = page(client, make_user(email="new@example.org"))
    assert "You are in no course yet" in text
    assert "new@example.org" in text
    assert "make a course" not in text
    assert "make a course" in page(client, make_admin())


def test_a_student_sees_what_is_due_next(
    client: Client, course: Course, assignment: Assignment, now: datetime
) -> None:
    student = enrol(course)
    make_assignment(course=course, title="Later", due_at=now + 9 * DAY)
    make_assignment(course=course, title="Never due")
    make_assignment(course=course, title="Secret", due_at=now + DAY, visible=False)
    text = page(client, student)
    assert text.index("Masks") < text.index("Later")
    assert "4 days 23 hours left" in text
    assert "Not begun" in text
    assert "Never due" not in text
    assert "Secret" not in text
    assert "Nothing has come back yet" in text


def test_what_is_all_right_is_not_due_any_more(
    client: Client, course: Course, assignment: Assignment
) -> None:
    student = enrol(course)
    make_run(make_submission(assignment, student))
    text = page(client, student)
    assert "Nothing is due." in text
    assert '10<span class="points-of"> / 10</span></span> points' in text


def test_without_an_attempt_left_nothing_is_due(
    client: Client, course: Course, assignment: Assignment
) -> None:
    student = enrol(course)
    for left in ("3 attempts left", "2 attempts left", "1 attempt left"):
        assert left in page(client, student)
        make_run(make_submission(assignment, student), points=2)
    assert "Nothing is due." in page(client, student)


def test_an_extension_is_what_is_left(client: Client, course: Course, now: datetime) -> None:
    student = enrol(course)
    assignment = make_assignment(course=course, title="Masks", due_at=now - DAY)
    make_extension(assignment.item, student, now + 2 * DAY, reason="a private matter")
    text = page(client, student)
    assert "1 day 23 hours left" in text
    assert "extended for you" in text
    assert "a private matter" not in text


def test_what_is_late_and_still_taken_is_said(client: Client, course: Course, now: datetime) -> None:
    student = enrol(course)
    late = make_assignment(course=course, title="Late one")
    make_schedule(late.item, due_at=now - DAY, closes_at=now + 2 * DAY)
    over = make_assignment(course=course, title="Over and done")
    make_schedule(over.item, due_at=now - 3 * DAY, closes_at=now - 2 * DAY)
    text = page(client, student)
    assert "Late, and still taken" in text
    assert "Late one" in text
    assert "Over and done" not in text


def test_lessons_are_due_among_the_assignments(
    client: Client, course: Course, assignment: Assignment, now: datetime
) -> None:
    student = enrol(course)
    texts = {each: make_lesson_version(small_lesson(id=each, title=f"Lesson {each}")) for each in LESSONS}
    lessons = {each: make_lesson(course, version=version) for each, version in texts.items()}
    for each, days in {"soon": 2, "later": 9, "done": 1, "over": 3, "excused": 4}.items():
        make_schedule(lessons[each].item, due_at=now + days * DAY)
    make_schedule(lessons["late"].item, due_at=now - DAY, closes_at=now + DAY)
    make_schedule(lessons["closed"].item, due_at=now - DAY, closes_at=now - DAY)
    make_extension(lessons["soon"].item, student, now + 3 * DAY)
    make_reading(lessons["later"], student)
    make_reading(lessons["done"], student, finished_at=now)
    make_reading(lessons["over"], student, started_at=now - DAY, minutes=10)
    Event.objects.create(
        course=course, item=lessons["excused"].item, student=student, kind="excuse", reason="Ill."
    )
    for path in ("/", "/courses/attention/"):
        text = page(client, student, path)
        due = text[text.index('id="next-due"') : text.index("came-back" if path == "/" else 'id="lessons"')]
        found = [due.index(each) for each in ("Lesson late", "Lesson soon", "Masks", "Lesson later")]
        assert found == sorted(found)
        assert "You have not begun it." in due
        assert "2 days 23 hours left" in due
        assert "extended for you" in due
        assert "0 predictions made" in due
        assert "/courses/attention/lessons/soon/" in due
        for each in ("done", "over", "closed", "undated", "excused"):
            assert f"Lesson {each}" not in due


def test_whose_time_ran_out_has_not_read_it(client: Client, course: Course, now: datetime) -> None:
    reading = make_reading(make_lesson(course), enrol(course), started_at=now - HOUR, minutes=10)
    settle(reading, now)
    standing = words(page(client, reading.learner, "/courses/attention/"))
    assert "Time ran out" in standing
    assert "Read to its end" not in standing
    assert "1 of 1 0 of 1" in words(page(client, enrol(course, role=Role.TA), "/courses/attention/"))


def test_what_was_missed_is_said_when_it_is_back(client: Client, course: Course, now: datetime) -> None:
    reading = make_reading(make_lesson(course), enrol(course))
    for path in ("/", "/courses/attention/"):
        assert "Predictions to revisit" not in page(client, reading.learner, path)
    Revisit.objects.create(reading=reading, question="how-many", card={}, due_at=now)
    Revisit.objects.create(reading=reading, question="which-one", card={}, due_at=now + DAY)
    for path in ("/", "/courses/attention/"):
        text = page(client, reading.learner, path)
        assert "Predictions to revisit: 1" in text
        assert "/courses/attention/revisits/" in text


def test_a_draft_is_remembered(client: Client, course: Course, assignment: Assignment) -> None:
    student = enrol(course)
    Work.objects.create(assignment=assignment, student=student, draft="def attention")
    assert "Begun: there is a draft" in page(client, student)


def test_what_came_back_the_newest_first(
    client: Client, course: Course, assignment: Assignment, now: datetime
) -> None:
    student = enrol(course)
    for number in range(1, 8):
        run = make_run(
            make_submission(assignment, student, number=number),
            points=number,
            finished_at=now + timedelta(minutes=number),
        )
    text = page(client, student)
    assert text.index("attempt 7") < text.index("attempt 6") < text.index("attempt 3")
    assert "attempt 2" not in text
    assert f"/courses/attention/submissions/{run.submission_id}/" in text


def test_what_late_costs_is_taken_off(client: Client, course: Course, now: datetime) -> None:
    student = enrol(course)
    assignment = make_assignment(course=course, due_at=now - timedelta(hours=5))
    make_run(make_submission(assignment, student, received_at=now - timedelta(hours=1)))
    text = page(client, student)
    assert '9<span class="points-of"> / 10</span></span> points' in text
    assert "Late</span>" in text


def test_what_is_not_released_shows_no_points(client: Client, course: Course) -> None:
    student = enrol(course)
    assignment = make_assignment(course=course, released=False)
    make_run(make_submission(assignment, student), points=7)
    for path in ("/", "/courses/attention/"):
        for released in (False, True, False):
            set_released(assignment.item, released, enrol(course, role=Role.INSTRUCTOR))
            text = page(client, student, path)
            assert ("ot released yet" in text) != released
            assert ("7<span" in text) == released


def test_a_fault_is_nobodys_doing(client: Client, course: Course, assignment: Assignment) -> None:
    student = enrol(course)
    make_run(make_submission(assignment, student, returned=True), points=0, failed=Verdict.ASSIGNMENT_FAULT)
    assert "Not your fault" in page(client, student)


def test_nobody_sees_what_came_back_to_somebody_else(
    client: Client, course: Course, assignment: Assignment
) -> None:
    make_run(make_submission(assignment, enrol(course)))
    assert "Nothing has come back yet" in page(client, enrol(course))


def test_staff_see_what_waits_for_them(client: Client, course: Course, assignment: Assignment) -> None:
    held = make_submission(assignment, enrol(course, name="Hana"), status=Status.HELD, deaths=3)
    decided = make_submission(
        assignment, enrol(course, name="Otto"), status=Status.HELD, deaths=3, returned=True
    )
    broken = make_submission(assignment, enrol(course, name="Fritz"), returned=True)
    make_run(broken, points=0, failed=Verdict.ASSIGNMENT_FAULT)
    for role in (Role.TA, Role.INSTRUCTOR):
        text = page(client, enrol(course, role=role))
        assert f"/submissions/{held.pk}/" in text
        assert "Hana" in text
        assert f"/submissions/{decided.pk}/" not in text
        assert f"/submissions/{broken.pk}/" in text
        assert "Checks that broke" in text


def test_staff_see_when_nothing_waits(client: Client, course: Course) -> None:
    assert "Nothing waits for you" in page(client, enrol(course, role=Role.TA))


def test_an_instructor_sees_the_week(
    client: Client, course: Course, assignment: Assignment, now: datetime
) -> None:
    stuck, other = enrol(course, name="Ben"), enrol(course)
    for _ in range(3):
        make_run(make_submission(assignment, stuck), points=2, mistakes=["scale-missing"])
    make_run(make_submission(assignment, other), points=3, mistakes=["scale-missing", "softmax-twice"])
    make_run(make_submission(assignment, other, received_at=now - 8 * DAY), points=3, mistakes=["uniform"])
    text = page(client, enrol(course, role=Role.INSTRUCTOR))
    assert text.index("scale-missing") < text.index("softmax-twice")
    assert "2 students" in text
    assert "uniform" not in text
    assert "Ben</a>" in text
    assert "3 attempts, best 20 %" in text


def test_who_got_there_is_not_stuck(client: Client, course: Course, assignment: Assignment) -> None:
    student = enrol(course, name="Ben")
    for points in (2, 5, 10):
        make_run(make_submission(assignment, student), points=points)
    gone = make_enrolment(course, active=False, name="Left").user
    for points in (2, 5, 6):
        make_run(make_submission(assignment, gone), points=points)
    text = page(client, enrol(course, role=Role.INSTRUCTOR))
    assert "Ben</a>" not in text
    assert "Left</a>" not in text
    assert "Nobody who tried three times" in text


def test_all_courses_and_all_roles_stand_side_by_side(client: Client, course: Course, now: datetime) -> None:
    person = enrol(course)
    make_assignment(course=course, title="To do", due_at=now + DAY)
    other = make_course(slug="other", title="Another course")
    make_submission(make_assignment(course=other), enrol(other), status=Status.HELD)
    enrol(other, person, Role.TA)
    left = make_course(title="Left long ago")
    make_enrolment(left, person, active=False)
    text = page(client, person)
    assert "To do" in text
    assert "Held for staff" in text
    assert "Another course" in text
    assert "Left long ago" not in text


@pytest.mark.parametrize(("role", "queries"), [(Role.STUDENT, 19), (Role.TA, 8), (Role.INSTRUCTOR, 13)])
def test_the_number_of_queries(
    client: Client, course: Course, role: Role, queries: int, now: datetime,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:  # fmt: skip
    """The same for a course with much in it."""
    person = enrol(course, role=role)
    students = [person] if role is Role.STUDENT else [enrol(course) for _ in range(4)]
    for number in range(4):
        text = small_lesson(id=f"lesson-{number}", title=f"Lesson {number}")
        lesson = make_lesson(course, version=make_lesson_version(text), due_at=now + (number - 1) * DAY)
        for student in students:
            reading = make_reading(lesson, student)
            Revisit.objects.create(reading=reading, question="how-many", card={}, due_at=now)
        assignment = make_assignment(course=course, due_at=now + (number - 1) * DAY)
        for student in students:
            for _ in range(3):
                make_run(make_submission(assignment, student), points=number, mistakes=["uniform"])
            make_submission(assignment, student, status=Status.HELD)
    client.force_login(person)
    with django_assert_num_queries(queries):
        client.get("/")
