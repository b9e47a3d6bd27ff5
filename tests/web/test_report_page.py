"""The report page, its live progress, and what staff decide about a held submission."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape, strip_tags
from pytest_django import DjangoAssertNumQueries

from grader.report import CheckResult, Verdict, Visibility
from softmark.accounts.models import User
from softmark.courses.models import Course, Role
from softmark.coursework.models import Assignment
from softmark.coursework.routing import Queue
from softmark.gradebook.actions import set_released
from softmark.grading import actions, queries, workers
from softmark.grading.models import Run, Worker
from softmark.grading.progress import Ticker
from softmark.submissions.models import Status, Submission
from softmark.submissions.signals import requeued
from tests.factories import (
    enrol,
    folder_of,
    make_admin,
    make_assignment,
    make_assignment_version,
    make_course,
    make_extension,
    make_report,
    make_run,
    make_schedule,
    make_submission,
)

pytestmark = pytest.mark.django_db

FOLDER = folder_of("scaled-dot-product")
HIDDEN = [spec for spec in FOLDER.checks if spec.visibility is not Visibility.PUBLIC]
HTMX = {"HX-Request": "true"}


@pytest.fixture
def course() -> Course:
    return make_course(title="Attention, autumn", time_zone="Europe/Zurich")


@pytest.fixture
def student(course: Course) -> User:
    return enrol(course, name="Ada Lovelace")


@pytest.fixture
def tutor(course: Course) -> User:
    return enrol(course, role=Role.TA, name="Tom Tutor")


@pytest.fixture
def assignment(course: Course) -> Assignment:
    return make_assignment(course=course, title="Dot products", attempts=3)


@pytest.fixture
def submission(assignment: Assignment, student: User) -> Submission:
    return make_submission(assignment, student, text="def attention(q, k, v):\n    return v\n")


def url(submission: Submission, name: str = "report") -> str:
    return reverse(f"grading:{name}", args=[submission.assignment.course.slug, submission.pk])


def shown(client: Client, submission: Submission, user: User | None = None, name: str = "report") -> str:
    if user is not None:
        client.force_login(user)
    response = client.get(url(submission, name), headers=HTMX if name == "progress" else {})
    assert response.status_code == 200
    return response.content.decode()


def words(html: str) -> str:
    """The text without its marks, each stretch of spaces as one."""
    return " ".join(strip_tags(html).replace("&#x27;", "'").replace("\xa0", " ").split())


# -- who may see it


@pytest.mark.parametrize("name", ["report", "progress", "code"])
def test_a_fellow_student_finds_nothing(
    client: Client, course: Course, submission: Submission, name: str
) -> None:
    client.force_login(enrol(course))
    response = client.get(url(submission, name), headers=HTMX)
    assert response.status_code == 404
    for told in ("Ada", "Lovelace", "Dot products", "attention(q"):
        assert told not in response.content.decode()


@pytest.mark.parametrize("name", ["report", "progress", "code"])
def test_another_course_s_people_find_nothing(client: Client, submission: Submission, name: str) -> None:
    client.force_login(enrol(make_course(), role=Role.INSTRUCTOR))
    assert client.get(url(submission, name), headers=HTMX).status_code == 404


@pytest.mark.parametrize("name", ["report", "progress", "code"])
def test_a_submission_is_found_in_its_own_course_only(
    client: Client, submission: Submission, name: str
) -> None:
    other = make_course()
    client.force_login(enrol(other, role=Role.INSTRUCTOR))
    assert client.get(reverse(f"grading:{name}", args=[other.slug, submission.pk])).status_code == 404


def test_nobody_signed_in_is_asked_to_sign_in(client: Client, submission: Submission) -> None:
    response = client.get(url(submission))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("account_login"))


def test_a_part_of_the_page_does_not_become_a_sign_in_form(client: Client, submission: Submission) -> None:
    response = client.get(url(submission, "progress"), headers=HTMX)
    assert (response.status_code, response.content) == (200, b"")
    assert response["HX-Refresh"] == "true"


def test_the_fragment_by_itself_leads_to_the_page(
    client: Client, submission: Submission, student: User
) -> None:
    client.force_login(student)
    response = client.get(url(submission, "progress"))
    assert (response.status_code, response["Location"]) == (302, url(submission))


def test_staff_of_the_course_see_whose_it_is(client: Client, submission: Submission, tutor: User) -> None:
    make_run(submission)
    assert "Attempt 1 of Ada Lovelace" in words(shown(client, submission, tutor))


def test_pages_are_not_kept(client: Client, course: Course, submission: Submission, student: User) -> None:
    """Back, after signing out, shows nothing of them."""
    client.force_login(student)
    places = [
        url(submission),
        url(submission, "code"),
        reverse("home"),
        reverse("courses:course", args=[course.slug]),
    ]
    for place in places:
        assert "no-store" in client.get(place)["Cache-Control"]
    client.force_login(enrol(course, role=Role.TA))
    assert "no-store" in client.get(reverse("courses:people", args=[course.slug]))["Cache-Control"]


# -- while it waits


def worker_is_there() -> None:
    workers.announce("here:1:1", Queue.CPU, 2, "")


def test_waiting_shows_the_place_in_the_queue(
    client: Client, assignment: Assignment, submission: Submission, student: User, course: Course
) -> None:
    worker_is_there()
    assert "Next in the queue." in shown(client, submission, student)
    earlier = submission.received_at - timedelta(minutes=5)
    for _ in range(3):
        make_submission(assignment, enrol(course), received_at=earlier)
    page = words(shown(client, submission))
    assert "3 ahead of you in the queue." in page
    assert "has been waiting for" in page


def test_without_a_worker_it_says_that_nothing_is_lost(
    client: Client, assignment: Assignment, student: User
) -> None:
    received = datetime(2026, 11, 2, 13, 3, 11, tzinfo=UTC)
    submission = make_submission(assignment, student, received_at=received)
    page = words(shown(client, submission, student))
    assert "No grader is at work at the moment" in page
    assert (
        "Your submission is safe: it has been received at 14:03:11, which is the time that counts, and it will be "
        "graded as soon as one is back. It has been waiting for " in page
    )
    assert 'hx-trigger="load delay:5.0s' in shown(client, submission, name="progress")


@pytest.mark.parametrize("there", [None, Queue.CPU])
def test_without_a_worker_with_a_gpu_it_says_so(
    client: Client, course: Course, student: User, tutor: User, there: Queue | None
) -> None:
    """Whoever else is at work."""
    if there is not None:
        workers.announce("here:1:1", there, 2, "")
    workers.announce("here:1:1", Queue.GPU, None, "There is no GPU here.")
    on_gpu = make_assignment(course=course, version=make_assignment_version(device="cuda"))
    submission = make_submission(on_gpu, student, received_at=datetime(2026, 11, 2, 13, 3, 11, tzinfo=UTC))
    page = words(shown(client, submission, student))
    assert "No GPU worker is connected." in page
    assert (
        "Your submission is safe: it has been received at 14:03:11, which is the time that counts. It stays in the "
        "queue and is graded as soon as one is. It has been waiting for " in page
    )
    assert "grader" not in page
    page = words(shown(client, submission, tutor))
    assert "No GPU worker has been heard of yet. Whoever runs this site has to start one." in page
    workers.announce("there:1:1", Queue.GPU, 2, "")
    assert "Next in the queue." in shown(client, submission, student)
    Worker.objects.update(seen_at=datetime(2026, 11, 1, 12, 30, tzinfo=UTC))
    page = words(shown(client, submission, tutor))
    assert re.search(r"A worker with a GPU was last heard of on .*13:30.*\. Whoever runs this site", page)


def test_of_the_other_workers_nothing_is_said_of_a_gpu(
    client: Client, submission: Submission, student: User, tutor: User
) -> None:
    workers.announce("here:1:1", Queue.GPU, 2, "")
    for reader in (student, tutor):
        page = words(shown(client, submission, reader))
        assert "No grader is at work at the moment." in page
        assert "GPU" not in page


def test_the_page_asks_again_later_and_later(client: Client, assignment: Assignment, student: User) -> None:
    worker_is_there()
    fresh = make_submission(assignment, student, received_at=timezone.now())
    old = make_submission(assignment, student, received_at=timezone.now() - timedelta(minutes=10))
    assert 'hx-trigger="load delay:0.3s, every 15s"' in shown(client, fresh, student)
    assert 'hx-trigger="load delay:5.0s, every 15s"' in shown(client, old)
    assert f'hx-get="{url(fresh, "progress")}"' in shown(client, fresh, name="progress")


def test_without_javascript_the_page_loads_itself_anew_until_it_is_settled(
    client: Client, submission: Submission, student: User
) -> None:
    refresh = '<noscript><meta http-equiv="refresh" content="3"></noscript>'
    page = shown(client, submission, student)
    assert refresh in page[: page.index("</head>")]
    make_run(submission)
    assert refresh not in shown(client, submission)


def test_changes_are_read_aloud_and_nothing_takes_the_focus(
    client: Client, submission: Submission, student: User
) -> None:
    page = shown(client, submission, student)
    assert '<div id="standing" class="row" role="status">' in page
    assert "autofocus" not in page + shown(client, submission, name="progress")


# -- while it runs


def running(assignment: Assignment, student: User) -> Submission:
    return make_submission(assignment, student, status=Status.RUNNING)


def tell(submission: Submission, *, of: int, failed: int = 0) -> None:
    """The first checks are done, the last of them without success."""
    ticker = Ticker(submission.pk, submission.claim_no)
    for number, spec in enumerate(FOLDER.checks[:of]):
        verdict = Verdict.PASSED if number < of - failed else Verdict.WRONG_SHAPE
        ticker.tell(
            CheckResult(spec.id, spec.title, verdict, spec.points, spec.points, spec.visibility, "told so")
        )


def test_checks_are_ticked_off_one_by_one(client: Client, assignment: Assignment, student: User) -> None:
    submission = running(assignment, student)
    page = shown(client, submission, student)
    assert "0 of 10 checks done." in page
    assert (words(page).count("Running"), words(page).count("Queued")) == (
        1,
        4,
    )  # 3 to be seen, and the hidden
    tell(submission, of=2, failed=1)
    fragment = words(shown(client, submission, name="progress"))
    assert "2 of 10 checks done." in fragment
    assert f"Passed{FOLDER.checks[0].title}" in fragment
    assert f"Wrong shape{FOLDER.checks[1].title}" in fragment
    assert f"Running{FOLDER.checks[2].title}" in fragment
    assert f"Queued{FOLDER.checks[3].title}" in fragment


def test_of_hidden_checks_only_how_many_are_done(
    client: Client, assignment: Assignment, student: User
) -> None:
    submission = running(assignment, student)
    tell(submission, of=7, failed=2)
    html = shown(client, submission, student, name="progress")
    assert "6 hidden checks3 of 6 done" in words(html)
    assert "Wrong shape" not in html
    for spec in HIDDEN:
        assert spec.id not in html
        assert escape(spec.title) not in html


def test_staff_see_all_checks_come_in(
    client: Client, assignment: Assignment, student: User, tutor: User
) -> None:
    submission = running(assignment, student)
    tell(submission, of=7, failed=2)
    html = shown(client, submission, tutor, name="progress")
    assert all(escape(spec.title) in html for spec in FOLDER.checks)
    assert html.count("Wrong shape") == 2


def test_a_cache_that_is_away_costs_only_the_ticks(
    client: Client, assignment: Assignment, student: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis

    from softmark.grading import progress

    monkeypatch.setattr(progress, "_store", lambda: redis.Redis(port=1, socket_connect_timeout=0.1))
    page = shown(client, running(assignment, student), student)
    assert "0 of 10 checks done." in page


def test_a_version_that_cannot_be_read_is_graded_without_a_list(
    client: Client, course: Course, student: User
) -> None:
    old = make_assignment_version(digest="0" * 64, files={"assignment.toml": "of another age"})
    assignment = make_assignment(course=course, version=old)
    submission = make_submission(assignment, student, status=Status.RUNNING, text="")
    assert "The checks are running." in shown(client, submission, student)


def test_the_fragment_brings_the_report_and_then_rests(
    client: Client, submission: Submission, student: User
) -> None:
    make_run(submission, points=7)
    html = shown(client, submission, student, name="progress")
    assert "hx-get" not in html
    assert "7 of 10 points." in html
    assert 'id="points-title"' in html
    assert "hx-get" not in shown(client, submission)


# -- the report


def test_a_full_score(client: Client, submission: Submission, student: User) -> None:
    make_run(submission)
    page = words(shown(client, submission, student))
    assert "10 of 10 points." in page
    assert "All 4 checks that you can see passed, and so did the hidden ones." in page
    assert "Checks: 1 + 1 + 1 + 1 + 6 = 10 / 10 (the last: 6 hidden together)" in page
    assert "Nothing is left to do here." in page


def test_a_failure_is_open_and_the_others_folded(
    client: Client, submission: Submission, student: User
) -> None:
    make_run(submission, points=2)
    page = shown(client, submission, student)
    assert page.count("<details open>") == 1
    assert "2 of 4 checks that you can see passed." in page
    assert "The result differs from what is right in 3 of 12 elements." in page


def test_a_hint_comes_before_the_checks(client: Client, submission: Submission, student: User) -> None:
    make_run(submission, points=2, mistakes=["scale-by-d"])
    page = shown(client, submission, student)
    hint = escape(next(mistake.hint for mistake in FOLDER.mistakes if mistake.id == "scale-by-d"))
    assert "You may have made this mistake" in words(page)
    assert page.index(hint) < page.index('id="checks-title"')
    assert "scale-by-d" not in page


def with_hidden_marks(submission: Submission) -> dict[str, Any]:
    """A report whose hidden checks each have something that is found nowhere else."""
    report = make_report(submission.version, points=4, failed=Verdict.NOT_FINITE)
    for number, row in enumerate(report["checks"]):
        if row["visibility"] != "public":
            row |= {
                "id": f"hush-{number}", "title": f"Hush {number}", "message": f"whisper {number}",
                "output": f"murmur {number}", "mistake": "scale-missing",
            }  # fmt: skip
    report["checks"][-1]["visibility"] = "never"
    report["provenance"] |= {"fault": "the judge's own words", "seed": 424242, "rung": 2}
    return report


SECRETS = (
    "hush-",
    "Hush ",
    "whisper",
    "murmur",
    "Not finite",
    "not finite",
    "scale-missing",
    "judge",
    "424242",
)


def test_hidden_checks_are_not_in_a_student_s_page(
    client: Client, submission: Submission, student: User
) -> None:
    make_schedule(submission.assignment.item, due_at=timezone.now() + timedelta(days=1))
    make_run(submission, report=with_hidden_marks(submission))
    for html in (shown(client, submission, student), shown(client, submission, name="progress")):
        for secret in SECRETS:
            assert secret not in html
        assert "6 hidden checks shown after the deadline0 / 6" in words(html)


def test_after_the_deadline_some_of_them_are(client: Client, submission: Submission, student: User) -> None:
    make_schedule(submission.assignment.item, due_at=timezone.now() - timedelta(days=1))
    make_run(submission, report=with_hidden_marks(submission))
    page = shown(client, submission, student)
    assert "Hush 4" in page
    assert "whisper 8" in page
    assert "Hush 9" not in page
    assert "1 hidden check0 / 1" in words(page)
    assert "424242" not in page
    assert "judge" not in page


def test_it_is_the_student_s_own_deadline_that_has_to_pass(
    client: Client, submission: Submission, student: User
) -> None:
    make_schedule(submission.assignment.item, due_at=timezone.now() - timedelta(days=1))
    make_extension(submission.assignment.item, student, timezone.now() + timedelta(days=1))
    make_run(submission, report=with_hidden_marks(submission))
    page = shown(client, submission, student)
    assert "Hush" not in page
    assert "extended" in page


def test_staff_see_everything(client: Client, submission: Submission, tutor: User) -> None:
    make_run(submission, report=with_hidden_marks(submission), worker="bench:1:1")
    page = shown(client, submission, tutor)
    for told in (
        "Hush 4",
        "Hush 9",
        "whisper 9",
        "the judge&#x27;s own words",
        "424242",
        "bench:1:1",
        "always hidden",
    ):
        assert told in page
    assert "Rung of the sandbox" in page


def test_what_is_flagged_is_for_staff_alone(
    client: Client, submission: Submission, student: User, tutor: User
) -> None:
    flagged = make_report(submission.version)
    for check in flagged["checks"]:
        check["flag"] = "Look at this."
    make_run(submission, report=flagged)
    assert "Look at this." not in shown(client, submission, student)
    page = shown(client, submission, tutor)
    assert page.count("Look at this.") == page.count("To look at") == len(flagged["checks"])


def test_staff_see_every_run(client: Client, submission: Submission, tutor: User, student: User) -> None:
    make_run(submission, points=3, worker="first:1:1")
    make_run(submission, points=8, worker="second:1:1")
    page = shown(client, submission, tutor)
    assert "first:1:1" in page
    assert "second:1:1" in page
    assert "8 of 10 points." in page
    assert "first:1:1" not in shown(client, submission, student)


def test_late_and_what_it_costs(client: Client, assignment: Assignment, student: User) -> None:
    due = datetime(2026, 11, 2, 22, 0, tzinfo=UTC)
    make_schedule(assignment.item, due_at=due, percent_per_day=10)
    submission = make_submission(assignment, student, received_at=due + timedelta(hours=2))
    make_run(submission, points=9)
    page = words(shown(client, submission, student))
    assert "Tue 3 Nov 2026, 01:00 CET, 2 hours late" in page
    assert "10 % of the points" in page
    assert "Late by 2 hours, −10 %: 9 → 8.1 / 10" in page


def test_within_the_grace_nothing_is_lost(client: Client, assignment: Assignment, student: User) -> None:
    due = datetime(2026, 11, 2, 22, 0, tzinfo=UTC)
    make_schedule(assignment.item, due_at=due, grace_minutes=15)
    submission = make_submission(assignment, student, received_at=due + timedelta(minutes=5))
    make_run(submission, points=9)
    page = words(shown(client, submission, student))
    assert "Nothing: it is within the 15 minutes of grace" in page
    assert "→" not in page


def test_on_time(client: Client, assignment: Assignment, student: User) -> None:
    make_schedule(assignment.item, due_at=timezone.now() + timedelta(days=1))
    assert ", on time" in words(shown(client, make_submission(assignment, student), student))


def test_points_on_the_item_s_own_scale(client: Client, course: Course, student: User) -> None:
    submission = make_submission(make_assignment(course=course, points=Decimal(25)), student)
    make_run(submission, points=9)
    page = words(shown(client, submission, student))
    assert "This assignment counts 25 in the gradebook: 22.5 / 25" in page


def test_a_sum_below_never_looks_like_full_marks(
    client: Client, submission: Submission, student: User
) -> None:
    report = make_report(submission.version)
    report["checks"][0]["points"], report["points"] = 0.999, 9.999
    make_run(submission, report=report)
    page = words(shown(client, submission, student))
    assert "9.99 / 10" in page
    assert "10 / 10" not in page
    assert "9.99 of 10 points." in page


def test_before_the_release_the_checks_speak_and_points_do_not(
    client: Client, course: Course, student: User, tutor: User
) -> None:
    """Staff hide the grades and release them: the report follows, both times."""
    assignment = make_assignment(course=course, points=Decimal(25))
    due = timezone.now() - timedelta(days=1)
    make_schedule(assignment.item, due_at=due)
    submission = make_submission(assignment, student, received_at=due + timedelta(hours=1))
    make_run(submission, points=9, mistakes=["scale-missing"])
    numbers = ("9 / 10", "9 of 10 points", "8.1 / 10", "20.25 / 25", "→", 'class="points"')
    assert_in_page(shown(client, submission, student), numbers)
    set_released(assignment.item, False, tutor)
    for name in ("report", "progress"):
        page = shown(client, submission, student, name)
        assert not [number for number in numbers if number in page or number in words(page)]
        assert_in_page(page, ("not released yet", "Wrong answer", "may have made this mistake"))
    page = shown(client, submission, tutor)
    assert_in_page(page, (*numbers, "Only the course staff see points here"))
    set_released(assignment.item, True, tutor)
    page = shown(client, submission, student)
    assert_in_page(page, numbers)
    assert "not released" not in words(page)


def assert_in_page(page: str, texts: tuple[str, ...]) -> None:
    assert [text for text in texts if text not in page and text not in words(page)] == []


@pytest.mark.parametrize("name", ["report", "progress", "code"])
def test_of_a_hidden_assignment_students_find_nothing(
    client: Client, assignment: Assignment, submission: Submission, student: User, tutor: User, name: str
) -> None:
    assignment.item.visible = False
    assignment.item.save()
    for user, status in ((student, 404), (tutor, 200)):
        client.force_login(user)
        assert client.get(url(submission, name), headers=HTMX).status_code == status


def test_output_is_shown_as_it_is_and_never_as_markup(
    client: Client, submission: Submission, student: User
) -> None:
    report = make_report(submission.version, points=0)
    report["checks"][0] |= {"output": "<script>alert(1)</script>", "message": "<b>bold</b> & more"}
    make_run(submission, report=report)
    page = shown(client, submission, student)
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; more" in page


def test_code_is_shown_with_line_numbers_and_never_as_markup(
    client: Client, assignment: Assignment, student: User
) -> None:
    submission = make_submission(
        assignment, student, text='x = "</pre><script>alert(1)</script>"\n', notes=["A cell was left out."]
    )
    make_run(submission)
    page = shown(client, submission, student)
    assert "<script>alert(1)" not in page
    assert 'id="L1"' in page
    assert "A cell was left out." in page


def test_ten_megabytes_of_output_are_cut(client: Client, submission: Submission, student: User) -> None:
    report = make_report(submission.version, points=0)
    report["checks"][0]["output"] = "<>" * 5_000_000
    make_run(submission, report=report)
    page = shown(client, submission, student)
    assert len(page) < 300_000
    assert "9980000 more characters are not shown." in page


def test_a_megabyte_of_code_is_cut_and_can_be_downloaded(
    client: Client, assignment: Assignment, student: User
) -> None:
    text = "x = 1\n" * 160_000
    submission = make_submission(assignment, student, text=text)
    make_run(submission)
    assert "the download has all of it" in shown(client, submission, student)
    response = client.get(url(submission, "code"))
    assert response.content.decode() == text
    assert response["Content-Disposition"].startswith("attachment")
    assert response["Content-Type"] == "text/plain; charset=utf-8"


def test_the_line_that_failed_is_marked(client: Client, submission: Submission, student: User) -> None:
    report = make_report(submission.version, points=0, failed=Verdict.EXCEPTION)
    report["checks"][0]["message"] = "Your code failed: ValueError at line 2.\n    return v"
    make_run(submission, report=report)
    assert 'class="line is-marked" id="L2"' in shown(client, submission, student)


@pytest.mark.parametrize("verdict", [each for each in Verdict if each is not Verdict.PASSED])
def test_every_verdict_has_its_page(
    client: Client, submission: Submission, student: User, tutor: User, verdict: Verdict
) -> None:
    make_run(submission, points=1, failed=verdict)
    for reader in (student, tutor):
        page = shown(client, submission, reader)
        if reader is tutor or not verdict.is_fault:
            assert str(verdict).capitalize() in page


@pytest.mark.parametrize("stored", [{}, [], {"checks": [{"title": "Odd"}, 7]}, {"checks": "none"}, "text"])
def test_a_broken_report_still_has_a_page(
    client: Client, submission: Submission, student: User, tutor: User, stored: Any
) -> None:
    run = make_run(submission, points=7)
    Run.objects.filter(pk=run.pk).update(report=stored)
    for reader in (student, tutor):
        page = shown(client, submission, reader)
        assert "A part of this report cannot be read" in page
        assert "7 / 10" in words(page)


def test_a_graded_submission_without_a_run_says_so(
    client: Client, assignment: Assignment, student: User
) -> None:
    submission = make_submission(assignment, student, status=Status.GRADED)
    assert "There is no report" in shown(client, submission, student)


@pytest.mark.parametrize(
    ("attempts", "words_"), [(0, "as often as you like"), (3, "2 attempts left"), (1, "no attempts left")]
)
def test_what_next(client: Client, course: Course, student: User, attempts: int, words_: str) -> None:
    submission = make_submission(make_assignment(course=course, attempts=attempts), student)
    make_run(submission, points=1)
    assert words_ in shown(client, submission, student)


def test_nothing_more_where_it_is_closed(client: Client, assignment: Assignment, student: User) -> None:
    past = timezone.now() - timedelta(days=2)
    make_schedule(assignment.item, due_at=past, closes_at=past)
    submission = make_submission(assignment, student, received_at=past - timedelta(hours=1))
    make_run(submission, points=1)
    assert "nothing more can be handed in" in shown(client, submission, student)


# -- faults that are not the student's


def test_a_fault_of_the_assignment(
    client: Client, submission: Submission, student: User, tutor: User
) -> None:
    report = make_report(submission.version, points=4, failed=Verdict.ASSIGNMENT_FAULT)
    report["provenance"]["fault"] = "NameError in hidden.py"
    submission.returned = True
    make_run(submission, report=report)
    page = words(shown(client, submission, student))
    assert "That is not your doing, and it costs you nothing: the attempt is given back to you." in page
    assert "The course staff have been told." in page
    assert "You have 3 attempts left" in page
    assert "hidden.py" not in page
    assert "points-title" not in page
    for_staff = shown(client, submission, tutor)
    assert "NameError in hidden.py" in for_staff
    assert "The attempt is given back." in for_staff


@pytest.fixture
def held(assignment: Assignment, student: User) -> Submission:
    return make_submission(assignment, student, status=Status.HELD, deaths=3)


def test_held_tells_the_student_to_wait(client: Client, held: Submission, student: User) -> None:
    page = shown(client, held, student)
    assert "It waits for the course staff" in page
    assert "Grade it again" not in page
    assert "hx-get" not in page


def test_staff_may_have_it_graded_again(
    client: Client, held: Submission, tutor: User, heard: list[Submission]
) -> None:
    page = shown(client, held, tutor)
    assert "Grade it again" in page
    assert "Give the attempt back" in page
    response = client.post(url(held, "regrade"), follow=True)
    assert "It is in the queue again." in response.content.decode()
    held.refresh_from_db()
    assert (held.status, held.deaths, held.returned, held.finished_at) == (Status.WAITING, 0, False, None)
    assert heard == [held]
    assert LogEntry.objects.get().user == tutor


def test_staff_may_give_the_attempt_back(
    client: Client, held: Submission, tutor: User, student: User, heard: list[Submission]
) -> None:
    client.force_login(tutor)
    assert "The attempt is given back" in client.post(url(held, "give_back"), follow=True).content.decode()
    held.refresh_from_db()
    assert (held.status, held.returned) == (Status.HELD, True)
    assert heard == []
    assert LogEntry.objects.get().user == tutor
    page = shown(client, held, student)
    assert "The attempt was given back" in page
    assert "You have 3 attempts left" in page


@pytest.fixture
def heard() -> Any:
    """The submissions that were put back into their queue."""
    found: list[Submission] = []

    def hear(submission: Submission, **kwargs: Any) -> None:
        found.append(submission)

    requeued.connect(hear)
    yield found
    requeued.disconnect(hear)


@pytest.mark.parametrize("name", ["regrade", "give_back"])
def test_students_decide_nothing(client: Client, held: Submission, student: User, name: str) -> None:
    client.force_login(student)
    assert client.post(url(held, name)).status_code == 403
    client.force_login(enrol(held.assignment.course))
    assert client.post(url(held, name)).status_code == 404
    held.refresh_from_db()
    assert (held.status, held.returned) == (Status.HELD, False)


@pytest.mark.parametrize("name", ["regrade", "give_back"])
def test_decisions_are_posted(client: Client, held: Submission, tutor: User, name: str) -> None:
    signed_out = client.post(url(held, name))
    assert signed_out.status_code == 401
    assert f"?next={url(held)}" in signed_out.content.decode()
    client.force_login(tutor)
    assert client.get(url(held, name))["Location"] == url(held)
    held.refresh_from_db()
    assert held.status == Status.HELD


@pytest.mark.parametrize("action", [actions.regrade_held, actions.return_attempt])
@pytest.mark.parametrize("state", [Status.WAITING, Status.RUNNING, Status.GRADED, Status.FAULT])
def test_only_what_is_held_is_decided(
    assignment: Assignment, student: User, tutor: User, action: Callable[..., None], state: Status
) -> None:
    submission = make_submission(assignment, student, status=state)
    with pytest.raises(actions.NotHeld):
        action(submission, by=tutor)
    assert not LogEntry.objects.exists()


def test_it_is_decided_once(client: Client, held: Submission, tutor: User) -> None:
    actions.return_attempt(held, by=tutor)
    client.force_login(tutor)
    page = client.post(url(held, "regrade"), follow=True).content.decode()
    assert "Somebody has decided about this submission already." in page
    held.refresh_from_db()
    assert held.status == Status.HELD


# -- how much it asks of the database


def test_a_page_takes_few_queries(
    client: Client, submission: Submission, student: User, tutor: User,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:  # fmt: skip
    make_schedule(submission.assignment.item, due_at=timezone.now() + timedelta(days=1))
    make_run(submission, points=3)
    client.force_login(student)
    with django_assert_max_num_queries(9):
        client.get(url(submission))
    client.force_login(tutor)
    with django_assert_max_num_queries(10):
        client.get(url(submission))


def test_a_look_at_a_running_one_takes_six(
    client: Client,
    assignment: Assignment,
    student: User,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    submission = running(assignment, student)
    shown(client, submission, student, name="progress")  # the first reads the assignment
    with django_assert_max_num_queries(6):
        shown(client, submission, name="progress")


def test_a_look_at_the_queue_takes_four_and_those_of_the_place(
    client: Client,
    submission: Submission,
    student: User,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    worker_is_there()
    client.force_login(student)
    with CaptureQueriesContext(connection) as of_the_place:
        queries.place(submission)
    with django_assert_max_num_queries(4 + len(of_the_place)):
        shown(client, submission, name="progress")


# -- the administration pages


def test_runs_are_read_only_in_the_administration(client: Client, submission: Submission) -> None:
    run = make_run(submission, points=3)
    worker_is_there()
    client.force_login(make_admin())
    assert client.get(reverse("admin:grading_run_changelist") + "?verdict=wrong+answer").status_code == 200
    assert client.get(reverse("admin:grading_worker_changelist")).status_code == 200
    page = client.get(reverse("admin:grading_run_change", args=[run.pk]))
    assert page.status_code == 200
    assert 'name="_save"' not in page.content.decode()
    assert client.get(reverse("admin:grading_run_add")).status_code == 403
    assert client.get(reverse("admin:grading_run_delete", args=[run.pk])).status_code == 403
