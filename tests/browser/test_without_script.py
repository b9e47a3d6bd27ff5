"""All of a student's way without JavaScript: sign in, write or upload, read the report; read a lesson."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from softmark.lessons.models import Prediction
from softmark.submissions.models import Submission
from tests.browser.steps import address, expect_graded, sign_in, submit, upload
from tests.factories import PASSWORD, enrol, make_assignment, make_lesson, make_lesson_version, make_user
from tests.lessons.all_types import ALL_TYPES


@pytest.mark.usefixtures("grading")
def test_write_and_upload(visit: Callable[..., Page], root: Path) -> None:
    assignment = make_assignment()
    ada = enrol(assignment.course, make_user(password=PASSWORD))
    page = visit(java_script_enabled=False)
    page.goto(address(assignment))
    sign_in(page, ada)
    page.wait_for_url("**" + address(assignment))
    code = page.get_by_label("Your code")
    expect(code).to_be_visible()
    code.fill("# an idea\n")
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_text("Your draft is saved.")).to_be_visible()
    expect(code).to_have_value("# an idea\n")

    code.fill(assignment.version.files["solution.py"])
    submit(page)
    page.wait_for_url("**/submissions/*/")
    expect_graded(page, "10 of 10 points")

    page.get_by_role("link", name="Back to the assignment").click()
    upload(page, root / "fixtures/submissions/scaled-dot-product/wrong/forgot_the_scale.py")
    page.wait_for_url("**/submissions/*/")
    expect_graded(page, "0 of 10 points")
    expect(page.get_by_role("region", name="You may have made this mistake")).to_be_visible()
    assert [each.filename for each in Submission.objects.order_by("number")] == ["", "forgot_the_scale.py"]

    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_read_a_lesson(visit: Callable[..., Page], expected_complaints: list[str], site: object) -> None:
    """With an answer that is none, and a session that ends between."""
    expected_complaints.append("the server responded with a status of 401")
    text = (
        ALL_TYPES[: ALL_TYPES.index(":::{widget}")] + ALL_TYPES[ALL_TYPES.index("::::{predict} an-order") :]
    )
    lesson = make_lesson(version=make_lesson_version(text, {}))
    page = visit(ada := enrol(lesson.course, make_user(password=PASSWORD)), java_script_enabled=False)
    page.goto(reverse("lessons:lesson", args=[lesson.course.slug, lesson.item.slug]))
    page.get_by_role("button", name="Begin").click()
    commit = page.get_by_role("button", name="Commit")
    expect(commit).to_be_enabled()
    commit.click()
    expect(page.get_by_role("alert")).to_contain_text("Put the items in order")
    page.get_by_label("Place 1").select_option("The low one")
    page.get_by_label("Place 2").select_option("The high one")
    page.context.clear_cookies(name="sessionid")
    commit.click()
    expect(page.get_by_text("What you were sending is kept.")).to_be_visible()
    page.locator("#main").get_by_role("link", name="Sign in").click()
    sign_in(page, ada)
    expect(page.get_by_label("Place 2").locator("option:checked")).to_have_text("The high one")
    commit.click()
    expect(page.get_by_role("heading", name="The answer")).to_be_in_viewport()
    expect(page.get_by_role("heading", name="Your prediction")).to_be_in_viewport()
    assert Prediction.objects.get().share == 1
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_text("Which token?")).to_be_in_viewport()
