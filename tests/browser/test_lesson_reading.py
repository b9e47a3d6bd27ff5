"""A lesson in the browser: by keyboard, without a page load, and nothing that is typed is lost."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from softmark.lessons.models import Draw, Lesson, Prediction, Reading
from softmark.lessons.questions import Invalid
from softmark.lessons.questions.numerals import read_number
from softmark.lessons.questions.pasted import is_pasted, rows_of
from tests.browser.looking import the_focus_is_seen
from tests.browser.steps import settled, sign_in
from tests.factories import PASSWORD, enrol, make_lesson, make_lesson_version, make_reading, make_user
from tests.lessons.all_types import ALL_TYPES, STOPS

Visit = Callable[..., Page]


def address(lesson: Lesson) -> str:
    return reverse("lessons:lesson", args=[lesson.course.slug, lesson.item.slug])


@pytest.fixture
def lesson(site: object) -> Lesson:
    return make_lesson(version=make_lesson_version(ALL_TYPES, {}))


def picture(page: Page, name: str) -> None:
    """SHOTS=folder keeps it."""
    if "SHOTS" not in os.environ:
        return
    for width, colours in ((1280, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=colours)
        page.locator("#ahead").scroll_into_view_if_needed()
        page.screenshot(path=Path(os.environ["SHOTS"]) / f"{name}-{width}-{colours}.png")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.bring_to_front()


def test_all_of_it_by_keyboard_alone(visit: Visit, lesson: Lesson) -> None:
    page = visit(enrol(lesson.course))
    press, type = page.keyboard.press, page.keyboard.type
    page.goto(address(lesson))
    page.get_by_role("button", name="Begin").press("Enter")
    expect(page.locator("form[data-stop]")).to_be_visible()
    settled(page)
    page.evaluate("window.stays = true")
    commit = page.get_by_role("button", name="Commit")

    for stop in STOPS:
        form = page.locator(f"form[data-stop={stop}]")
        expect(form).to_be_visible()
        expect(commit).to_have_attribute("aria-disabled", "true")
        commit.press("Enter")
        expect(commit).not_to_be_focused()
        the_focus_is_seen(page)
        match stop:
            case "a-number":
                type("6/2")
                expect(page.get_by_text("Read as 3.")).to_be_visible()
            case "a-vector":
                type("1")
                press("ArrowRight")
                type("5")
                press("ArrowLeft")
                press("ArrowLeft")
                press("Enter")
                type("2")
                press("Enter")
                expect(commit).to_be_focused()
            case "a-matrix":
                type("9")
                page.get_by_label("Row 1, column 1").evaluate(PASTE, "1\t2\n3\t4")
                assert [cell.input_value() for cell in form.locator("[name=answer]").all()] == list("1234")
            case "an-order":
                for name in ("The high one", "The low one"):
                    page.get_by_role("button", name=f"Put {name} into the order").press("Enter")
                page.get_by_role("button", name="Move The low one up").press("Enter")
                expect(form.get_by_text("The low one: place 1 of 2.")).to_be_attached()
                expect(page.get_by_role("button", name="Move The low one up")).to_be_focused()
            case "some-choices":
                press("Space")
            case "an-output":
                type("0\n1\n")
            case "some-words":
                type("Too short")
                expect(form.locator(".lesson-missing")).to_contain_text("20 letters at least")
                type(", and then it is long enough.")
            case _:
                press("ArrowDown")
                press("ArrowUp")
        expect(commit).not_to_have_attribute("aria-disabled", "true")
        if stop in ("an-order", "a-token"):
            picture(page, stop)
        commit.press("Enter")
        expect(page.locator(f"#revealed-{stop}")).to_be_focused()
        the_focus_is_seen(page)
        if stop == "some-choices":
            expect(page.locator(f"#stop-{stop} .lesson-yours li")).to_have_text(
                re.compile(r"The (first|second)\s+Right|The third\s+Not right")
            )
            expect(page.locator(f"#stop-{stop} .lesson-picks").nth(1).get_by_role("listitem")).to_have_count(
                2
            )
        expect(page.locator("[aria-current=step]")).to_have_count(0 if stop == STOPS[-1] else 1)
        page.get_by_role("link", name="Continue").press("Enter")
    assert page.evaluate("window.stays"), "the page was never loaded again"
    expect(page.get_by_text("9 of 9 predictions made.")).to_be_visible()
    picture(page, "end")
    right = {each.draw.question for each in Prediction.objects.all() if each.share == 1}
    assert right >= {"a-number", "a-vector", "a-matrix", "an-order", "an-output"}
    page.reload()
    expect(page.get_by_text("9 of 9 predictions made.")).to_be_visible()


PASTE = """(field, text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    return field.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
}"""


def test_nothing_that_is_typed_is_lost(visit: Visit, lesson: Lesson, expected_complaints: list[str]) -> None:
    expected_complaints += ["a status of 401", "net::ERR_FAILED"]
    ada = enrol(lesson.course, make_user(password=PASSWORD))
    make_reading(lesson, ada)
    page = visit(ada)
    page.goto(address(lesson))
    field, commit = page.get_by_label("Your prediction"), page.get_by_role("button", name="Commit")

    # A pause saves it; a reload brings it back, with how sure one is, which is no part of the draft.
    field.press_sequentially("2")
    expect(page.get_by_text("Saved, not committed")).to_be_visible()
    assert Draw.objects.get().draft == ["2"]
    assert page.evaluate("localStorage.length") == 0
    with page.expect_response("**/draft/"):
        page.get_by_label("Rather unsure").check()
    page.reload()
    expect(field).to_have_value("2")
    expect(page.get_by_label("Rather unsure")).to_be_checked()

    # What the site could not take is kept here.
    page.route("**/draft/", lambda route: route.abort())
    field.fill("25")
    expect(
        page.get_by_text("Not saved. The site cannot be reached. It is kept in this browser.")
    ).to_be_visible()
    page.reload()
    expect(field).to_have_value("25")
    page.unroute("**/draft/")

    # An answer that is none costs nothing.
    page.evaluate("document.querySelector('form[data-answer]').dataset.answer = 'unknown'")
    field.fill("3,145")
    commit.click()
    expect(page.get_by_role("alert")).to_contain_text("can be read in two ways")
    expect(page.get_by_label("Your prediction")).to_be_focused()
    expect(page).to_have_title("Not taken: All the types · Softmark")

    # Nor does a session that has ended.
    page.context.clear_cookies(name="sessionid")
    field.fill("7")
    commit.click()
    expect(page.get_by_text("What you sent is kept")).to_be_visible()
    sign_in(page, ada)
    expect(field).to_have_value("7")
    settled(page)
    assert not Prediction.objects.exists()
    other = page.context.new_page()
    other.goto(address(lesson))
    commit.click()
    expect(page.locator("#revealed-a-number")).to_be_focused()
    expect(page).to_have_title("All the types · Softmark")
    assert Prediction.objects.get().posted == ["7"]
    assert page.evaluate("localStorage.length") == 0

    # Nor what is sent from another tab to a question that has its answer: it is told where one looks.
    other.get_by_label("Your prediction").fill("8")
    other.get_by_role("button", name="Commit").click()
    told = other.locator("#stop-a-number #not-taken")
    expect(told).to_be_focused()
    expect(told).to_be_in_viewport()
    expect(told.get_by_role("textbox")).to_have_value("8")
    expect(told).to_contain_text("the first answer counts")
    other.close()


MILLISECOND = timedelta(milliseconds=1)
NUMBERS = [
    "3", " 3 ", "-0.5", "\u22120.5", "+.5", "5.", "3/2", "3 / 2", "1e3", "1E-3", "12 345", "1 2", "3,145", "1,234.5",
    "1,5", "50%", "1/0", "1/2/3", ".", "-", "", "abc", "0x10", "Infinity", "1e", "1_000", "\u0663", "\u00bd",
    "9" * 65, "1e400", "--1",
]  # fmt: skip


def test_numbers_are_read_as_the_site_reads_them_and_the_time_runs_out(visit: Visit, lesson: Lesson) -> None:
    page = visit(learner := enrol(lesson.course))
    reading = make_reading(lesson, learner, minutes=10)
    page.goto(address(lesson))
    page.get_by_label("Your prediction").fill("3")
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^\d:\d\d$"))
    expect(page.get_by_text("Saved, not committed")).to_be_visible()
    source = page.locator("script[src*='lessons/forms']").get_attribute("src") or ""
    numerals = source.rpartition("/")[0] + "/numerals.js"
    read = page.evaluate(
        """async ([module, texts]) => {
            const {readNumber} = await import(module);
            return texts.map(text => readNumber(text));
        }""",
        [numerals, NUMBERS],
    )
    for text, here in zip(NUMBERS, read, strict=True):
        try:
            value = float(read_number(text).value)
        except Invalid:
            assert "value" not in here or text == "1e400", text
        else:
            assert here == {} or here["value"] == pytest.approx(value), text

    # The clocks of the site and of the page go on to where few seconds are left.
    assert reading.ends_at
    gone = reading.ends_at - timezone.now() - timedelta(seconds=3)
    Reading.objects.update(ends_at=reading.ends_at - gone)
    page.evaluate("(gone) => { const now = Date.now; Date.now = () => now() + gone; }", gone // MILLISECOND)
    expect(page.get_by_text("Committed from your draft when your time ran out")).to_be_visible()
    expect(page.locator("#revealed-a-number")).to_be_focused()
    expect(page.get_by_text("No answer: your time had run out.")).to_have_count(8)
    picture(page, "ran-out")


PASTED = [
    "", "5", "5 ", "131\u202f072", "131\u00a0072", "1 000", "1 000 000", "- 5", "3/ 2", "3 /2", "1\u202f072 2", "1 2",
    "1\t200", "12\n345", "1 2\n3 4", "1\t2\r\n3\t4\r\n", "1, 2; 3, 4", "1, 2,\n3, 4,", "1,2", "3,145 2", "0.5  0.25",
    "[1, 2]", "[1 2]", "[131\u202f072, 2]", "[131\u202f072 2]", "[[1, 2], [3, 4]]", "[[1, 2,], [3, 4],]",
    "[[1. 2.]\n [3. 4.]]", " [ [ 1 , 2 ] , [ 3 , 4 ] ] ", "[[1,2],[3]]", "[1, 2", "1 [2 3]", "1 2]", "[[1,2],,[3,4]]",
    "[[1,2],[3,4]] 5", "[[1,,2]]", "[1],[2]", "[5]", "a b",
]  # fmt: skip


def parted(text: str) -> list[list[str]] | None:
    """The texts of numbers as the site parts what stands in the one filled cell of two."""
    for nested in (True, False):
        try:
            rows = rows_of(text, nested=nested) if is_pasted(text, 2) else []
        except Invalid:
            continue
        return [[each.strip() for each in row] for row in rows] or None
    return None


def test_what_is_pasted_is_parted_as_the_site_parts_it(visit: Visit, site: object) -> None:
    text = ALL_TYPES[ALL_TYPES.index("::::{predict} a-matrix") :]
    head = ALL_TYPES[: ALL_TYPES.index(":::{widget}")]
    lesson = make_lesson(version=make_lesson_version(head + text, {}))
    make_reading(lesson, learner := enrol(lesson.course))
    page = visit(learner)
    page.goto(address(lesson))
    source = page.locator("script[src*='lessons/forms']").get_attribute("src") or ""
    here = page.evaluate(
        """async ([module, texts]) => {
            const {pastedRows} = await import(module);
            return texts.map(text => pastedRows(text));
        }""",
        [source.rpartition("/")[0] + "/numerals.js", PASTED],
    )
    assert dict(zip(PASTED, here, strict=True)) == {text: parted(text) for text in PASTED}

    # One number is left to the browser, and what stands in the other cells stays.
    cells = page.locator("[name=answer]")
    for at, typed in enumerate("123"):
        cells.nth(at).fill(typed)
    for one_number in ("131\u202f072", "131\u00a0072", "1 000", "- 5", "3/ 2"):
        assert cells.last.evaluate(PASTE, one_number)
        assert [cell.input_value() for cell in cells.all()] == ["1", "2", "3", ""]
    assert not cells.last.evaluate(PASTE, "1 2\n3 4")
    page.get_by_role("button", name="Commit").click()
    expect(page.locator("#revealed-a-matrix")).to_be_focused()
    assert Prediction.objects.get().share == 1


def test_an_order_by_dragging(visit: Visit, site: object) -> None:
    text = ALL_TYPES[ALL_TYPES.index("::::{predict} an-order") :]
    head = ALL_TYPES[: ALL_TYPES.index(":::{widget}")]
    lesson = make_lesson(version=make_lesson_version(head + text, {}))
    make_reading(lesson, learner := enrol(lesson.course))
    page = visit(learner, width=390)
    page.goto(address(lesson))
    order = page.get_by_role("list", name="Your order")

    def drag(name: str, x: float, y: float) -> None:
        item = page.locator(".lesson-item", has_text=name).locator(".lesson-item-text")
        item.hover()
        page.mouse.down()
        page.mouse.move(x, y, steps=6)
        page.mouse.up()

    box = order.bounding_box()
    assert box
    for name in ("The high one", "The odd one", "The low one"):
        drag(name, box["x"] + 80, box["y"] + 4)
    expect(order.locator(".lesson-item-text")).to_have_text(["The low one", "The odd one", "The high one"])
    page.get_by_role("button", name="Take The odd one out of the order").click()
    expect(page.get_by_text("Saved, not committed")).to_be_visible()
    page.reload()
    expect(order.locator(".lesson-item-text")).to_have_text(["The low one", "The high one"])
    page.get_by_role("button", name="Commit").click()
    expect(page.locator("#revealed-an-order")).to_be_focused()
    assert Prediction.objects.get().share == 1
