"""What the database itself refuses, whoever asks it."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from softmark.lessons.actions import look, save_draft
from tests.factories import make_reading
from tests.lessons.db.steps import NOON, predict, read_to_the_end

pytestmark = pytest.mark.django_db

PREDICTION = """INSERT INTO lessons_prediction
(draw_id, posted, response, share, error, source, confidence, how, committed_at)
SELECT id, '[]', {response}, {share}, '', {source}, {confidence}, {how}, now() FROM lessons_draw
WHERE question = 'which-one'"""


def prediction(
    response: str = "'{}'", share: str = "1", source: str = "'rule'", confidence: str = "NULL", how: str = "'learner'"
) -> str:  # fmt: skip
    return PREDICTION.format(
        response=response, share=share, source=source, confidence=confidence, how=how
    )  # fmt: skip


REFUSED = {
    "a second prediction of a draw": "INSERT INTO lessons_prediction "
    "(draw_id, posted, response, share, error, source, how, committed_at) "
    "SELECT draw_id, '[]', '{}', 1, '', 'rule', 'learner', now() FROM lessons_prediction",
    "a changed prediction": "UPDATE lessons_prediction SET share = 1",
    "a prediction taken away": "DELETE FROM lessons_prediction",
    "more than all of the credit": prediction(share="1.5"),
    "less than none": prediction(share="-0.1"),
    "a confidence that there is not": prediction(confidence="5"),
    "a source that there is not": prediction(source="'nobody'"),
    "somebody else": prediction(how="'mother'"),
    "no answer by a learner": prediction(response="NULL", share="0"),
    "credit for no answer": prediction(response="NULL", share="1", how="'time limit'"),
    "confidence in no answer": prediction(
        response="NULL", share="0", confidence="1", how="'time limit'"
    ),
    "a second draw": "INSERT INTO lessons_draw "
    "(reading_id, question, number, given, facts, key, mistakes, reference_version) "
    "SELECT reading_id, question, number, given, facts, key, mistakes, 9 FROM lessons_draw",
    "a draw changed": "UPDATE lessons_draw SET given = '{\"x\": 1}'",
    "a key changed": "UPDATE lessons_draw SET key = '{}'",
    "a draft without its time": "UPDATE lessons_draw SET draft = '[]', drafted_at = NULL",
    "a second reading": "INSERT INTO lessons_reading (lesson_id, learner_id, version_id, started_at) "
    "SELECT lesson_id, learner_id, version_id, now() FROM lessons_reading",
    "a reading begun at another time": "UPDATE lessons_reading SET started_at = now()",
    "a reading that ends before it starts": "UPDATE lessons_reading SET ends_at = started_at",
    "a version changed": "UPDATE lessons_lessonversion SET title = 'Another'",
    "a version twice": "INSERT INTO lessons_lessonversion "
    "(slug, digest, title, minutes, summary, text, data, created_at) "
    "SELECT slug, digest, title, minutes, summary, text, data, now() FROM lessons_lessonversion",
    "a lesson of no time": "UPDATE lessons_lesson SET time_limit = 0",
    "another way to count": "UPDATE lessons_lesson SET counts = 'luck'",
    "two lessons of an item": "INSERT INTO lessons_lesson (item_id, version_id, counts) "
    "SELECT item_id, version_id, counts FROM lessons_lesson",
}  # fmt: skip


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED)
def test_refused(statement: str) -> None:
    reading = make_reading()
    predict(reading, "8")
    look(reading, NOON)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_same_statement_is_taken_where_nothing_is_wrong_with_it() -> None:
    reading = make_reading()
    predict(reading, "8")
    look(reading, NOON)
    save_draft(reading, "which-one", ["x"], NOON)
    with connection.cursor() as cursor:
        cursor.execute(prediction(confidence="4"))
        cursor.execute("UPDATE lessons_draw SET draft = NULL, drafted_at = NULL")
        cursor.execute(
            "UPDATE lessons_reading SET finished_at = now(), ends_at = started_at + interval '1 day'"
        )


def test_what_was_predicted_cannot_be_deleted_from_above() -> None:
    reading = make_reading()
    read_to_the_end(reading)
    for row in (reading.draws.first(), reading, reading.lesson, reading.lesson.item, reading.lesson.course):
        assert row is not None
        with pytest.raises(ProtectedError):
            row.delete()


def test_a_reading_without_predictions_can() -> None:
    reading = make_reading()
    look(reading, NOON)
    reading.lesson.item.delete()
