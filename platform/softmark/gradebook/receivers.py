"""A run that ends, a prediction and a mark become events, in the transactions that write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.dispatch import receiver

from softmark.courses.models import Enrolment
from softmark.coursework.routing import Queue
from softmark.gradebook.entries import Kind
from softmark.gradebook.models import Event
from softmark.grading.models import Run
from softmark.grading.signals import run_finished
from softmark.lessons.credit import credited
from softmark.lessons.models import Prediction, StaffMark
from softmark.lessons.signals import committed, marked
from softmark.submissions.models import Status, Submission


@receiver(run_finished)
def append_result(run: Run, **kwargs: Any) -> None:
    """Not of a fault, which must cost nobody anything, nor of a batch, which counts only once it is applied."""
    student, item, course, number, received_at, status, queue = Submission.objects.values_list(
        "student_id",
        "assignment__item_id",
        "assignment__item__course_id",
        "number",
        "received_at",
        "status",
        "queue",
    ).get(pk=run.submission_id)
    if status != Status.GRADED or queue == Queue.BATCH:
        return
    _lock(course, student)
    Event.objects.create(
        kind=Kind.AUTO.value, course_id=course, item_id=item, student_id=student, submission_id=run.submission_id,
        number=number, received_at=received_at, run=run, points=run.points, max_points=run.max_points,
    )  # fmt: skip


@receiver(committed)
def append_prediction(prediction: Prediction, stops: Sequence[str], **kwargs: Any) -> None:
    """Not of a revisit, nor of staff who try the lesson."""
    draw, reading = prediction.draw, prediction.draw.reading
    if draw.number or reading.trial:
        return
    item, student = reading.lesson.item, reading.learner_id
    own = credited(prediction.share, prediction.source)
    _lock(item.course_id, student)
    Event.objects.create(
        kind=Kind.QUIZ.value, course_id=item.course_id, item=item, student_id=student, prediction=prediction,
        number=stops.index(draw.question) + 1, stops=len(stops), received_at=prediction.committed_at,
        share=own.share, source=own.source, answered=prediction.response is not None,
    )  # fmt: skip


@receiver(marked)
def append_mark(mark: StaffMark, **kwargs: Any) -> None:
    """Also of one that takes back those before it: what the prediction is by itself counts again. What has no event
    of its own does not count, nor what was taken back, whatever its marks.
    """
    prediction = mark.prediction
    of = Event.objects.filter(prediction=prediction, mark=None).first()
    if of is None:
        return
    credit = credited(prediction.share, prediction.source, (mark.share,))
    _lock(of.course_id, of.student_id)
    Event.objects.create(
        kind=of.kind, course_id=of.course_id, item_id=of.item_id, student_id=of.student_id, prediction=prediction,
        mark=mark, number=of.number, stops=of.stops, received_at=of.received_at, answered=of.answered,
        share=credit.share, source=credit.source, actor_id=mark.by_id,
    )  # fmt: skip


def _lock(course: int, student: int | None) -> None:
    """As whoever changes the cell by hand does: one of the two is first, and the other sees it."""
    Enrolment.objects.select_for_update().filter(course=course, user=student).first()
