"""A class reads all the lessons of the demo course at once: right, wrong, unreadable, and in several tabs.

LEARNERS=200 makes it as large and takes some ten minutes (-o faulthandler_timeout=0, then); what was seen is printed.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from django.db import connection
from django.db.models import Count, F, Max
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from softmark.accounts.models import User
from softmark.courses.models import Course
from softmark.gradebook import queries as gradebook
from softmark.lessons.actions import look
from softmark.lessons.compiled import compiled
from softmark.lessons.importing import bring
from softmark.lessons.models import Draw, Lesson, Prediction, Reading, Revisit
from softmark.lessons.questions import Source
from softmark.lessons.standing import Asked
from tests.factories import enrol, make_course, shipped_lessons
from tests.lessons.learner import fields_of, right, unreadable, wrong

LEARNERS = int(os.environ.get("LEARNERS", "4"))
AT_ONCE = 8
TABS = 4

Seen = Counter[str]


def read(course: Course, learner: User, number: int) -> Seen:
    """One learner's way through all lessons, one after another in an order of their own."""
    chance, seen, client = random.Random(number), Counter[str](), Client()
    client.force_login(learner)
    lessons = list(Lesson.objects.filter(item__course=course).select_related("item"))
    chance.shuffle(lessons)
    try:
        for lesson in lessons:
            seen += _read_one(course, lesson, learner, client, chance)
    finally:
        connection.close()
    return seen


def _read_one(course: Course, lesson: Lesson, learner: User, client: Client, chance: random.Random) -> Seen:
    seen = Counter[str]()
    place = course.slug, lesson.item.slug
    assert client.post(reverse("lessons:begin", args=place)).status_code == 303
    reading = Reading.objects.get(lesson=lesson, learner=learner)
    while True:
        asked = look(reading, timezone.now()).parts[-1].stop
        if not isinstance(asked, Asked):
            return seen
        where = reverse("lessons:predict", args=[*place, asked.id])
        if chance.random() < 0.2:
            answer = client.post(where, fields_of(asked, unreadable(asked, chance), None))
            assert answer.status_code in (422, 400), (asked, answer.status_code)
            assert not Prediction.objects.filter(draw__reading=reading, draw__question=asked.id).exists()
            seen["no answer that could be read"] += 1
        is_right = chance.random() < 0.6
        texts = right(asked, reading) if is_right else wrong(asked, reading, chance)
        fields = fields_of(asked, texts, chance.choice([None, 1, 2, 3, 4]))
        if chance.random() < 0.1:
            codes = _in_tabs(client, where, fields)
            assert set(codes) == {303}, codes
            seen["commits in other tabs"] += TABS - 1
        else:
            answer = client.post(where, fields)
            assert answer.status_code == 303, (asked, texts, answer.content.decode()[-1500:])
        made = Prediction.objects.get(draw__reading=reading, draw__question=asked.id, draw__number=0)
        assert made.source == Source.SELF or made.is_right or not is_right, (asked, texts)
        seen["right" if made.is_right else "written" if made.source == Source.SELF else "not right"] += 1


def _in_tabs(client: Client, where: str, fields: dict[str, object]) -> list[int]:
    def post(_: int) -> int:
        tab = Client()
        tab.cookies = client.cookies
        try:
            return tab.post(where, fields).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(TABS) as tabs:
        return list(tabs.map(post, range(TABS)))


@pytest.mark.django_db(transaction=True)
def test_a_class_reads_all_the_lessons() -> None:
    course = make_course()
    bring(course, shipped_lessons())
    learners = [enrol(course) for _ in range(LEARNERS)]
    Client().get("/livez")  # the first request makes what all of them share
    with ThreadPoolExecutor(AT_ONCE) as class_:
        seen = sum(class_.map(lambda n: read(course, learners[n], n), range(LEARNERS)), Counter[str]())

    lessons = list(Lesson.objects.filter(item__course=course).select_related("item", "version"))
    stops = {lesson.pk: list(compiled(lesson.version).questions) for lesson in lessons}
    most = sum(map(len, stops.values())) * LEARNERS
    assert (
        Reading.objects.count()
        == Reading.objects.exclude(finished_at=None).count()
        == LEARNERS * len(lessons)
    )
    assert Prediction.objects.count() == Draw.objects.count() == most
    assert Prediction.objects.filter(draw__number__gt=0).count() == 0
    assert seen["right"] + seen["not right"] + seen["written"] == most
    once = Prediction.objects.values("draw__reading", "draw__question").annotate(n=Count("pk"))
    assert once.aggregate(most=Max("n"))["most"] == 1
    assert not Prediction.objects.filter(committed_at__lt=F("draw__shown_at")).exists()
    for reading in Reading.objects.all():
        made = Prediction.objects.filter(draw__reading=reading).order_by("committed_at")
        assert list(made.values_list("draw__question", flat=True)) == stops[reading.lesson_id], "out of order"

    missed = Prediction.objects.filter(share__lt=1, source=str(Source.RULE))
    assert set(Revisit.objects.values_list("reading", "question")) == set(
        missed.values_list("draw__reading", "draw__question")
    )
    _check_grades(course, stops)
    print(
        json.dumps({"learners": LEARNERS, "predictions": most, **seen, "revisits": Revisit.objects.count()})
    )


def _check_grades(course: Course, stops: dict[int, list[str]]) -> None:
    """By completion everybody has full marks; by correctness what the shares come to."""
    assert {grade.points for row in gradebook.grid(course, timezone.now()).rows for grade in row.grades} == {
        Decimal(len(each)) for each in stops.values()
    }
    Lesson.objects.filter(item__course=course).update(counts=Lesson.Counts.CORRECTNESS)
    grid = gradebook.grid(course, timezone.now())
    for row in grid.rows:
        for column, grade in zip(grid.columns, row.grades, strict=True):
            shares = Prediction.objects.filter(
                draw__reading__lesson__item=column.item, draw__reading__learner=row.enrolment.user
            ).values_list("share", flat=True)
            assert grade.points == pytest.approx(sum(shares, Decimal(0)), abs=Decimal("0.00001"))
