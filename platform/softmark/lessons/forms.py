"""What instructors fill in to set a lesson up, and staff to mark a prediction."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from django import forms

from softmark.courses.forms import TermsForm
from softmark.courses.models import Schedule
from softmark.lessons.authoring import Changes
from softmark.lessons.credit import as_decimal, steps
from softmark.lessons.models import Lesson
from softmark.lessons.pages.marking import Mark
from softmark.lessons.words import percent

_LONGEST = 10_080  # minutes in a week
_MOST_COMMENT = 5_000  # characters


class SettingsForm(TermsForm):
    """How a lesson counts and who sees it, beside its terms."""

    visible = forms.BooleanField(
        label="Students see it", required=False, show_hidden_initial=True,
        help_text="While it is hidden, they see neither the lesson nor its grades.",
    )  # fmt: skip
    counts = forms.ChoiceField(
        label="What earns points", choices=(
            (Lesson.Counts.COMPLETION, "Each prediction that is made, right or wrong"),
            (Lesson.Counts.CORRECTNESS, "Each prediction that is right, partly right ones in part"),
        ), widget=forms.RadioSelect, show_hidden_initial=True,
        help_text="All grades follow at once, also those of predictions that were made before.",
    )  # fmt: skip
    points = forms.DecimalField(
        label="Full marks", min_value=0, max_digits=8, decimal_places=3, show_hidden_initial=True,
        help_text="Divided evenly among the stops; all grades follow at once. 0: the lesson is not graded.",
    )  # fmt: skip
    time_limit = forms.IntegerField(
        label="Time limit in minutes", min_value=1, max_value=_LONGEST, required=False, show_hidden_initial=True,
        help_text="For those who begin from now on; who has begun keeps theirs. Empty: as long as they like.",
    )  # fmt: skip

    def __init__(self, lesson: Lesson, schedule: Schedule | None, data: Any = None) -> None:
        """schedule: the one in force."""
        initial = {
            "visible": lesson.item.visible, "counts": lesson.counts, "points": lesson.item.points,
            "time_limit": lesson.time_limit,
        }  # fmt: skip
        super().__init__(lesson.course, schedule, initial, data)

    @property
    def changes(self) -> Changes:
        """Of the lesson itself: what was changed."""
        names = [name for name in Changes.__annotations__ if name in self.changed_data]
        return cast(Changes, {name: self.cleaned_data[name] for name in names})


class MarkForm(forms.Form):
    """seen: the newest mark of the staff when the form was shown, 0 for none."""

    seen = forms.IntegerField(widget=forms.HiddenInput)
    share = forms.TypedChoiceField(
        coerce=Fraction,
        error_messages={
            "required": "Pick how much of the credit it is worth.",
            "invalid_choice": "Pick one of the shares that are offered.",
        },
    )
    comment = forms.CharField(
        required=False, max_length=_MOST_COMMENT, label="Comment",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="The student reads it beside their answer, once the grades are released.",
    )  # fmt: skip

    def __init__(self, ideas: int, mark: Mark | None, data: Any = None) -> None:
        """ideas: how many the model answer has. mark: the one that counts."""
        kept = next((each for each in steps(ideas) if mark and as_decimal(each) == mark.share), None)
        initial = {"share": "" if kept is None else str(kept), "comment": mark.comment if mark else ""}
        super().__init__(data, initial=initial)
        field = self.fields["share"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [(str(each), _worth(each, ideas)) for each in steps(ideas)]


def _worth(share: Fraction, ideas: int) -> str:
    found = share * ideas
    if not ideas or found.denominator != 1:
        return percent(share)
    return f"{percent(share)}, {found} idea{'' if found == 1 else 's'}"
