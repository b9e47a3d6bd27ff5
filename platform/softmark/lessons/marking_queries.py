"""Reading what students predicted, for staff who mark it: the list, and one of it with its neighbours."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Case, Q, QuerySet, When

from softmark.lessons.compiled import Compiled, Unshowable, compiled
from softmark.lessons.models import Lesson, LessonVersion, Prediction
from softmark.lessons.pages.marking import Desk, ListFilter, MarkingPage, desk_of, question_names, row_of
from softmark.lessons.queries import WAITS, counting
from softmark.lessons.questions import Source
from softmark.lessons.standing import Answered, answered

ROWS_A_PAGE = 100


def marking_page(lesson: Lesson, asked: ListFilter, page: str) -> MarkingPage:
    """Six queries, and one for each version that this process has not read yet."""
    part = Paginator(_whole(_asked_for(lesson, asked)), ROWS_A_PAGE).get_page(page)
    rows, unshowable = [], ""
    for prediction in part.object_list:
        try:
            rows.append(row_of(prediction, *_answer(prediction), asked))
        except Unshowable as trouble:
            unshowable = str(trouble)
    named = (
        _of(lesson, asked.every)
        .order_by("draw__question")
        .values_list("draw__question", flat=True)
        .distinct()
    )
    names = question_names(list(named), _current(lesson))
    waiting = _of(lesson).filter(WAITS).count()
    return MarkingPage(lesson, asked, tuple(rows), part, names, waiting, unshowable)


def desk(lesson: Lesson, pk: int, asked: ListFilter) -> Desk | None:
    """None where there is no such prediction among those that staff mark. Raises Unshowable."""
    listed = _asked_for(lesson, asked)
    prediction = _whole(_of(lesson, every=True).filter(pk=pk)).first()
    if prediction is None:
        return None
    content, stop = _answer(prediction)
    before, after = _neighbours(listed, prediction, waits=stop.source == Source.SELF)
    return desk_of(
        lesson, asked, prediction, content, stop, before=before, after=after, waiting=listed.filter(WAITS).count()
    )  # fmt: skip


def next_to_read(lesson: Lesson, prediction: Prediction, asked: ListFilter) -> int | None:
    """The next of the list that nobody of the staff has marked, from the beginning again after the last."""
    waiting = _asked_for(lesson, asked).filter(WAITS).exclude(pk=prediction.pk).values_list("pk", flat=True)
    later = waiting.filter(_later(prediction))
    return later.first() or waiting.first()


def _of(lesson: Lesson, every: bool = False) -> QuerySet[Prediction]:
    """The free texts of a lesson, or all predictions."""
    found = counting(lesson.course).filter(draw__reading__lesson=lesson)
    return found if every else found.filter(source=str(Source.SELF))


def _asked_for(lesson: Lesson, asked: ListFilter) -> QuerySet[Prediction]:
    """Those that nobody of the staff has marked before the others; first come, first read."""
    found = _of(lesson, asked.every)
    if asked.question:
        found = found.filter(draw__question=asked.question)
    if asked.state:
        found = found.filter(WAITS if asked.state == "waiting" else Q(staff_share__isnull=False))
    return found.annotate(turn=Case(When(WAITS, then=0), default=1)).order_by("turn", "committed_at", "pk")


def _whole(found: QuerySet[Prediction]) -> QuerySet[Prediction]:
    """With all that is shown of one."""
    return (
        found.select_related("draw__reading__learner", "draw__reading__version", "self_review")
        .defer(*LessonVersion.large("draw__reading__version__"))
        .prefetch_related("staff_marks__by")
    )


def _current(lesson: Lesson) -> Compiled | None:
    """None where the site cannot show it."""
    try:
        return compiled(lesson.version)
    except Unshowable:
        return None


def _answer(prediction: Prediction) -> tuple[Compiled, Answered]:
    """Raises Unshowable."""
    content = compiled(prediction.draw.reading.version)
    return content, answered(content.questions[prediction.draw.question], prediction.draw, prediction)


def _neighbours(
    listed: QuerySet[Prediction], prediction: Prediction, waits: bool
) -> tuple[int | None, int | None]:
    """Those before and after it in the list, where what waits comes first; none where it is not in it."""
    if not listed.filter(pk=prediction.pk).exists():
        return None, None
    later = _later(prediction)
    follows = (WAITS & later) | ~WAITS if waits else ~WAITS & later
    others = listed.exclude(pk=prediction.pk).values_list("pk", flat=True)
    return others.filter(~follows).last(), others.filter(follows).first()


def _later(prediction: Prediction) -> Q:
    """What was committed after it."""
    at = prediction.committed_at
    return Q(committed_at__gt=at) | Q(committed_at=at, pk__gt=prediction.pk)
