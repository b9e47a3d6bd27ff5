"""What instructors fill in to bring an assignment into a course."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, cast
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from softmark.courses.models import Course, Schedule
from softmark.courses.wall_time import instant_at
from softmark.coursework.actions import Terms
from softmark.coursework.models import Assignment, Upload
from softmark.coursework.reading import Brought, read_zip
from softmark.coursework.zip_folder import MAX_ZIP_BYTES, ZipRefused


class ZipForm(forms.Form):
    """`brought` is what the zip holds, once the form is valid."""

    zip = forms.FileField(
        label="The folder as a zip", max_length=1_000, allow_empty_file=True,
        error_messages={"required": "You chose no file. Choose the zip of your assignment folder."},
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )  # fmt: skip
    brought: Brought

    def clean_zip(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["zip"]
        try:
            self.brought = read_zip(file.read(MAX_ZIP_BYTES + 1), file.name or "")
        except ZipRefused as refused:
            raise ValidationError(refused.sentence) from None
        return file


class WallTimeField(forms.Field):
    """An instant, written as the clocks of the form's course show it."""

    widget = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})
    hidden_widget = forms.HiddenInput
    zone: ZoneInfo

    def to_python(self, value: Any) -> datetime | None:
        if not value:
            return None
        try:
            return instant_at(value, self.zone)
        except ValueError as wrong:
            raise ValidationError(str(wrong)) from None

    def prepare_value(self, value: Any) -> Any:
        return f"{value.astimezone(self.zone):%Y-%m-%dT%H:%M}" if isinstance(value, datetime) else value


def _percent(label: str, help_text: str) -> forms.DecimalField:
    return forms.DecimalField(
        label=label, help_text=help_text, min_value=0, max_value=100, max_digits=5, decimal_places=2,
        required=False, show_hidden_initial=True,
    )  # fmt: skip


def _shown(value: Any) -> Any:
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


class PublishForm(forms.Form):
    """Where an upload goes in its course, and on which terms.

    What was left as it was shown is not said to `place`, so that it stays as it is by then: each field remembers what
    it was shown with.
    """

    item_slug = forms.SlugField(label="Name in addresses", max_length=60)
    attempts = forms.IntegerField(
        label="Attempts", min_value=0, max_value=1_000, required=False, show_hidden_initial=True,
        help_text="How many submissions of one student count. 0: as many as they like.",
    )  # fmt: skip
    opens_at = WallTimeField(
        label="Opens", required=False, show_hidden_initial=True,
        help_text="Before that, students do not see the task. Empty: they see it at once.",
    )  # fmt: skip
    due_at = WallTimeField(label="Due", required=False, show_hidden_initial=True)
    closes_at = WallTimeField(
        label="Closes", required=False, show_hidden_initial=True,
        help_text="Nothing is taken after this. Empty: late work is always taken.",
    )  # fmt: skip
    grace_minutes = forms.IntegerField(
        label="Minutes of grace", min_value=0, max_value=100_000, required=False, show_hidden_initial=True,
        help_text="How long after the due date nothing is lost yet.",
    )  # fmt: skip
    percent_per_day = _percent("Lost for each day begun", "In percent of the points.")
    floor_percent = _percent("Kept at least, however late", "In percent of the points.")

    def __init__(
        self, upload: Upload, course: Course, current: Assignment | None, schedule: Schedule | None,
        data: Any = None,
    ) -> None:  # fmt: skip
        """current: the assignment that this would be a new version of; schedule: its own."""
        terms = schedule or Schedule()
        initial = {name: _shown(getattr(terms, name)) for name in Terms.__annotations__}
        initial |= {"item_slug": current.item.slug if current else upload.slug}
        initial |= {"attempts": current.attempts if current else 0}
        super().__init__(data, initial=initial)
        for field in self.fields.values():
            if isinstance(field, WallTimeField):
                field.zone = course.zone
                field.help_text = f"{field.help_text} On the clocks of {course.time_zone}.".strip()

    @property
    def tells_of_late_work(self) -> bool:
        """Whether something is said about it already, or wrongly."""
        names = ("closes_at", "grace_minutes", "percent_per_day", "floor_percent")
        return any(self[name].errors or self[name].value() not in (None, "", 0, "0") for name in names)

    @property
    def attempts_to_set(self) -> int | None:
        """None: as it is."""
        return (self.cleaned_data["attempts"] or 0) if "attempts" in self.changed_data else None

    @property
    def terms(self) -> Terms:
        """Those that were changed."""
        changed: dict[str, Any] = {
            name: self.cleaned_data[name] for name in Terms.__annotations__ if name in self.changed_data
        }
        for name, nothing in (
            ("grace_minutes", 0),
            ("percent_per_day", Decimal(0)),
            ("floor_percent", Decimal(0)),
        ):
            if name in changed and changed[name] is None:
                changed[name] = nothing
        return cast(Terms, changed)
