"""Nothing that is typed is lost, and nothing is handed in twice."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from softmark.submissions.models import Submission, Work
from tests.browser.steps import address, expect_graded, sign_in, submit, write, written
from tests.factories import PASSWORD, enrol, make_assignment, make_course, make_user
from tests.processes import Workers

Visit = Callable[..., Page]
SUBMIT = "Submit for grading"


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.usefixtures("grading")
def test_a_double_click_submits_once(visit: Visit, script: bool) -> None:
    assignment = make_assignment(attempts=3)
    page = visit(enrol(assignment.course), java_script_enabled=script)
    page.goto(address(assignment))
    page.get_by_role("button", name=SUBMIT).dblclick()
    page.wait_for_url("**/submissions/*/")
    expect_graded(page, "0 of 10 points")
    assert Submission.objects.count() == 1


@pytest.mark.usefixtures("grading")
def test_back_shows_that_it_is_submitted(visit: Visit) -> None:
    """The page is asked for anew, so nobody sends an old form in the belief that the first one got lost."""
    assignment = make_assignment(attempts=3)
    page = visit(enrol(assignment.course))
    page.goto(address(assignment))
    write(page, assignment.version.files["solution.py"])
    submit(page)
    page.wait_for_url("**/submissions/*/")
    page.go_back()
    expect(page.get_by_text("What you submitted last.")).to_be_visible()
    expect(page.get_by_role("link", name="Attempt 1")).to_be_visible()
    assert written(page) == assignment.version.files["solution.py"]
    expect(page.get_by_role("button", name=SUBMIT)).to_be_enabled()


@pytest.mark.usefixtures("grading")
def test_a_session_that_has_ended(visit: Visit, expected_complaints: list[str]) -> None:
    """The editor learns of it first, when it saves the draft; then the form does."""
    expected_complaints.append("the server responded with a status of 401")
    assignment = make_assignment()
    ada = enrol(assignment.course, make_user(password=PASSWORD))
    page = visit(ada)
    page.goto(address(assignment))
    page.context.clear_cookies(name="sessionid")
    solution = assignment.version.files["solution.py"]
    write(page, solution)
    expect(page.locator(".editor-state")).to_have_text(
        "Not saved. You are signed out. It is kept in this browser."
    )
    submit(page)
    expect(page.get_by_text("You had been signed out. Your code is kept")).to_be_visible()
    sign_in(page, ada)
    expect(page.get_by_text("Your code is here and has not been submitted yet.")).to_be_visible()
    assert written(page) == solution
    expect(page.get_by_text("This browser kept another text")).to_have_count(0)
    submit(page)
    expect_graded(page, "10 of 10 points")


def test_a_draft_is_there_after_a_reload(visit: Visit) -> None:
    assignment = make_assignment()
    page = visit(enrol(assignment.course))
    page.goto(address(assignment))
    write(page, "# an idea\n")
    expect(page.locator(".editor-state")).to_have_text("Saved")
    assert Work.objects.get().draft == "# an idea\n"
    page.reload()
    assert written(page) == "# an idea\n"
    expect(page.get_by_text("not submitted.")).to_be_visible()
    assert kept_in_browser(page) == {}


def test_a_draft_that_the_site_cannot_take(visit: Visit, expected_complaints: list[str]) -> None:
    expected_complaints.append("net::ERR_FAILED")
    assignment = make_assignment()
    page = visit(enrol(assignment.course))
    page.route("**/draft/", lambda route: route.abort())
    page.goto(address(assignment))
    write(page, "# an idea\n")
    expect(page.locator(".editor-state")).to_have_text(
        "Not saved. The site cannot be reached. It is kept in this browser."
    )
    page.reload()
    offer = page.locator(".notice", has_text="This browser kept another text")
    expect(offer).to_be_visible()
    assert written(page) == assignment.version.starter

    page.unroute("**/draft/")
    offer.get_by_role("button", name="Put it into the editor").click()
    expect(offer).to_have_count(0)
    assert written(page) == "# an idea\n"
    expect(page.locator(".editor-state")).to_have_text("Saved")
    assert Work.objects.get().draft == "# an idea\n"
    assert kept_in_browser(page) == {}


def kept_in_browser(page: Page) -> dict[str, str]:
    kept: dict[str, str] = page.evaluate("({...localStorage})")
    return kept


def test_nobody_grades_and_then_somebody_does(visit: Visit, no_worker: Workers) -> None:
    assignment = make_assignment()
    page = visit(enrol(assignment.course))
    page.goto(address(assignment))
    write(page, assignment.version.files["solution.py"])
    submit(page)
    expect(page.get_by_text("No grader is at work at the moment.")).to_be_visible()
    expect(page.get_by_text(re.compile(r"is safe: it has been received at \d\d:\d\d:\d\d"))).to_be_visible()
    expect(
        page.get_by_text(re.compile(r"It has been waiting for \d+(\.\d)? (milli)?seconds?\."))
    ).to_be_visible()
    no_worker.shared()
    expect_graded(page, "10 of 10 points")


HOSTILE = """
BOMB = "<script>document.title = 'owned'</script><img src=x onerror=\\"document.title = 'owned'\\"><h1>Hello</h1>"
print(BOMB)

def attention(q, k, v):
    print(BOMB)
    raise ValueError(BOMB)
"""


@pytest.mark.usefixtures("grading")
def test_what_looks_like_a_page_is_text(visit: Visit) -> None:
    course = make_course(title="<b>Attention</b>")
    assignment = make_assignment(course=course, title="<i>Softmax</i>")
    page = visit(enrol(course, make_user(name="<u>Ada</u>")))
    page.goto(address(assignment))
    write(page, HOSTILE)
    submit(page)
    expect_graded(page, "0 of 10 points")
    expect(page.locator(".checks .message").first).to_contain_text(
        "<script>document.title = 'owned'</script>"
    )
    expect(page.locator(".checks .printed").first).to_contain_text("<img src=x")
    expect(page.locator("main :is(script, img, h1 + h1, i, u, b)")).to_have_count(0)
    expect(page).to_have_title(re.compile("^Attempt 1, <i>Softmax</i>"))
