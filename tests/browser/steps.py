"""What people do on the site's pages."""

from __future__ import annotations

from pathlib import Path

from django.test import Client
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect

from softmark.accounts.models import User
from softmark.coursework.models import Assignment
from softmark.submissions.models import Submission
from tests.factories import PASSWORD

PATIENCE = 30_000  # milliseconds; nothing takes nearly as long on a machine that is not busy


def signed_in(context: BrowserContext, url: str, user: User) -> None:
    """Gives the browser a session of theirs, as if they had come earlier."""
    client = Client()
    client.force_login(user)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": url}])


def sign_in(page: Page, user: User, password: str = PASSWORD) -> None:
    """By the form, on the page that shows it."""
    page.get_by_label("Email").fill(user.email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def address(assignment: Assignment) -> str:
    return reverse("submissions:assignment", args=[assignment.course.slug, assignment.item.slug])


def report_of(submission: Submission) -> str:
    return reverse("grading:report", args=[submission.assignment.course.slug, submission.pk])


def settled(page: Page) -> None:
    """Waits for a page that a key or a click has opened: its scripts run, the focus is where its address leads."""
    page.wait_for_load_state("load")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


_PASTE = """(editor, text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    editor.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
}"""


def write(page: Page, text: str) -> None:
    """Pastes the text into the editor, in place of what is there."""
    editor = page.locator(".cm-content")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    editor.evaluate(_PASTE, text)
    assert written(page) == text


def written(page: Page) -> str:
    """What stands in the editor."""
    expect(page.locator(".cm-content")).to_be_visible()
    return page.locator("#code").input_value()


def submit(page: Page) -> None:
    page.get_by_role("button", name="Submit for grading").click()


def upload(page: Page, file: Path) -> None:
    """Chooses a file and submits it."""
    page.get_by_label("Or submit a file").set_input_files(file)
    page.get_by_role("button", name="Submit the file").click()


def expect_graded(page: Page, points: str, before: int = 0) -> None:
    """Waits on the report until it says so, by itself: `expect_graded(page, "7 of 10 points.")`.

    One worker grades so many `before` it.
    """
    expect(page.locator("#standing")).to_contain_text(points, timeout=(before + 1) * PATIENCE)
    expect(page.locator("#poll")).to_have_count(0)
