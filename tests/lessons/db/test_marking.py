"""What is said after a commit: ticks once, marks that are only added to, and nothing before the commit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import IntegrityError, connection, transaction

from softmark.courses.models import Role
from softmark.lessons import queries
from softmark.lessons.actions import Refused, look
from softmark.lessons.marking import Conflict, Marking, Ticked, mark, take_back, tick
from softmark.lessons.models import Prediction, Reading, SelfReview, StaffMark
from softmark.lessons.questions import Invalid
from softmark.lessons.signals import marked
from tests.factories import enrol, make_lesson, make_lesson_version, make_reading
from tests.lessons.db.steps import NOON, answered, at_once, predict, read_to_the_end
from tests.lessons.small_lesson import small_lesson

pytestmark = pytest.mark.django_db

STOP = "in-your-words"


@pytest.fixture
def reading() -> Reading:
    return make_reading(make_lesson(version=make_lesson_version(small_lesson(extra=True))))


@pytest.fixture
def written(reading: Reading) -> Prediction:
    """A free text."""
    return read_to_the_end(reading)[-1]


def staff(reading: Reading) -> Callable[[Prediction, int], Marking]:
    ta = enrol(reading.lesson.course, role=Role.TA)
    return lambda prediction, seen: Marking(prediction, ta, seen)


class TestTick:
    def test_the_first_time_counts(self, reading: Reading, written: Prediction) -> None:
        assert answered(look(reading, NOON))[-1].ticked is None
        first = tick(reading, STOP, ["2", "0"], NOON)
        assert (first.review.ideas, first.is_new) == ([0, 2], True)
        again = tick(reading, STOP, ["1"], NOON)
        assert (again.review, again.is_new) == (first.review, False)
        assert answered(look(reading, NOON))[-1].ticked == (0, 2)

    def test_none_is_an_answer(self, reading: Reading, written: Prediction) -> None:
        assert tick(reading, STOP, [], NOON).review.ideas == []
        assert answered(look(reading, NOON))[-1].ticked == ()

    @pytest.mark.parametrize("forged", [["3"], ["-1"], ["00"], ["one idea"], ["0", "1", "2", "0"], ["\0"]])
    def test_what_is_no_idea(self, reading: Reading, written: Prediction, forged: list[str]) -> None:
        with pytest.raises(Invalid, match="none of the ideas"):
            tick(reading, STOP, forged, NOON)
        assert not SelfReview.objects.exists()

    def test_not_before_the_commit(self, reading: Reading) -> None:
        """And the refusal does not tell what sort of question it is."""
        look(reading, NOON)
        refusals = set()
        for stop in ("how-many", "which-one", STOP, "nowhere"):
            with pytest.raises(Refused, match="Commit your own answer first") as refused:
                tick(reading, stop, ["0"], NOON)
            refusals.add(refused.value.reason)
        assert len(refusals) == 1
        assert not SelfReview.objects.exists()

    def test_where_there_is_nothing_to_tick(self, reading: Reading) -> None:
        predict(reading, "7")
        with pytest.raises(Refused, match="nothing to tick"):
            tick(reading, "how-many", ["0"], NOON)

    def test_no_answer_has_no_ideas(self) -> None:
        version = make_lesson_version(small_lesson(extra=True))
        reading = make_reading(make_lesson(version=version), started_at=NOON, minutes=10)
        with pytest.raises(Refused, match="nothing to tick"):
            tick(reading, STOP, ["0"], NOON + timedelta(minutes=10))

    def test_it_is_a_thing_of_the_reader(self, reading: Reading, written: Prediction) -> None:
        classmate = make_reading(reading.lesson)
        with pytest.raises(Refused, match="Commit your own"):
            tick(classmate, STOP, ["0"], NOON)
        reading.lesson.item.visible = False
        reading.lesson.item.save()
        with pytest.raises(Refused, match="hidden"):
            tick(queries.readings().get(pk=reading.pk), STOP, ["0"], NOON)


class TestMark:
    def test_the_newest_counts_and_the_first_is_kept(self, reading: Reading, written: Prediction) -> None:
        by, heard = staff(reading), []

        def hear(mark: StaffMark, **_: object) -> None:
            assert connection.in_atomic_block
            heard.append(mark)

        marked.connect(hear)
        try:
            first = mark(by(written, 0), Fraction(1, 3), "  One of three. ", NOON)
            second = mark(by(written, first.pk), Fraction(1), "", NOON)
            back = take_back(by(written, second.pk), NOON)
        finally:
            marked.disconnect(hear)
        assert heard == [first, second, back] == list(written.staff_marks.all())
        assert [each.share for each in heard] == [Decimal("0.333333"), 1, None]
        assert first.comment == "One of three."

    def test_the_learner_sees_it(self, reading: Reading, written: Prediction) -> None:
        by = staff(reading)
        first = mark(by(written, 0), Fraction(1, 2), "Half of it.", NOON)
        stop = answered(look(reading, NOON))[-1]
        assert (stop.share, stop.source, stop.right, stop.comment) == (
            Decimal("0.5"),
            "ta",
            False,
            "Half of it.",
        )
        second = mark(by(written, first.pk), Fraction(1), "", NOON)
        stop = answered(look(reading, NOON))[-1]
        assert (stop.source, stop.right, stop.comment) == ("ta", True, "")
        take_back(by(written, second.pk), NOON)
        stop = answered(look(reading, NOON))[-1]
        assert (stop.share, stop.source, stop.right) == (1, "self", False)

    def test_the_learner_sees_it_once_grades_are_released(
        self, reading: Reading, written: Prediction
    ) -> None:
        item = reading.lesson.item
        item.released = False
        item.save()
        mark(staff(reading)(written, 0), Fraction(1, 2), "Half of it.", NOON)
        stop = answered(look(queries.readings().get(pk=reading.pk), NOON))[-1]
        assert (stop.share, stop.source, stop.comment) == (1, "self", "")

    def test_a_rule_can_be_overruled(self, reading: Reading) -> None:
        wrong = predict(reading, "8").prediction
        mark(staff(reading)(wrong, 0), Fraction(1), "The question was unclear.", NOON)
        (stop,) = answered(look(reading, NOON))
        assert (stop.right, stop.source) == (True, "ta")
        wrong.refresh_from_db()
        assert (wrong.share, wrong.source) == (0, "rule")

    def test_who_was_slower_is_told(self, reading: Reading, written: Prediction) -> None:
        by = staff(reading)
        first = mark(by(written, 0), Fraction(1), "", NOON)
        for seen in (0, first.pk + 1):
            with pytest.raises(Conflict):
                mark(by(written, seen), Fraction(0), "Mine.", NOON)
            with pytest.raises(Conflict):
                take_back(by(written, seen), NOON)
        assert written.staff_marks.get() == first

    def test_nothing_to_take_back(self, reading: Reading, written: Prediction) -> None:
        by = staff(reading)
        with pytest.raises(Refused, match="no mark"):
            take_back(by(written, 0), NOON)
        back = take_back(by(written, mark(by(written, 0), Fraction(1), "", NOON).pk), NOON)
        with pytest.raises(Refused, match="no mark"):
            take_back(by(written, back.pk), NOON)

    def test_not_ones_own_and_no_trial(self, reading: Reading, written: Prediction) -> None:
        with pytest.raises(Refused, match="your own"):
            mark(Marking(written, reading.learner, 0), Fraction(1), "", NOON)
        lesson = reading.lesson
        trial = make_reading(lesson, enrol(lesson.course, role=Role.TA), trial=True)
        tried = predict(trial, "7").prediction
        with pytest.raises(Refused, match="counts nowhere"):
            mark(staff(reading)(tried, 0), Fraction(1), "", NOON)

    def test_neither_is_ever_changed(self, reading: Reading, written: Prediction) -> None:
        tick(reading, STOP, ["0"], NOON)
        mark(staff(reading)(written, 0), Fraction(1), "", NOON)
        for change in (
            lambda: SelfReview.objects.update(ideas=[1]),
            lambda: StaffMark.objects.update(share=0),
            lambda: SelfReview.objects.all().delete(),
            lambda: StaffMark.objects.all().delete(),
        ):
            with pytest.raises(IntegrityError), transaction.atomic():
                change()


class TestWhatIsToBeRead:
    def test_free_texts_that_no_staff_has_marked(self, reading: Reading, written: Prediction) -> None:
        lesson = reading.lesson
        other = read_to_the_end(make_reading(lesson))[-1]
        read_to_the_end(make_reading(lesson, enrol(lesson.course, role=Role.TA), trial=True))
        gone = make_reading(lesson)
        read_to_the_end(gone)
        gone.learner.enrolments.update(active=False)
        (waiting,) = queries.free_texts_to_read(lesson.course)
        assert (waiting.slug, waiting.title, waiting.count) == ("listening", "Listening", 2)
        mark(staff(reading)(other, 0), Fraction(1), "", NOON)
        assert queries.free_texts_to_read(lesson.course)[0].count == 1
        last = mark(staff(reading)(written, 0), Fraction(0), "", NOON)
        assert queries.free_texts_to_read(lesson.course) == ()
        take_back(staff(reading)(written, last.pk), NOON)
        assert queries.free_texts_to_read(lesson.course)[0].count == 1
        assert queries.counting(make_lesson().course).count() == 0


@pytest.mark.django_db(transaction=True)
def test_twenty_ticks_are_one_review() -> None:
    reading = make_reading(make_lesson(version=make_lesson_version(small_lesson(extra=True))))
    read_to_the_end(reading)
    results = at_once(20, lambda index: tick(reading, STOP, [str(index % 3)], NOON))
    done = [each for each in results if isinstance(each, Ticked)]
    assert len(done) == 20
    assert sum(each.is_new for each in done) == 1
    assert {each.review for each in done} == {SelfReview.objects.get()}


@pytest.mark.django_db(transaction=True)
def test_of_ten_who_mark_at_once_one_does() -> None:
    reading = make_reading(make_lesson(version=make_lesson_version(small_lesson(extra=True))))
    written = read_to_the_end(reading)[-1]
    by = staff(reading)

    def act(index: int) -> object:
        try:
            return mark(by(written, 0), Fraction(index, 10), "", NOON)
        except Conflict as conflict:
            return conflict

    results = at_once(10, act)
    assert sum(isinstance(each, Conflict) for each in results) == 9
    assert [StaffMark.objects.get()] == [each for each in results if isinstance(each, StaffMark)]
