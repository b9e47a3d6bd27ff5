"""What instructors fill in at a cell."""

from __future__ import annotations

from django import forms


class CellForm(forms.Form):
    """seen: the newest event of the cell when the form was shown."""

    seen = forms.IntegerField(widget=forms.HiddenInput)


class PointsForm(CellForm):
    points = forms.DecimalField(
        max_digits=8,
        decimal_places=3,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), help_text="For staff only.")


class ExcuseForm(CellForm):
    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), help_text="For staff only.")


class CommentForm(CellForm):
    reason = forms.CharField(
        label="Comment", widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The student reads it, as soon as the grade is released.",
    )  # fmt: skip


class TakeBackForm(CellForm):
    event = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(required=False, max_length=2000)
