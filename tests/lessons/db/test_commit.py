"""Predicting: the first prediction counts, nothing is taken out of turn, and what is invalid costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from softmark.courses.models import Role
from softmark.lessons import queries
from softmark.lessons.actions import MOST_DRAFTED, Refused, begin, commit, look, save_draft
from softmark.lessons.importing import place
from softmark.lessons.models import Draw, Prediction, Reading
from softmark.lessons.questions import TYPES, Invalid
from softmark.lessons.signals import committed
from softmark.lessons.standing import Asked
from tests.factories import (
    enrol,
    make_course,
    make_extension,
    make_lesson,
    make_lesson_version,
    make_reading,
    make_schedule,
)
from tests.lessons.answering import HOSTILE
from tests.lessons.answering import question as question_of
from tests.lessons.db.steps import (
    NOON,
    answered,
    draw_at,
    hearing,
    option,
    predict,
    reachable,
    read_to_the_end,
    right_answer,
    waiting,
)
from tests.lessons.small_lesson import canary, small_data, small_lesson
from tests.lessons.test_source import DATA, LESSON

pytestmark = pytest.mark.django_db


class TestBegin:
    def test_it_is_begun_once_and_with_the_version_of_the_moment(self) -> None:
        lesson = make_lesson()
        stale, learner = queries.lesson_in(lesson.course, "listening"), enrol(lesson.course)
        assert stale is not None
        place(lesson.course, newer := make_lesson_version(small_lesson(1), small_data(1)))
        reading = begin(stale, learner, NOON)
        assert (reading.version, reading.started_at, reading.ends_at) == (newer, NOON, None)
        assert begin(stale, learner, NOON + timedelta(hours=1)) == reading
        assert Reading.objects.count() == 1

    def test_who_may_not(self) -> None:
        lesson = make_lesson()
        for role in (Role.TA, Role.INSTRUCTOR):
            with pytest.raises(Refused, match="Only students"):
                begin(lesson, enrol(lesson.course, role=role), NOON)
        for person in (enrol(make_course()), enrol(lesson.course, active=False)):
            with pytest.raises(Refused, match="not enrolled"):
                begin(lesson, person, NOON)
        lesson.item.visible = False
        lesson.item.save()
        with pytest.raises(Refused, match="hidden"):
            begin(lesson, enrol(lesson.course), NOON)

    def test_when(self) -> None:
        lesson = make_lesson()
        learner = enrol(lesson.course)
        make_schedule(lesson.item, opens_at=NOON, due_at=NOON + timedelta(1), closes_at=NOON + timedelta(2))
        with pytest.raises(Refused, match="opens on Thu 5 Mar 2026, 13:00 CET"):
            begin(lesson, learner, NOON - timedelta(seconds=1))
        reading = begin(lesson, learner, NOON)
        assert begin(lesson, learner, NOON + timedelta(3)) == reading, "what was opened can be read for ever"
        with pytest.raises(Refused, match="closed on"):
            begin(lesson, enrol(lesson.course), NOON + timedelta(3))


class TestCommit:
    def test_a_prediction_keeps_what_was_said_and_how_right_it_was(self) -> None:
        reading = make_reading()
        with hearing() as heard:
            done = predict(reading, " 8 ", confidence=3)
        prediction = Prediction.objects.get()
        assert (done.prediction, done.is_new) == (prediction, True)
        assert heard == [prediction]
        assert (prediction.posted, prediction.response) == ([" 8 "], {"raw": "8", "value": 8})
        assert (prediction.share, prediction.is_right, prediction.confidence) == (0, False, 3)
        assert (prediction.source, prediction.how, prediction.committed_at) == ("rule", "learner", NOON)

    def test_partial_credit_and_a_named_mistake(self) -> None:
        text = small_lesson().replace(
            "type: number\ngiven: {}\nanswer: 7\natol: 0",
            "type: matrix\nshape: [2, 2]\nanswer: [[1, 2], [3, 4]]\natol: 0\nper_cell: true",
        )
        text = text.replace("+++ if answer=8", "+++ if answer=transposed")
        reading = make_reading(make_lesson(version=make_lesson_version(text)))
        prediction = predict(reading, "[[1, 3], [2, 4]]").prediction
        assert (prediction.share, prediction.error) == (Decimal("0.5"), "transposed")
        (stop,) = answered(look(reading, NOON))
        assert canary("branch-how-many") in str(stop.branches)

    def test_the_first_counts(self) -> None:
        reading = make_reading()
        first = predict(reading, "8").prediction
        with hearing() as heard:
            again = commit(reading, "how-many", ["7"], None, NOON)
        assert (again.prediction, again.is_new) == (first, False)
        assert heard == []
        with pytest.raises(Refused, match="the first answer counts"):
            save_draft(reading, "how-many", ["7"], NOON)

    def test_it_is_there_already_even_after_the_end(self) -> None:
        lesson = make_lesson(closes_at=NOON)
        reading = make_reading(lesson, started_at=NOON)
        first = predict(reading, "8").prediction
        assert commit(reading, "how-many", ["7"], None, NOON + timedelta(1)).prediction == first

    def test_the_last_one_finishes_the_reading(self) -> None:
        reading = make_reading()
        made = read_to_the_end(reading)
        assert [each.draw.question for each in made] == ["how-many", "which-one", "what-prints"]
        assert all(each.is_right for each in made)
        reading.refresh_from_db()
        assert reading.finished_at == NOON

    def test_a_free_text_is_marked_by_nobody(self) -> None:
        reading = make_reading(make_lesson(version=make_lesson_version(small_lesson(extra=True))))
        *_, last = read_to_the_end(reading)
        assert (last.share, last.source, last.is_right) == (1, "self", False)

    def test_in_the_order_of_the_lesson(self) -> None:
        reading = make_reading()
        look(reading, NOON)
        for stop in ("which-one", "what-prints"):
            with pytest.raises(Refused, match="not come to such a question yet"):
                commit(reading, stop, [canary("key-what-prints")], None, NOON)
            with pytest.raises(Refused, match="not come to such a question yet"):
                save_draft(reading, stop, ["x"], NOON)
        assert Draw.objects.count() == 1

    def test_not_before_it_was_shown(self) -> None:
        with pytest.raises(Refused, match="not been shown"):
            commit(make_reading(), "how-many", ["7"], None, NOON)

    @pytest.mark.parametrize("stop", ["", "none", "one", "how-many\0", "\ud800", "x" * 100_000])
    def test_a_stop_of_another_lesson_or_of_none(self, stop: str) -> None:
        reading = make_reading()
        look(reading, NOON)
        for act in (
            lambda: commit(reading, stop, ["7"], None, NOON),
            lambda: save_draft(reading, stop, ["7"], NOON),
        ):
            with pytest.raises(Refused, match="not come to such a question yet"):
                act()

    def test_another_course_has_predictions_of_its_own(self) -> None:
        here, there = make_lesson(), make_lesson()
        learner = enrol(here.course)
        enrol(there.course, learner)
        mine, other = make_reading(here, learner), make_reading(there, learner)
        predict(mine, "7")
        assert queries.standing(other).done == 0
        with pytest.raises(Refused, match="not come"):
            commit(other, "which-one", ["x"], None, NOON)

    def test_who_has_left_the_course_predicts_no_more(self) -> None:
        reading = make_reading()
        look(reading, NOON)
        reading.learner.enrolments.update(active=False)
        with pytest.raises(Refused, match="not enrolled"):
            commit(reading, "how-many", ["7"], None, NOON)

    def test_until_it_closes_and_an_extension_moves_that(self) -> None:
        lesson = make_lesson(due_at=NOON, closes_at=NOON)
        last = NOON.replace(second=59, microsecond=999_999)
        in_time, late, extended = (make_reading(lesson, started_at=NOON) for _ in range(3))
        make_extension(lesson.item, extended.learner, NOON + timedelta(1))
        for reading in (in_time, late, extended):
            look(reading, NOON)
        assert commit(in_time, "how-many", ["7"], None, last).is_new
        for act in (commit, lambda *a: save_draft(a[0], a[1], a[2], a[4])):
            with pytest.raises(Refused, match="closed on Thu 5 Mar 2026, 13:00 CET"):
                act(late, "how-many", ["7"], None, NOON + timedelta(minutes=1))
        assert commit(extended, "how-many", ["7"], None, NOON + timedelta(minutes=1)).is_new

    def test_what_a_receiver_cannot_take_is_not_committed(self) -> None:
        reading = make_reading()

        def fail(**_: Any) -> None:
            raise RuntimeError

        committed.connect(fail)
        try:
            with pytest.raises(RuntimeError):
                predict(reading, "7")
        finally:
            committed.disconnect(fail)
        assert not Prediction.objects.exists()

    def test_the_number_of_queries(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        reading = make_reading()
        look(reading, NOON)
        with django_assert_num_queries(10):  # two are the savepoint, here inside another; two the gradebook's
            commit(reading, "how-many", ["7"], 2, NOON)
        with django_assert_num_queries(4):
            commit(reading, "how-many", ["7"], 2, NOON)
        read_to_the_end(reading)
        with django_assert_num_queries(2):  # the draws with their predictions, and the staff's marks
            look(reading, NOON)

    def test_nobody_waits_for_the_text_of_a_version(self) -> None:
        reading = make_reading()
        look(reading, NOON)
        with CaptureQueriesContext(connection) as asked:
            commit(reading, "how-many", ["7"], None, NOON)
        assert not [
            each["sql"] for each in asked if "lessonversion" in each["sql"] and '"text"' in each["sql"]
        ]


class TestInvalid:
    def test_it_is_no_commit_says_what_to_type_and_becomes_the_draft(self) -> None:
        reading = make_reading()
        with pytest.raises(Invalid, match="type 3145 for the whole number"):
            predict(reading, "3,145")
        assert not Prediction.objects.exists()
        assert waiting(look(reading, NOON)).draft == ("3,145",)
        assert predict(reading, "7").is_new

    @pytest.mark.parametrize("forged", ["second", "first", "0", "ab" * 16])
    def test_a_forged_option(self, forged: str) -> None:
        reading = make_reading()
        predict(reading, "7")
        with pytest.raises(Invalid, match="none of those that this page shows"):
            predict(reading, forged)

    def test_an_option_of_somebody_else(self) -> None:
        lesson = make_lesson()
        mine, theirs = make_reading(lesson), make_reading(lesson)
        for reading in (mine, theirs):
            predict(reading, "7")
        borrowed = option(look(theirs, NOON), "The latter")
        with pytest.raises(Invalid):
            predict(mine, borrowed)
        assert predict(theirs, borrowed).prediction.is_right

    @pytest.mark.parametrize("confidence", [0, 5, -1, 10**30])
    def test_a_confidence_that_there_is_not(self, confidence: int) -> None:
        reading = make_reading()
        with pytest.raises(Invalid, match="how sure"):
            predict(reading, "7", confidence=confidence)
        assert waiting(look(reading, NOON)).draft == ("7",)

    @pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
    @pytest.mark.parametrize("act", ["commit", "draft"])
    def test_whatever_comes_is_taken_whole_or_not_at_all(self, text: str, act: str) -> None:
        reading = make_reading()
        look(reading, NOON)
        save_draft(reading, "how-many", ["before"], NOON)
        kept = ("before",)
        try:
            if act == "commit":
                commit(reading, "how-many", [text], None, NOON)
            else:
                save_draft(reading, "how-many", [text], NOON)
            kept = (text,)
        except Refused:
            assert len(text) > MOST_DRAFTED
        except Invalid:
            kept = (text,) if len(text) <= MOST_DRAFTED else kept
        assert not Prediction.objects.exists()
        assert waiting(look(reading, NOON)).draft == kept, "exactly as it was typed"

    def test_ten_thousand_cells(self) -> None:
        reading = make_reading()
        with pytest.raises(Invalid):
            predict(reading, *["7"] * 10_000)
        with pytest.raises(Refused, match="too long"):
            save_draft(reading, "how-many", ["7"] * 10_000, NOON)
        assert waiting(look(reading, NOON)).draft == ()

    def test_an_answer_in_a_sea_of_spaces(self) -> None:
        text = small_lesson().replace(
            "type: number\ngiven: {}\nanswer: 7", "type: vector\nshape: 2\nanswer: [7, 8]"
        )
        text = text.replace(f"+++ if answer=8\nOne too many {canary('branch-how-many')}.\n", "")
        reading = make_reading(make_lesson(version=make_lesson_version(text)))
        with pytest.raises(Invalid, match="too long"):
            predict(reading, *([" " * 1_500] * 20 + ["7, 8"]))
        assert predict(reading, "7, 8").prediction.is_right


class TestDraw:
    @pytest.fixture
    def varied(self) -> Callable[[], Reading]:
        lesson = make_lesson(version=make_lesson_version(LESSON, DATA))
        return lambda: make_reading(lesson)

    def test_what_was_drawn_is_frozen_and_its_own(self, varied: Callable[[], Reading]) -> None:
        readings = [varied() for _ in range(12)]
        draws = [draw_at(each, "bank-least") for each in readings]
        assert len({str(draw.given) for draw in draws}) > 4
        for reading, draw in zip(readings, draws, strict=True):
            again = draw_at(reading, "bank-least")
            assert again == draw
            assert (again.given, again.facts, again.key) == (draw.given, draw.facts, draw.key)
            assert list(again.given["keys"]) == ["the", "river", "bank"], "in the author's order"
            assert again.facts["key"] not in again.given

    def test_it_is_marked_by_what_was_frozen(self, varied: Callable[[], Reading]) -> None:
        reading = varied()
        draw = draw_at(reading, "bank-least")
        place = draw.key["places"][0]
        prediction = commit(reading, "bank-least", [str(place)], None, NOON).prediction
        assert prediction.is_right
        (stop,) = answered(look(reading, NOON))
        assert stop.key == stop.response == (draw.facts["key"],)
        assert stop.facts == draw.facts

    def test_a_mistake_that_no_right_answer_could_be_is_named(self) -> None:
        """Shares that were hidden after the softmax sum to less than 1, and that is not all there is to say."""
        text = small_lesson().replace(
            "type: number\ngiven: {}\nanswer: 7\natol: 0",
            "type: vector\nshape: 2\nweights: true\natol: 0.01\nanswer: {ref: causal_row}\n"
            "given: {scores: [[0, 0], [0, 4]], position: 1}",
        )
        text = text.replace("+++ if answer=8", "+++ if answer=masked-after-softmax")
        reading = make_reading(make_lesson(version=make_lesson_version(text)))
        assert predict(reading, "0.5, 0").prediction.error == "masked-after-softmax"
        (stop,) = answered(look(reading, NOON))
        assert len(stop.branches) == 1

    def test_the_secret_decides(self, varied: Callable[[], Reading], settings: Any) -> None:
        from softmark.lessons.drawing import secret

        before = secret()
        settings.SECRET_KEY = "another"
        assert secret() != before


class TestStanding:
    """What a page is made of. tests/lessons/db/test_walks.py goes any way there is."""

    def test_it_grows_with_each_prediction(self) -> None:
        reading = make_reading()
        seen = []
        while True:
            standing = look(reading, NOON)
            seen.append({each.removeprefix("canary-0-").removesuffix("-end") for each in reachable(standing)})
            if standing.reached is None:
                break
            predict(reading, right_answer(standing))
        assert [sorted(now - before) for before, now in zip([set(), *seen], seen, strict=False)] == [
            ["part-1"],
            ["data-2", "part-2", "reveal-how-many"],
            ["part-3", "reveal-which-one"],
            ["data-4", "key-what-prints", "part-4", "reveal-what-prints"],
        ]
        assert (standing.stops, standing.done) == (3, 3)

    def test_the_text_for_an_answer_is_for_those_who_gave_it(self) -> None:
        lesson = make_lesson()
        wrong, right = make_reading(lesson), make_reading(lesson)
        predict(wrong, "8")
        predict(right, "7")
        assert canary("branch-how-many") in reachable(look(wrong, NOON))
        assert canary("branch-how-many") not in reachable(look(right, NOON))

    def test_an_author_is_not_seen_through_the_options(self) -> None:
        lesson = make_lesson()
        orders = set()
        for _ in range(12):
            reading = make_reading(lesson)
            predict(reading, "7")
            options = waiting(look(reading, NOON)).settings.options
            assert not {each.id for each in options} & {"first", "second", "third"}
            orders.add(tuple(each.text for each in options))
        assert len(orders) > 2

    def test_a_model_answer_is_not_seen_before(self) -> None:
        reading = make_reading(make_lesson(version=make_lesson_version(small_lesson(extra=True))))
        for _ in range(3):
            predict(reading, right_answer(look(reading, NOON)))
        assert waiting(look(reading, NOON)).id == "in-your-words"
        secrets = {canary("model"), canary("idea")}
        assert not secrets & reachable(look(reading, NOON))
        predict(reading, right_answer(look(reading, NOON)))
        assert secrets <= reachable(look(reading, NOON))

    @pytest.mark.parametrize("name", TYPES)
    def test_what_is_secret_of_a_type_is_among_its_settings(self, name: str) -> None:
        """standing.py empties the settings that are called so."""
        if TYPES[name].secret_keys:
            asked = question_of(name, model="m", ideas=["a", "b", "c"])
            assert TYPES[name].secret_keys <= {each.name for each in fields(asked.settings)}

    def test_reading_only_draws_nothing(self) -> None:
        standing = queries.standing(make_reading())
        assert standing.reached == "how-many"
        assert standing.parts[-1].stop is None
        assert not Draw.objects.exists()

    def test_an_edit_leaves_those_alone_who_have_begun(self) -> None:
        lesson = make_lesson()
        reading = make_reading(lesson)
        predict(reading, "7")
        before = queries.standing(reading)
        place(lesson.course, make_lesson_version(small_lesson(1, extra=True), small_data(1)))
        assert queries.standing(reading) == before
        assert len(read_to_the_end(reading)) == 2
        newer = begin(lesson, enrol(lesson.course), NOON)
        assert canary("part-1", 1) in reachable(look(newer, NOON))

    def test_a_version_that_cannot_be_read_any_more_is_told_in_a_sentence(self) -> None:
        reading = make_reading()
        stop = waiting(look(reading, NOON))
        assert isinstance(stop, Asked)
        broken = make_lesson_version().__class__.objects.create(
            slug="old", digest="0" * 64, title="Old", minutes=1, text="---\nid: old\n---\nWords.\n"
        )
        old = make_reading(reading.lesson, enrol(reading.lesson.course), version=broken)
        for act in (lambda: look(old, NOON), lambda: commit(old, "how-many", ["7"], None, NOON)):
            with pytest.raises(Refused, match="cannot be shown at the moment"):
                act()
