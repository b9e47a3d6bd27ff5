"""An instructor's way from a zip to an assignment of the course, with JavaScript and without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from softmark.courses.models import Role
from tests.factories import enrol, make_course
from tests.small_assignment import FILES
from tests.zips import zipped


@pytest.mark.usefixtures("grading")
def test_from_a_zip_to_an_assignment(visit: Callable[..., Page], tmp_path: Path) -> None:
    """Both in one test: emptying the tables gives content types new numbers, and the site remembers the old ones."""
    course = make_course(slug="attention", title="Attention")
    ruth = enrol(course, role=Role.INSTRUCTOR)
    publish(visit(ruth), tmp_path, FILES, "is now an assignment of Attention")
    better = {**FILES, "prompt.md": "# Twice, said better\n"}
    publish(visit(ruth, java_script_enabled=False), tmp_path, better, "in Attention moved from version")


def publish(page: Page, folder: Path, files: dict[str, str], done: str) -> None:
    page.goto(reverse("courses:course", args=["attention"]))
    page.get_by_role("link", name="Add an assignment").first.click()

    upload(page, folder, {**files, "prompt.md": ""})
    problem = page.get_by_role("region", name="What has to be mended")
    expect(problem).to_contain_text("prompt.md")
    expect(problem).to_contain_text("This file is empty.")
    page.get_by_role("link", name="Upload it again").click()

    upload(page, folder, files)
    expect(page.locator("#standing")).to_contain_text("Nothing is missing.")
    expect(page.get_by_role("row", name="never-divided")).to_contain_text("caught and named")
    page.get_by_label("Attempts").fill("3")
    page.get_by_label("Due").fill("2030-12-01T23:59")
    page.get_by_role("button", name="Publish").click()

    page.wait_for_url("**/assignments/double/")
    expect(page.locator("#messages")).to_contain_text(done)
    page.get_by_role("link", name="Which check catches which mistake").click()
    expect(page.get_by_role("table")).to_contain_text("caught and named")


def upload(page: Page, folder: Path, files: dict[str, str]) -> None:
    zip_ = folder / "double.zip"
    zip_.write_bytes(zipped(files))
    page.get_by_label("The folder as a zip").set_input_files(zip_)
    page.get_by_role("button", name="Upload and verify").click()
