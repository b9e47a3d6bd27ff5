"""Lessons: frozen versions of a lesson's files, the place of one in a course, and what its learners predicted."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from softmark.courses.models import Course, Item
from softmark.lessons.credit import credited
from softmark.lessons.questions import Source

SURE = (1, 2, 3, 4)  # how sure a learner may be, from a guess to certain


class JsonText(models.TextField):  # type: ignore[type-arg]
    """JSON exactly as it was written: jsonb would reorder its tables, and holds no NUL and no half characters."""

    def from_db_value(self, value: str | None, *_: Any) -> Any:
        return None if value is None else json.loads(value)

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else json.dumps(value)

    def to_python(self, value: Any) -> Any:
        return value

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj))


class LessonVersion(models.Model):
    """A lesson as it was imported. Never changed: what was predicted under it stays explained by it.

    slug:   the lesson's id.
    kind:   what its pages call it.
    digest: SHA-256 of the text and the data, in hex.
    data:   the files beside it that it names: {name: bytes in base64}.
    """

    class Kind(models.TextChoices):
        LESSON = "lesson", "lesson"
        QUIZ = "quiz", "quiz"

    slug = models.SlugField(max_length=60)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.LESSON)
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=200)
    minutes = models.PositiveSmallIntegerField()
    summary = models.TextField(blank=True)
    text = models.TextField()
    data: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("slug", "-id")
        constraints = (
            models.UniqueConstraint(fields=["slug", "digest"], name="lesson_version_once"),
            models.CheckConstraint(condition=Q(minutes__gte=1), name="lesson_version_takes_a_minute"),
            models.CheckConstraint(
                condition=Q(kind__in=["lesson", "quiz"]), name="lesson_version_kind_is_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.slug} {self.called}"

    @staticmethod
    def large(path: str = "") -> tuple[str, ...]:
        """For defer: columns that most pages do without. path: what leads to a version, as in "version__"."""
        return f"{path}text", f"{path}data"

    @property
    def called(self) -> str:
        return self.digest[:12]

    @property
    def stop_word(self) -> str:
        """What a stop is called."""
        return "question" if self.kind == self.Kind.QUIZ else "prediction"

    @property
    def answer_word(self) -> str:
        """What its learners give there."""
        return "answer" if self.kind == self.Kind.QUIZ else "prediction"


class Lesson(models.Model):
    """A lesson in a course: which version new readers get, and how its predictions count.

    time_limit: minutes from when somebody begins; None: as long as they like.
    """

    class Counts(models.TextChoices):
        COMPLETION = "completion", "for being made"
        CORRECTNESS = "correctness", "for being right"

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="lesson")
    version = models.ForeignKey(LessonVersion, on_delete=models.PROTECT, related_name="lessons")
    counts = models.CharField(
        "predictions count", max_length=20, choices=Counts.choices, default=Counts.COMPLETION
    )
    time_limit = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Minutes. Empty: as long as they like."
    )  # fmt: skip

    class Meta:
        ordering: ClassVar = ("item__position", "id")
        constraints = (
            models.CheckConstraint(condition=Q(counts__in=["completion", "correctness"]),
                name="lesson_counts_is_known"),
            models.CheckConstraint(
                condition=Q(time_limit__isnull=True) | Q(time_limit__gte=1), name="lesson_time_limit_is_some_time"
            ),
        )  # fmt: skip

    def __str__(self) -> str:
        return self.item.title

    @property
    def course(self) -> Course:
        return self.item.course


class Reading(models.Model):
    """One learner's way through a lesson; the row that is locked while something is committed.

    version: the one it was begun with, and is read to its end with.
    limit:   minutes of the lesson's time limit when it was begun; ends_at is what that came to for this learner.
    trial:   of staff who try the lesson as a student does: it counts nowhere, and the newest is the one that goes on.
    """

    lesson = models.ForeignKey(Lesson, on_delete=models.CASCADE, related_name="readings")
    learner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="readings")
    version = models.ForeignKey(LessonVersion, on_delete=models.PROTECT, related_name="readings")
    started_at = models.DateTimeField()
    limit = models.PositiveSmallIntegerField(null=True, blank=True)
    ends_at = models.DateTimeField(
        null=True, blank=True, help_text="When the time limit runs out, if there is one."
    )
    finished_at = models.DateTimeField(null=True, blank=True, help_text="When the last stop was committed.")
    trial = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["lesson", "learner"], condition=Q(trial=False), name="one_reading_each"
            ),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gt=F("started_at")), name="reading_ends_after_it_starts"
            ),
        )  # fmt: skip
        indexes = (  # those whose time runs: somebody looks every minute whether one is over
            models.Index(
                fields=["ends_at"], name="reading_under_limit",
                condition=Q(ends_at__isnull=False, finished_at__isnull=True),
            ),
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.learner}'s reading of {self.lesson}"


class Draw(models.Model):
    """What one learner was asked at one stop, frozen when it was first shown; and the answer being written.

    number:            0 counts; a later one is for practice.
    shown_at:          when it was first shown; what a prediction took is counted from then.
    facts, key, mistakes: what the reveal fills in, what is right, and by name what well-known mistakes would give.
    reference_version: of the references that computed these.
    draft:             the texts of the form.
    """

    reading = models.ForeignKey(Reading, on_delete=models.CASCADE, related_name="draws")
    question = models.CharField(max_length=60)
    number = models.PositiveSmallIntegerField(default=0)
    shown_at = models.DateTimeField()
    given: models.TextField[Any, Any] = JsonText()
    facts: models.TextField[Any, Any] = JsonText()
    key: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    mistakes: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    reference_version = models.PositiveSmallIntegerField()
    draft: models.TextField[Any, Any] = JsonText(null=True)
    drafted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["reading", "question", "number"], name="one_draw_a_number"),
            models.CheckConstraint(
                condition=Q(draft__isnull=True, drafted_at__isnull=True)
                | Q(draft__isnull=False, drafted_at__isnull=False),
                name="draft_has_its_time",
            ),
        )

    def __str__(self) -> str:
        return f"draw {self.number} of {self.question} in reading {self.reading_id}"

    @property
    def made(self) -> Prediction | None:
        """What was predicted. Django fills in None where there is nothing, but says it by an error."""
        return getattr(self, "prediction", None)


class Prediction(models.Model):
    """What a learner predicted. There is one of a draw, the first that came, and it is never changed.

    posted:     the texts of the form, as they came.
    response:   what was read from them; None: no answer.
    share:      of the credit, from 0 to 1.
    error:      the well-known wrong answer that it is, by name.
    source:     where the mark comes from.
    confidence: from 1, a guess, to 4; None: not said. It never counts.
    how:        who committed it.
    """

    class How(models.TextChoices):
        LEARNER = "learner", "the learner"
        TIME_LIMIT = "time limit", "the end of the time limit"

    draw = models.OneToOneField(Draw, on_delete=models.PROTECT, related_name="prediction")
    posted: models.TextField[Any, Any] = JsonText()
    response: models.JSONField[dict[str, Any] | None, dict[str, Any] | None] = models.JSONField(null=True)
    share = models.DecimalField(max_digits=7, decimal_places=6)
    error = models.CharField(max_length=100, blank=True)
    source = models.CharField(max_length=10, choices=[(str(each), str(each)) for each in Source])
    confidence = models.PositiveSmallIntegerField(null=True)
    how = models.CharField(max_length=20, choices=How.choices, default=How.LEARNER)
    committed_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(share__range=(0, 1)), name="prediction_share_is_a_share"),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__in=SURE), name="prediction_confidence_is_known"
            ),
            models.CheckConstraint(
                condition=Q(source__in=[str(each) for each in Source]), name="prediction_source_is_known"
            ),
            models.CheckConstraint(condition=Q(how__in=["learner", "time limit"]), name="prediction_how_is_known"),
            models.CheckConstraint(
                condition=Q(response__isnull=False)
                | Q(how="time limit", share=0, confidence__isnull=True, error=""),
                name="prediction_without_answer_is_of_time",
            ),
        )  # fmt: skip

    def __str__(self) -> str:
        return f"prediction at {self.draw}"

    @property
    def is_right(self) -> bool:
        """By itself: what staff said afterwards is not asked."""
        return credited(self.share, self.source).is_right


class SelfReview(models.Model):
    """Which of a question's ideas a learner found in their own free text. It is made once, after the commit.

    ideas: their places in the question, from 0.
    """

    prediction = models.OneToOneField(Prediction, on_delete=models.PROTECT, related_name="self_review")
    ideas: models.JSONField[list[int], list[int]] = models.JSONField(default=list)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"own review of {self.prediction}"


class StaffMark(models.Model):
    """What staff say a prediction is worth, whatever said so before. Never changed: the newest one counts.

    share:   of the credit, from 0 to 1; None: what it was before staff marked it.
    comment: for the learner.
    """

    prediction = models.ForeignKey(Prediction, on_delete=models.PROTECT, related_name="staff_marks")
    share = models.DecimalField(max_digits=7, decimal_places=6, null=True)
    comment = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(share__isnull=True) | Q(share__range=(0, 1)), name="staff_mark_share_is_a_share"
            ),
        )

    def __str__(self) -> str:
        return f"mark of {self.prediction} by {self.by}"


class Revisit(models.Model):
    """A question that a learner missed, and when it comes back to them with other numbers.

    card: what fsrs knows of their memory of it.
    """

    reading = models.ForeignKey(Reading, on_delete=models.CASCADE, related_name="revisits")
    question = models.CharField(max_length=60)
    card: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    due_at = models.DateTimeField()

    class Meta:
        ordering = ("due_at", "id")
        constraints = (
            models.UniqueConstraint(fields=["reading", "question"], name="one_revisit_a_question"),
        )

    def __str__(self) -> str:
        return f"revisit of {self.question} in reading {self.reading_id}"
