"""All of a student's way without JavaScript: sign in, write or upload, read the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from softmark.submissions.models import Submission
from tests.browser.steps import address, expect_graded, sign_in, submit, upload
from tests.factories import PASSWORD, enrol, make_assignment, make_user


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
