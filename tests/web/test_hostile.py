"""Whatever a student or staff send to lessons, courses and gradebooks: the answer is a page or a sentence, and no error
of the site.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from softmark.courses.models import Role
from softmark.lessons import revisiting
from softmark.lessons.actions import commit, look
from softmark.lessons.models import Draw, Revisit
from tests.factories import enrol, make_course, make_lesson, make_reading
from tests.web.test_permissions import ADDRESSES, answers

pytestmark = pytest.mark.django_db

OURS = ("lessons:", "courses:", "gradebook:")
FORM = "application/x-www-form-urlencoded"
# Every field and every question of an address that any of them reads, with a value that is taken somewhere.
FIELDS = {
    "answer": "7", "place": "", "pasted": "", "sure": "2", "form_token": "made-up", "idea": "0", "share": "1/2",
    "comment": "Good.", "seen": "0", "offer": "lesson 1", "to": "another", "visible": "on", "counts": "correctness",
    "points": "5", "time_limit": "10", "opens_at": "", "due_at": "2026-12-01T23:59", "closes_at": "",
    "grace_minutes": "5", "percent_per_day": "10", "floor_percent": "50", "time_factor": "1.5", "reason": "Ill.",
    "event": "1", "released": "1", "query": "page=1", "stop": "how-many", "variant": "1", "version": "0", "page": "1",
    "question": "how-many", "state": "waiting", "all": "1", "anonymous": "1", "section": "1", "means": "1",
    "item": "listening",
}  # fmt: skip
# As they travel, so that what is no letter at all can as well.
VALUES = (
    "-1", "9" * 400, "1e400", "NaN", "a%00b", "%ED%A0%80", "%FF%FE", "%F0%9F%98%80", "%3Cscript%3E", "%5B1%2C%7B",
    "x" * 30_000, "9999-12-31T23:59", "0001-01-02T00:00", "a%0D%0AX:+1", "%D9%A3", "1&#", "",
)  # fmt: skip
ROUNDS = 3  # so that it is the turn of each field once
HALF = b'--b\r\nContent-Disposition: form-data; name="answer"\r\n\r\n+2AA-\r\n--b--\r\n'
BODIES = {
    "JSON": ("application/json", b'{"answer": ["\\ud800", {}]}'),
    "no JSON": ("application/json", b"[[[\x00\xff"),
    "no type": ("", b"answer=7"),
    "half a character": ("multipart/form-data; boundary=b; charset=utf-7", HALF),
    "no encoding": ("multipart/form-data; boundary=b; charset=rot13", HALF),
    "cut off": ("multipart/form-data; boundary=b", HALF[:60]),
    "no boundary": ("multipart/form-data", b"7"),
    "many fields": (FORM, b"answer=7&" * 3_000),
    "much": (FORM, b"answer=" + b"7" * 3_000_000),
}


@pytest.fixture
def returned() -> Draw:
    """A question that came back to a student, who is at the second of a lesson."""
    before = timezone.now() - timedelta(days=2)
    reading = make_reading(make_lesson(make_course(slug="attention")), started_at=before)
    look(reading, before)
    commit(reading, "how-many", ["8"], None, before)
    look(reading, before)
    draw = revisiting.look(Revisit.objects.get(reading=reading), timezone.now())
    assert draw is not None
    return draw


def addresses(returned: Draw) -> Iterator[tuple[str, str]]:
    """Method and address."""
    lesson = returned.reading.lesson
    missed = returned.reading.draws.get(question="how-many", number=0).prediction
    arguments = {
        "course": lesson.course.slug, "item": lesson.item.slug, "stop": "which-one", "draw": returned.pk,
        "user": returned.reading.learner_id, "prediction": missed.pk,
    }  # fmt: skip
    for name, taken in ADDRESSES:
        if name.startswith(OURS):
            method = "GET" if set(answers(name, "POST").values()) == {"405"} else "POST"
            yield method, reverse(name, kwargs={each: arguments[each] for each in taken})


def mixed(turn: int) -> str:
    """A third of the fields with what nobody would type, in each turn another third."""
    return "&".join(
        f"{name}={VALUES[(place + turn) % len(VALUES)] if (place + turn) % 3 == 0 else value}"
        for place, (name, value) in enumerate(FIELDS.items())
    )


def status(client: Client, method: str, address: str, body: str | bytes = b"", kind: str = FORM) -> int:
    """Whatever it changes is undone."""
    with transaction.atomic():
        answer = client.generic(method, address, body, kind)
        transaction.set_rollback(True)
    return answer.status_code


@pytest.mark.parametrize("role", [Role.STUDENT, Role.INSTRUCTOR])
def test_nothing_that_is_sent_breaks_a_page(role: Role, returned: Draw, client: Client) -> None:
    reading = returned.reading
    client.force_login(
        reading.learner if role is Role.STUDENT else enrol(reading.lesson.course, role=Role.INSTRUCTOR)
    )
    client.raise_request_exception = False
    broken = []
    for method, address in addresses(returned):
        if status(client, method, address) in (403, 404):  # who may not is told before anything is read
            continue
        for turn in range(ROUNDS):
            sent = (address, mixed(turn)) if method == "POST" else (f"{address}?{mixed(turn)}",)
            if status(client, method, *sent) >= 500:
                broken.append((method, address, turn))
    assert broken == []


def test_no_body_breaks_a_page(returned: Draw, client: Client) -> None:
    lesson = returned.reading.lesson
    client.force_login(returned.reading.learner)
    client.raise_request_exception = False
    predict = reverse("lessons:predict", args=[lesson.course.slug, lesson.item.slug, "which-one"])
    said = {what: status(client, "POST", predict, body, kind) for what, (kind, body) in BODIES.items()}
    assert said == dict.fromkeys(("JSON", "no JSON", "no type", "cut off", "much"), 422) | dict.fromkeys(
        ("half a character", "no encoding", "no boundary", "many fields"), 400
    )
    page = reverse("lessons:lesson", args=[lesson.course.slug, lesson.item.slug])
    assert status(client, "GET", f"{page}?stop=%2B2AA-", b"-", "text/plain; charset=utf-7") == 400
