"""Grade events: append-only. A grade is computed from them, never stored as the truth."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from softmark.courses.models import Course, Item
from softmark.gradebook.entries import Kind
from softmark.grading.models import Run
from softmark.lessons.models import Prediction, StaffMark
from softmark.lessons.questions import Source
from softmark.submissions.models import Submission

_KINDS = [kind.value for kind in Kind]
_OF_ITEMS = [Kind.RELEASE.value, Kind.HIDE.value]


class Event(models.Model):
    """One thing that happened to a grade. A trigger of the database refuses to change or delete it.

    student: null for release and hide, which are about a whole item; Item.released says how it is now.
    points:  of an automatic result out of `max_points`, before late costs; of an override on the item's scale.
    number, received_at: of the attempt, or of a prediction: its stop, and when it was committed. As they never change,
             a gradebook is read without its submissions and predictions.
    mark:    the staff's, of a prediction that they marked; share, source, answered, stops: as `Predicted` has them.
    revokes: the event that this one takes back.
    reason:  for staff; of a comment, what it says, which the student sees.
    """

    course = models.ForeignKey(Course, on_delete=models.PROTECT, related_name="events")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="events")
    student = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="grade_events"
    )
    kind = models.CharField(max_length=20, choices=[(kind.value, kind.label) for kind in Kind])
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, null=True, related_name="events")
    number = models.PositiveIntegerField(null=True)
    received_at = models.DateTimeField(null=True)
    run = models.OneToOneField(Run, on_delete=models.PROTECT, null=True, related_name="event")
    points = models.DecimalField(max_digits=8, decimal_places=3, null=True)
    max_points = models.DecimalField(max_digits=8, decimal_places=3, null=True)
    prediction = models.ForeignKey(
        Prediction, on_delete=models.PROTECT, null=True, related_name="grade_events"
    )
    mark = models.OneToOneField(StaffMark, on_delete=models.PROTECT, null=True, related_name="event")
    stops = models.PositiveSmallIntegerField(null=True)
    share = models.DecimalField(max_digits=7, decimal_places=6, null=True)
    source = models.CharField(max_length=10, blank=True)
    answered = models.BooleanField(null=True)
    revokes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="revoked_by")
    reason = models.TextField(blank=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=_KINDS), name="event_kind_is_known"),
            models.CheckConstraint(
                condition=~Q(kind=Kind.AUTO.value)
                | Q(
                    run__isnull=False,
                    submission__isnull=False,
                    number__isnull=False,
                    received_at__isnull=False,
                    points__isnull=False,
                    max_points__gt=0,
                ),
                name="event_auto_has_its_run",
            ),
            models.CheckConstraint(
                condition=~Q(kind=Kind.QUIZ.value)
                | Q(
                    prediction__isnull=False,
                    number__gte=1,
                    stops__gte=F("number"),
                    received_at__isnull=False,
                    share__range=(0, 1),
                    source__in=[str(each) for each in Source],
                    answered__isnull=False,
                ),
                name="event_quiz_has_its_prediction",
            ),
            models.UniqueConstraint(
                fields=["prediction"], condition=Q(mark__isnull=True), name="event_once_a_prediction"
            ),
            models.CheckConstraint(
                condition=~Q(kind=Kind.OVERRIDE.value) | Q(points__isnull=False, actor__isnull=False),
                name="event_override_has_points_and_actor",
            ),
            models.CheckConstraint(
                condition=~Q(kind=Kind.REVOKE.value) | Q(revokes__isnull=False),
                name="event_revoke_names_another",
            ),
            models.CheckConstraint(
                condition=Q(student__isnull=False) | Q(kind__in=_OF_ITEMS),
                name="event_is_about_a_student",
            ),
            models.CheckConstraint(
                condition=Q(points__isnull=True) | Q(points__gte=0), name="event_points_not_negative"
            ),
        )
        indexes = (models.Index(fields=["course", "item", "student"], name="event_of_cell"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} of {self.item}"

    @property
    def label(self) -> str:
        return Kind(self.kind).label
