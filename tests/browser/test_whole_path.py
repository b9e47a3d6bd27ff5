"""From an empty editor to a grade in the gradebook, as a student and an instructor see it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from softmark.courses.models import Role
from softmark.submissions.models import Submission
from tests.browser.steps import address, expect_graded, sign_in, submit, write, written
from tests.factories import PASSWORD, enrol, make_assignment, make_course, make_user

FORGOTTEN = "fixtures/submissions/scaled-dot-product/wrong/forgot_the_scale.py"
HINT = "divide the scores by that root first"


@pytest.mark.usefixtures("grading")
def test_a_mistake_its_hint_and_all_points(visit: Callable[..., Page], root: Path) -> None:
    course = make_course()
    assignment = make_assignment(
        course=course, attempts=5, title="Attention", due_at=timezone.now() + timedelta(days=3)
    )
    ada = enrol(course, make_user(name="Ada Keller", email="ada@example.org", password=PASSWORD))
    ruth = enrol(course, role=Role.INSTRUCTOR, name="Ruth Amsler")

    # She signs in, and finds the assignment from the home page.
    page = visit()
    page.goto("/")
    page.get_by_role("link", name="Sign in").first.click()
    sign_in(page, ada)
    page.get_by_role("link", name="Attention", exact=True).first.click()
    page.wait_for_url("**" + address(assignment))
    expect(page.get_by_text("5 of 5 left")).to_be_visible()
    assert written(page).strip() == assignment.version.starter.strip()

    # Her first answer lacks the scale. Its report arrives in the page that is open.
    loads: list[str] = []
    write(page, (root / FORGOTTEN).read_text())
    submit(page)
    page.wait_for_url("**/submissions/*/")
    page.on("load", lambda loaded: loads.append(loaded.url))
    expect_graded(page, "0 of 10 points")
    assert loads == [], "the page has been loaded again"
    hints = page.get_by_role("region", name="You may have made this mistake")
    expect(hints).to_contain_text(HINT)
    expect(page.locator(".checks details[open]")).to_have_count(1)
    expect(page.locator(".checks details").first).to_have_attribute("open", "")
    expect(page.locator(".checks details[open] .message")).to_be_visible()
    expect(page.get_by_text("You have 4 attempts left")).to_be_visible()

    # She goes back, finds what she wrote, and mends it where the hint says, key by key.
    page.get_by_role("link", name="Back to the assignment").click()
    assert written(page) == (root / FORGOTTEN).read_text()
    expect(page.get_by_text("What you submitted last.")).to_be_visible()
    page.locator(".cm-line", has_text="similarity =").click()
    page.keyboard.press("End")
    page.keyboard.type(" / np.sqrt(np.array(q.shape[-1], dtype=q.dtype))")
    submit(page)
    expect_graded(page, "10 of 10 points")
    expect(page.get_by_text("Nothing is left to do here.")).to_be_visible()
    assert [each.number for each in Submission.objects.filter(student=ada).order_by("number")] == [1, 2]

    # The better one counts.
    page.goto(f"/courses/{course.slug}/grades/")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="Attention"))
    expect(row).to_contain_text("10 / 10")
    page.get_by_text("How it came about").click()
    expect(page.get_by_role("link", name="The report of attempt 2")).to_be_visible()

    # The instructor sees the points, what led to them, and can take them along.
    staff = visit(ruth)
    staff.goto("/")
    staff.get_by_role("link", name="gradebook").first.click()
    row = staff.get_by_role("row").filter(has_text="Ada Keller")
    expect(row.get_by_role("link", name="10")).to_be_visible()
    with staff.expect_download() as download:
        staff.get_by_role("link", name="Download as CSV").click()
    rows = list(csv.reader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    ours = next(row for row in rows if "ada@example.org" in row)
    assert "10" in ours
    row.get_by_role("link", name="10").click()
    expect(staff.get_by_role("heading", name="Ada Keller")).to_be_visible()
    expect(staff.get_by_role("heading", name="Set the points by hand")).to_be_visible()
    staff.get_by_role("region", name="Attempts").get_by_role("link", name="1").click()
    expect(staff.get_by_role("region", name="The student may have made this mistake")).to_contain_text(HINT)
