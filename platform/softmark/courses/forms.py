"""What instructors fill in to say when an item is open and due, and what late work loses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, cast
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError

from softmark.courses.actions import Terms
from softmark.courses.models import MOST_TIME, Course, Item, Schedule
from softmark.courses.wall_time import instant_at


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


def _reason(help_text: str) -> forms.CharField:
    return forms.CharField(
        max_length=2000, widget=forms.Textarea(attrs={"rows": 2}), help_text=help_text,
        error_messages={"required": "Say why: the next person who reads this will ask."},
    )  # fmt: skip


def _shown(value: Any) -> Any:
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


class TermsForm(forms.Form):
    """The terms of an item, and whatever an app asks beside them.

    What was left as it was shown is not among the `terms`, so that it stays as it is by then: each field remembers
    what it was shown with.
    """

    opens_at = WallTimeField(
        label="Opens", required=False, show_hidden_initial=True,
        help_text="Before that, it is closed to students. Empty: it is open at once.",
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
        self, course: Course, schedule: Schedule | None, initial: Mapping[str, Any], data: Any = None
    ) -> None:
        """schedule: the one in force. initial: of the other fields."""
        terms = schedule or Schedule()
        shown = {name: _shown(getattr(terms, name)) for name in Terms.__annotations__}
        super().__init__(data, initial=shown | {name: _shown(value) for name, value in initial.items()})
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


class ExtraTimeForm(forms.Form):
    """How many times the time of the others a student has."""

    time_factor = forms.DecimalField(
        label="How many times the time of the others", min_value=1, max_value=MOST_TIME, max_digits=4, decimal_places=2,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
        help_text="1.5 is half as much time again. 1 is the time of the others, and takes back what was given.",
        error_messages={
            "min_value": "Nobody gets less time than the others: write 1 or more.",
            "max_value": "At most 10 times the time can be given. Without any limit: leave the time limit empty.",
        },
    )  # fmt: skip
    reason = _reason("For staff; the student sees only the time.")


class ExtensionForm(forms.Form):
    """A later due date for one student."""

    item = forms.ChoiceField(
        label="What is due", error_messages={"required": "Pick what is due.", "invalid_choice": "Pick what is due."}
    )  # fmt: skip
    due_at = WallTimeField(label="New due date", required=False)
    reason = _reason("For staff; the student sees only the date.")

    def __init__(self, course: Course, items: Iterable[Item], data: Any = None, *, picked: str = "") -> None:
        """items: those that something is due of. picked: the slug of the one that is picked at first."""
        # Ids of its own: another form of the page has a reason, too.
        super().__init__(data, auto_id="id_extension_%s", initial={"item": picked})
        self._items = {item.slug: item for item in items}
        item, due_at = self.fields["item"], self.fields["due_at"]
        assert isinstance(item, forms.ChoiceField)
        assert isinstance(due_at, WallTimeField)
        item.choices = [("", "Pick one"), *((slug, each.title) for slug, each in self._items.items())]
        due_at.zone = course.zone
        due_at.help_text = f"On the clocks of {course.time_zone}. Empty: takes an extension back."

    def clean_item(self) -> Item:
        return self._items[self.cleaned_data["item"]]
