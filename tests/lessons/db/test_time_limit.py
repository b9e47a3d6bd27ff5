"""A time limit that runs out: a valid draft is committed and says so, else there is no answer, and all parts open."""

from __future__ import annotations

from datetime import timedelta

import pytest

from softmark.lessons.actions import Refused, begin, commit, look, save_draft, settle
from softmark.lessons.models import Prediction, Reading
from tests.factories import enrol, make_extension, make_lesson, make_reading, make_schedule
from tests.lessons.db.steps import NOON, answered, hearing, option, predict, reachable, waiting
from tests.lessons.small_lesson import canary

pytestmark = pytest.mark.django_db

END = NOON + timedelta(minutes=10)
JUST_BEFORE = END - timedelta(microseconds=1)


@pytest.fixture
def reading() -> Reading:
    return make_reading(started_at=NOON, minutes=10)


def test_it_begins_with_the_reading() -> None:
    lesson = make_lesson(time_limit=10)
    reading = begin(lesson, enrol(lesson.course), NOON)
    assert reading.ends_at == END
    lesson.time_limit = 5
    lesson.save()
    assert begin(lesson, reading.learner, NOON).ends_at == END, "whoever has begun keeps theirs"


def test_until_its_last_moment_a_prediction_is_taken(reading: Reading) -> None:
    look(reading, NOON)
    assert commit(reading, "how-many", ["7"], None, JUST_BEFORE).prediction.how == "learner"


def test_a_draft_that_is_an_answer_is_committed_and_says_so(reading: Reading) -> None:
    look(reading, NOON)
    save_draft(reading, "how-many", ["7"], JUST_BEFORE)
    with hearing() as heard:
        done = commit(reading, "how-many", ["8"], 4, END)
    assert not done.is_new
    first = done.prediction
    assert (first.how, first.posted, first.is_right, first.confidence) == ("time limit", ["7"], True, None)
    assert first.committed_at == END
    assert [(each.draw.question, each.response is None) for each in heard] == [
        ("how-many", False),
        ("which-one", True),
        ("what-prints", True),
    ]


def test_a_lesson_that_closes_first_ends_the_time() -> None:
    """Whatever is kept until then is settled then, and is as late as the last moment at which it could be committed."""
    closes_at = NOON + timedelta(minutes=5)
    lesson = make_lesson(due_at=closes_at, closes_at=closes_at)
    reading = make_reading(lesson, started_at=NOON, minutes=10)
    look(reading, NOON)
    last = closes_at + timedelta(seconds=59)  # the minute that it names is theirs
    save_draft(reading, "how-many", ["7"], last)
    assert settle(reading, last) == ()
    settled = settle(reading, closes_at + timedelta(minutes=1))
    assert [each.response is None for each in settled] == [False, True, True]
    assert {each.committed_at for each in settled} == {closes_at}
    make_schedule(lesson.item, closes_at=NOON - timedelta(days=1))  # once somebody has begun
    other = make_reading(lesson, started_at=NOON, minutes=10)
    assert {each.committed_at for each in settle(other, NOON)} == {NOON}


def test_an_extension_moves_the_close_for_whoever_has_it() -> None:
    lesson = make_lesson(due_at=NOON, closes_at=NOON)
    reading = make_reading(lesson, started_at=NOON - timedelta(minutes=5), minutes=10)
    make_extension(lesson.item, reading.learner, NOON + timedelta(days=1))
    look(reading, NOON)
    assert settle(reading, NOON + timedelta(minutes=4)) == ()
    assert len(settle(reading, NOON + timedelta(minutes=5))) == 3


def test_a_drafted_choice_is_one_of_this_draw(reading: Reading) -> None:
    predict(reading, "7")
    save_draft(reading, "which-one", [option(look(reading, NOON), "The latter")], NOON)
    first, last = settle(reading, END)
    assert (first.draw.question, first.is_right, last.response) == ("which-one", True, None)


@pytest.mark.parametrize("draft", [None, ["3,145"], [""], ["\0"], ["\ud800"], []])
def test_what_is_no_answer_is_none_and_the_lesson_opens(reading: Reading, draft: list[str] | None) -> None:
    look(reading, NOON)
    if draft is not None:
        save_draft(reading, "how-many", draft, NOON)
    standing = look(reading, END + timedelta(days=1))
    assert standing.reached is None
    assert [stop.response for stop in answered(standing)] == [None] * 3
    assert {(each.how, each.share, each.committed_at) for each in Prediction.objects.all()} == {
        ("time limit", 0, END)
    }
    assert Prediction.objects.get(draw__question="how-many").posted == (draft or [])
    assert canary("reveal-what-prints") in reachable(standing)
    reading.refresh_from_db()
    assert reading.finished_at == END


def test_a_draft_comes_too_late_as_well(reading: Reading) -> None:
    look(reading, NOON)
    with pytest.raises(Refused, match="answered this question already"):
        save_draft(reading, "how-many", ["7"], END)
    assert Prediction.objects.filter(response__isnull=True).count() == 3, "a refusal does not take it back"


def test_what_was_predicted_stays(reading: Reading) -> None:
    first = predict(reading, "8").prediction
    settled = settle(reading, END)
    assert [each.draw.question for each in settled] == ["which-one", "what-prints"]
    first.refresh_from_db()
    assert (first.how, first.posted) == ("learner", ["8"])
    assert settle(reading, END) == ()


def test_nothing_is_settled_before(reading: Reading) -> None:
    look(reading, NOON)
    assert settle(reading, JUST_BEFORE) == ()
    assert waiting(look(reading, JUST_BEFORE)).id == "how-many"
    assert settle(make_reading(), END) == ()
