"""Courses, sections, enrolment; the items of a course, and when they are due."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from softmark.courses.late_policy import LatePolicy
from softmark.courses.wall_time import FAR, is_usable

MOST_TIME = Decimal(10)  # times the time of the others
_PERCENT = (MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(100)))


def validate_zone(name: str) -> None:
    if name not in available_timezones():
        raise ValidationError(f"There is no time zone {name!r}. Take a name such as Europe/Zurich.")


class Course(models.Model):
    """A course. Its deadlines are read on a clock in its time zone."""

    slug = models.SlugField(unique=True, max_length=60)
    title = models.CharField(max_length=200)
    time_zone = models.CharField(
        max_length=60, default="UTC", validators=[validate_zone], help_text="For example Europe/Zurich."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("title",)

    def __str__(self) -> str:
        return self.title

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


class Section(models.Model):
    """A group of a course's people, such as one tutorial."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="sections")
    name = models.CharField(max_length=100)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["course", "name"], name="section_once_in_a_course"),)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What somebody is in a course."""

    STUDENT = "student", "student"
    TA = "ta", "teaching assistant"
    INSTRUCTOR = "instructor", "instructor"

    @property
    def is_staff(self) -> bool:
        return self is not Role.STUDENT


class Enrolment(models.Model):
    """Somebody's role in a course. Who has left is made inactive: their work stays."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="enrolments")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="enrolments")
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.STUDENT)
    section = models.ForeignKey(
        Section, on_delete=models.SET_NULL, null=True, blank=True, related_name="enrolments"
    )
    active = models.BooleanField(default=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["course", "user"], name="enrolled_once_in_a_course"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="enrolment_role_is_known"),
        )

    def __str__(self) -> str:
        return f"{self.user}, {self.get_role_display()} of {self.course}"

    def clean(self) -> None:
        if self.section is not None and self.section.course_id != self.course_id:
            raise ValidationError({"section": "This section belongs to another course."})


class Item(models.Model):
    """Something that is graded in a course: a column of its gradebook."""

    class Kind(models.TextChoices):
        ASSIGNMENT = "assignment", "assignment"
        LESSON = "lesson", "lesson"

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="items")
    slug = models.SlugField(max_length=60)
    title = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.ASSIGNMENT)
    position = models.PositiveIntegerField(default=0)
    points = models.DecimalField(
        "full marks", max_digits=8, decimal_places=3, validators=[MinValueValidator(Decimal(0))]
    )
    visible = models.BooleanField(default=True, help_text="Students see the item.")
    released = models.BooleanField(
        "grades are released",
        default=True,
        help_text="Students see its grades. From then on the gradebook's Release and Hide change it.",
    )

    class Meta:
        ordering = ("position", "title", "id")
        constraints = (
            models.UniqueConstraint(fields=["course", "slug"], name="item_once_in_a_course"),
            models.CheckConstraint(condition=Q(points__gte=0), name="item_points_not_negative"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def shows_grades(self) -> bool:
        """To students: of a hidden item they see nothing."""
        return self.visible and self.released


def _refuse_far(row: models.Model, *dates: str) -> None:
    far = [name for name in dates if (date := getattr(row, name)) is not None and not is_usable(date)]
    if far:
        raise ValidationError(dict.fromkeys(far, f"This {FAR}"))


class Schedule(models.Model):
    """When an item is open and due, and what late costs. Never changed: the newest one counts, so that it can be
    seen what was in force when.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="schedules")
    opens_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(
        null=True, blank=True, help_text="Nothing is taken after this. Empty: late work is always taken."
    )
    grace_minutes = models.PositiveIntegerField(
        default=0, help_text="How long after the due date nothing is lost yet."
    )
    percent_per_day = models.DecimalField(
        max_digits=5, decimal_places=2, default=Decimal(0), validators=_PERCENT,
        help_text="Lost for each day begun.",
    )  # fmt: skip
    floor_percent = models.DecimalField(
        max_digits=5, decimal_places=2, default=Decimal(0), validators=_PERCENT,
        help_text="Kept at least, however late.",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(closes_at__isnull=True) | Q(due_at__isnull=True) | Q(closes_at__gte=F("due_at")),
                name="schedule_closes_after_due", violation_error_message="It cannot close before it is due.",
            ),
            models.CheckConstraint(
                condition=Q(opens_at__isnull=True) | Q(due_at__isnull=True) | Q(opens_at__lt=F("due_at")),
                name="schedule_opens_before_due", violation_error_message="It cannot be due before it opens.",
            ),
            models.CheckConstraint(
                condition=Q(percent_per_day__range=(0, 100)) & Q(floor_percent__range=(0, 100)),
                name="schedule_percents_are_percents",
            ),
        )  # fmt: skip

    def __str__(self) -> str:
        return f"schedule {self.pk} of {self.item}"

    def clean(self) -> None:
        _refuse_far(self, "opens_at", "due_at", "closes_at")

    @property
    def late_policy(self) -> LatePolicy:
        return LatePolicy(self.grace_minutes, self.percent_per_day, self.floor_percent)


class Extension(models.Model):
    """A later due date for one person. Never changed: the newest one counts; one without a date takes it back."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="extensions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="extensions")
    due_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(help_text="For staff; the student sees only the date.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ("id",)
        indexes = (models.Index(fields=["item", "user"], name="extension_of_item_and_user"),)

    def __str__(self) -> str:
        return f"extension of {self.item} for {self.user}"

    def clean(self) -> None:
        _refuse_far(self, "due_at")


class Accommodation(models.Model):
    """How much more time somebody has, in all of a course, wherever time is limited. Never changed: the newest one
    counts, and a factor of 1 takes it back.
    """

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="accommodations")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="accommodations"
    )
    time_factor = models.DecimalField(
        max_digits=4, decimal_places=2, validators=[MinValueValidator(Decimal(1)), MaxValueValidator(MOST_TIME)],
        help_text="1.5 is half as much time again; 1 is the time of the others.",
    )  # fmt: skip
    reason = models.TextField(help_text="For staff; the student sees only the time.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ("id",)
        indexes = (models.Index(fields=["course", "user"], name="accommodation_of_user"),)
        constraints = (
            models.CheckConstraint(
                condition=Q(time_factor__range=(1, MOST_TIME)), name="accommodation_gives_time"
            ),
        )

    def __str__(self) -> str:
        return f"{self.time_factor} times the time for {self.user}"
