"""A student looks everywhere before and after each commit: nothing that is withheld is anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from softmark.accounts.models import User
from softmark.courses.models import Role
from softmark.lessons import standing
from softmark.lessons.actions import begin, commit, look
from softmark.lessons.models import Draw, Lesson, Prediction
from tests.factories import enrol, make_assignment, make_course, make_lesson, make_lesson_version, make_upload
from tests.lessons.crawling import Crawl, canaries
from tests.lessons.planted_lesson import LAST, NEVER, STEPS, Step, planted_data, planted_lesson
from tests.lessons.small_lesson import canary

pytestmark = pytest.mark.django_db

HALF_WAY = len(STEPS) // 2


@pytest.fixture
def lesson() -> Lesson:
    """In a course with others who have read all of it, and with an assignment."""
    course = make_course(slug="attention")
    make_assignment(course=course, slug="masks")
    make_upload(course)
    found = make_lesson(course, version=make_lesson_version(planted_lesson(), planted_data()))
    for _ in range(10):  # a class large enough to be shown
        read_to_the_end(found, enrol(course))
    return found


def read_to_the_end(lesson: Lesson, learner: User) -> None:
    now = timezone.now()
    reading = begin(lesson, learner, now)
    for step in STEPS:
        waits = look(reading, now).parts[-1].stop
        assert isinstance(waits, standing.Asked)
        offered = [*getattr(waits.settings, "options", ()), *getattr(waits.settings, "items", ())]
        tokens = {each: str(at) for at, each in enumerate(getattr(waits.settings, "tokens", ()))}
        ids = {each.text: each.id for each in offered} | tokens
        fields = step.answer(lambda text, ids=ids: ids[text])  # type: ignore[misc]
        posted = fields.get("answer") or fields.get("place") or fields["pasted"]
        texts = [posted] if isinstance(posted, str) else [each for each in posted if each]
        commit(reading, step.stop, texts, 3, now)


def arguments(lesson: Lesson, at: int) -> dict[str, Any]:
    course = lesson.course
    others = list(Prediction.objects.values_list("pk", flat=True)[:1])
    return {
        "course": [course.slug],
        "item": [lesson.item.slug, "masks"],
        "stop": [STEPS[0].stop, *(step.stop for step in STEPS[at : at + 2]), STEPS[-1].stop, "no-such"],
        "user": [course.enrolments.filter(role=Role.STUDENT).values_list("user", flat=True)[0]],
        "pk": [1, *others],
        "prediction": others,
        "draw": list(Draw.objects.values_list("pk", flat=True)[:1]),
        "upload": list(course.uploads.values_list("pk", flat=True)),
    }


def walk(client: Client, lesson: Lesson) -> Iterator[tuple[Step | None, set[str], Crawl]]:
    """Before it is begun, before each commit, and at the end: what may be seen by then, and what a crawl finds.

    It looks everywhere at the first, half-way and at the end, and each time where lessons are.
    """
    client.force_login(enrol(lesson.course))
    client.raise_request_exception = False  # a page that says that something broke is a page as well
    may: set[str] = set()

    def crawled(at: int = 0, *, everywhere: bool) -> Crawl:
        crawl = Crawl(client)
        (crawl.everywhere if everywhere else crawl.lessons)(arguments(lesson, at))
        return crawl

    first = crawled(everywhere=True)
    first.files()
    yield None, set(may), first
    course, item = lesson.course.slug, lesson.item.slug
    assert client.post(reverse("lessons:begin", args=[course, item])).status_code == 303
    for at, step in enumerate(STEPS):
        page = client.get(reverse("lessons:lesson", args=[course, item])).content.decode()
        may |= {canary(where) for where in step.waits}
        yield step, set(may), crawled(at, everywhere=at == HALF_WAY)
        fields = step.answer(lambda text, page=page: option(page, text))  # type: ignore[misc]
        address = reverse("lessons:predict", args=[course, item, step.stop])
        answer = client.post(address, fields, headers={"HX-Request": "true"})
        assert answer.status_code == 200, (step.stop, answer.content.decode()[-2000:])
        may |= {canary(where) for where in step.opens}
        follows = STEPS[at + 1].waits if step is not STEPS[-1] else LAST
        assert canaries(answer.content.decode()) <= may | {canary(where) for where in follows}, step.stop
    client.get(reverse("lessons:lesson", args=[course, item]))
    yield None, may | {canary(where) for where in LAST}, crawled(everywhere=True)


def option(page: str, text: str) -> str:
    """The value of an option by what is read beside it."""
    inputs = re.findall(r'name="answer" value="([^"]*)"[^>]*>\s*<span[^>]*>(.*?)</span>', page)
    for value, shown in inputs + re.findall(r'<option value="([^"]+)"[^>]*>(.*?)</option>', page):
        if re.sub(r"<[^>]*>", "", shown).strip() == text:
            return str(value)
    raise AssertionError(f"no option {text}")


def test_nothing_withheld_is_anywhere_before_its_commit(client: Client, lesson: Lesson) -> None:
    urls, size, found = set(), 0, set()
    for step, may, crawl in walk(client, lesson):
        assert crawl.found - may == set(), f"before {step.stop if step else 'it is begun'}"
        assert crawl.uncached == set()
        urls |= {address for _, address, _ in crawl.asked}
        size += crawl.size
        found = crawl.found
    assert found == may, "a crawl that does not see what is open proves nothing"
    assert not found & {canary(where) for where in NEVER}
    print(f"{len(urls)} urls, {size:,} bytes, 0 canaries before their commit, {len(found)} after")


def test_the_crawl_finds_a_leak_that_was_planted(
    client: Client, lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a title, and in a prompt."""
    asked = standing._asked

    def leaky(question: Any, draw: Any, sealed: Any) -> Any:
        return standing.replace(asked(question, draw, sealed), prompt=question.predict.reveal)

    monkeypatch.setattr(standing, "_asked", leaky)
    lesson.item.title = f"Planted {canary('model')}"
    lesson.item.save()
    steps = walk(client, lesson)
    _, may, crawl = next(steps)
    assert crawl.found - may == {canary("model")}
    _, may, crawl = next(steps)
    assert crawl.found - may == {canary("model"), canary("reveal-a-number")}
