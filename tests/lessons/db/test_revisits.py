"""What was missed comes back with other numbers: drawn when it is due, predicted once, and planned anew."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest

from softmark.lessons import revisiting
from softmark.lessons.actions import Committed, Refused, commit, look, settle
from softmark.lessons.importing import place
from softmark.lessons.models import Draw, LessonVersion, Prediction, Reading, Revisit, StaffMark
from softmark.lessons.questions import Invalid
from softmark.lessons.revisit_queries import revisits_of
from softmark.lessons.revisits import next_return
from tests.factories import enrol, make_lesson, make_lesson_version, make_reading, make_user
from tests.lessons.db.steps import NOON, at_once, draw_at, hearing, option, predict, right_answer
from tests.lessons.small_lesson import canary, small_data, small_lesson
from tests.lessons.test_source import DATA, LESSON

DAY = timedelta(days=1)
TOMORROW = NOON + DAY

pytestmark = pytest.mark.django_db


def missed(reading: Reading, now: datetime = NOON) -> Revisit:
    """The first stop of the small lesson, answered wrongly."""
    predict(reading, "8", now=now)
    return Revisit.objects.get(reading=reading)


def drawn(revisit: Revisit, now: datetime = TOMORROW) -> Draw:
    draw = revisiting.look(revisit, now)
    assert draw is not None
    return draw


def wrong(draw: Draw) -> list[str]:
    """A token that is not the right one."""
    return [next(str(at) for at in range(3) if at not in draw.key["places"])]


class TestWhatComesBack:
    def test_a_miss_in_the_same_transaction_and_nothing_that_was_right(self) -> None:
        reading = make_reading()
        predict(reading, "7")
        assert not Revisit.objects.exists()
        predict(reading, option(look(reading, NOON), "The former"), confidence=4)
        revisit = Revisit.objects.get()
        assert (revisit.question, revisit.due_at) == ("which-one", TOMORROW)

    def test_once_whatever_comes_afterwards(self) -> None:
        reading = make_reading()
        before = missed(reading)
        commit(reading, "how-many", ["9"], 4, TOMORROW)
        assert (Revisit.objects.get().card, Revisit.objects.get().due_at) == (before.card, before.due_at)

    def test_what_is_partly_right(self) -> None:
        text = small_lesson().replace(
            "type: number\ngiven: {}\nanswer: 7\natol: 0",
            "type: matrix\nshape: [2, 2]\nanswer: [[1, 2], [3, 4]]\natol: 0\nper_cell: true",
        ).replace("+++ if answer=8", "+++ if answer=transposed")  # fmt: skip
        predict(make_reading(make_lesson(version=make_lesson_version(text))), "[[1, 3], [2, 4]]")
        assert Revisit.objects.count() == 1

    def test_no_answer_at_the_end_of_a_time_limit(self) -> None:
        reading = make_reading(started_at=NOON, minutes=10)
        over = NOON + timedelta(minutes=10)
        settle(reading, TOMORROW)
        assert {each.due_at for each in Revisit.objects.all()} == {over + DAY}
        assert Revisit.objects.count() == 3

    def test_no_free_text_and_no_trial(self) -> None:
        reading = make_reading(make_lesson(version=make_lesson_version(small_lesson(extra=True))))
        while (standing := look(reading, NOON)).reached is not None:
            predict(reading, right_answer(standing))
        unanswered = make_reading(
            make_lesson(version=make_lesson_version(small_lesson(extra=True))), started_at=NOON, minutes=10
        )
        settle(unanswered, TOMORROW)
        assert Prediction.objects.filter(draw__reading=unanswered).count() == 4
        asked = set(Revisit.objects.values_list("question", flat=True))
        assert asked == {"how-many", "which-one", "what-prints"}, "no words of one's own are ever right"
        Revisit.objects.all().delete()
        trial = make_reading(started_at=NOON, minutes=10, trial=True)
        assert len(settle(trial, TOMORROW)) == 3
        assert not Revisit.objects.exists()

    def test_only_what_its_learner_sees(self) -> None:
        lesson = make_lesson()
        revisit = missed(make_reading(lesson))
        course, learner = lesson.course, revisit.reading.learner
        assert list(revisits_of(course, learner)) == [revisit]
        assert not revisits_of(course, enrol(course)).exists()
        assert not revisits_of(make_lesson().course, learner).exists()
        lesson.item.visible = False
        lesson.item.save()
        assert not revisits_of(course, learner).exists()

    def test_not_what_staff_say_is_right_after_all(self) -> None:
        """As soon as their marks are shown, and until they take the mark back."""
        revisit = missed(make_reading())
        reading = revisit.reading
        (prediction,) = Prediction.objects.filter(draw__reading=reading, draw__question=revisit.question)

        def comes_back(share: Decimal | None) -> bool:
            StaffMark.objects.create(prediction=prediction, share=share, by=make_user(), at=NOON)
            return revisits_of(reading.lesson.course, reading.learner).exists()

        assert comes_back(Decimal("0.5"))
        assert not comes_back(Decimal(1))
        assert comes_back(None)
        reading.lesson.item.released = False
        reading.lesson.item.save()
        assert comes_back(Decimal(1))


class TestDraw:
    def test_it_is_frozen_when_it_is_first_seen_and_not_before_it_is_due(self) -> None:
        revisit = missed(make_reading())
        assert revisiting.look(revisit, TOMORROW - timedelta(microseconds=1)) is None
        draw = drawn(revisit)
        assert (draw.number, draw.shown_at) == (1, TOMORROW)
        assert drawn(revisit, TOMORROW + DAY) == draw
        assert Draw.objects.count() == 2

    def test_its_options_travel_under_ids_of_their_own(self) -> None:
        reading = make_reading()
        predict(reading, "7")
        old = option(look(reading, NOON), "The latter")
        predict(reading, option(look(reading, NOON), "The former"))
        draw = drawn(Revisit.objects.get())
        with pytest.raises(Invalid, match="none of those"):
            revisiting.commit(draw, [old], None, TOMORROW)

    def test_no_variant_comes_twice_before_all_have_come(self) -> None:
        lesson = make_lesson(version=make_lesson_version(LESSON.replace("count: 20", "count: 4"), DATA))
        reading = make_reading(lesson)
        draws = [draw_at(reading, "bank-least")]
        commit(reading, "bank-least", wrong(draws[0]), None, NOON)
        for _ in range(5):
            revisit = Revisit.objects.get()
            now = revisit.due_at
            draws.append(drawn(revisit, now))
            revisiting.commit(draws[-1], wrong(draws[-1]), None, now)
        assert [each.number for each in draws] == [0, 1, 2, 3, 4, 5]
        said = [str(each.given) for each in draws]
        assert len(set(said[:4])) == len(set(said)) == 4
        assert all(one != next_one for one, next_one in pairwise(said))

    def test_it_is_of_the_version_that_was_read(self) -> None:
        lesson = make_lesson()
        revisit = missed(make_reading(lesson))
        newer = small_lesson(1).replace("answer: 7", "answer: 6").replace("answer=8", "answer=9")
        place(lesson.course, make_lesson_version(newer, small_data(1)))
        revisit.refresh_from_db()
        assert revisiting.commit(drawn(revisit), ["7"], None, TOMORROW).prediction.is_right

    def test_a_version_that_cannot_be_shown_is_refused_with_a_sentence(self) -> None:
        reading = make_reading()
        missed(reading)
        broken = LessonVersion.objects.create(
            slug="old", digest="0" * 64, title="Old", minutes=1, text="---\nid: old\n---\nWords.\n"
        )
        old = make_reading(reading.lesson, enrol(reading.lesson.course), version=broken)
        Draw.objects.create(
            reading=old, question="gone", shown_at=NOON, given={}, facts={}, key={}, reference_version=1
        )
        revisit = Revisit.objects.create(reading=old, question="gone", card={}, due_at=NOON)
        with pytest.raises(Refused, match="cannot be shown"):
            revisiting.look(revisit, NOON)


class TestCommit:
    def test_it_is_practice_and_plans_the_next_return(self) -> None:
        reading = make_reading()
        revisit = missed(reading)
        draw = drawn(revisit)
        done = revisiting.commit(draw, ["7"], 3, TOMORROW)
        assert (done.is_new, done.prediction.is_right, done.prediction.draw) == (True, True, draw)
        revisit.refresh_from_db()
        assert revisit.due_at >= TOMORROW + 2 * DAY
        standing = look(reading, TOMORROW)
        assert (standing.done, standing.reached) == (1, "which-one")
        reading.refresh_from_db()
        assert reading.finished_at is None
        assert revisiting.look(revisit, TOMORROW) is None, "not before it is due again"

    def test_the_first_stays(self) -> None:
        revisit = missed(make_reading())
        draw = drawn(revisit)
        first = revisiting.commit(draw, ["8"], None, TOMORROW).prediction
        revisit.refresh_from_db()
        again = revisiting.commit(draw, ["7"], 4, TOMORROW + DAY)
        assert (again.prediction, again.is_new) == (first, False)
        with pytest.raises(Refused, match="answered this question already"):
            revisiting.save_draft(draw, ["7"], TOMORROW)
        before = revisit.card
        revisit.refresh_from_db()
        assert revisit.card == before

    def test_what_is_invalid_is_no_commit_and_becomes_the_draft(self) -> None:
        revisit = missed(make_reading())
        draw = drawn(revisit)
        with pytest.raises(Invalid):
            revisiting.commit(draw, ["3,145"], None, TOMORROW)
        assert drawn(revisit).draft == ["3,145"]
        revisiting.save_draft(draw, ["7 "], TOMORROW)
        assert drawn(revisit).draft == ["7 "]
        with pytest.raises(Refused, match="too long"):
            revisiting.save_draft(draw, ["7"] * 10_000, TOMORROW)
        assert not Prediction.objects.filter(draw__number=1).exists()

    def test_after_the_lesson_has_closed_but_not_hidden_and_not_after_leaving(self) -> None:
        lesson = make_lesson(closes_at=NOON)
        draw = drawn(missed(make_reading(lesson)))
        lesson.item.visible = False
        lesson.item.save()
        with pytest.raises(Refused, match="hidden"):
            revisiting.commit(draw, ["7"], None, TOMORROW)
        lesson.item.visible = True
        lesson.item.save()
        draw.reading.learner.enrolments.update(active=False)
        with pytest.raises(Refused, match="not enrolled"):
            revisiting.save_draft(draw, ["7"], TOMORROW)
        draw.reading.learner.enrolments.update(active=True)
        assert revisiting.commit(draw, ["7"], None, TOMORROW).is_new

    def test_a_month_in_which_each_miss_comes_back_and_right_answers_stretch(self) -> None:
        reading = make_reading()
        predict(reading, "8")
        predict(reading, option(look(reading, NOON), "The former"))
        predict(reading, canary("key-what-prints"))
        days: dict[str, list[int]] = {"how-many": [], "which-one": []}
        for day in range(1, 31):
            now = NOON + day * DAY
            for revisit in revisits_of(reading.lesson.course, reading.learner).filter(due_at__lte=now):
                days[revisit.question].append(day)
                draw = drawn(revisit, now)
                posted = ["7"] if revisit.question == "how-many" else ["nothing of the sort"]
                try:
                    revisiting.commit(draw, posted, 3, now)
                except Invalid:  # never answered: it waits, as it is
                    assert draw.number == 1
        assert days["which-one"] == list(range(1, 31))
        gaps = [
            after - before for before, after in zip([0, *days["how-many"]], days["how-many"], strict=False)
        ]
        assert gaps == sorted(gaps)
        assert len(gaps) >= 3


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_fifty_predictions_are_one_and_it_is_planned_once(self) -> None:
        revisit = missed(make_reading())
        draws = at_once(8, lambda _: revisiting.look(revisit, TOMORROW))
        (draw,) = set(draws)
        assert isinstance(draw, Draw)
        with hearing() as heard:
            results = at_once(
                50, lambda index: revisiting.commit(draw, [str(index)], index % 4 + 1, TOMORROW)
            )
        done = [each for each in results if isinstance(each, Committed)]
        assert len(done) == 50
        (won,) = [each.prediction for each in done if each.is_new]
        assert {each.prediction for each in done} == {won} == set(heard)
        assert Prediction.objects.get(draw__number=1) == won
        planned = next_return(revisit.card, won.is_right, won.confidence, TOMORROW)
        assert Revisit.objects.values_list("card", "due_at").get() == (planned.card, planned.due_at)
