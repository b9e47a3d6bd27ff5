"""What instructors fill in to bring an assignment into a course."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from softmark.courses.forms import TermsForm
from softmark.courses.models import Course, Schedule
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


class PublishForm(TermsForm):
    """Where an upload goes in its course, and on which terms."""

    item_slug = forms.SlugField(label="Name in addresses", max_length=60)
    attempts = forms.IntegerField(
        label="Attempts", min_value=0, max_value=1_000, required=False, show_hidden_initial=True,
        help_text="How many submissions of one student count. 0: as many as they like.",
    )  # fmt: skip

    def __init__(
        self, upload: Upload, course: Course, current: Assignment | None, schedule: Schedule | None,
        data: Any = None,
    ) -> None:  # fmt: skip
        """current: the assignment that this would be a new version of; schedule: its own."""
        initial = {
            "item_slug": current.item.slug if current else upload.slug,
            "attempts": current.attempts if current else 0,
        }
        super().__init__(course, schedule, initial, data)

    @property
    def attempts_to_set(self) -> int | None:
        """None: as it is."""
        return (self.cleaned_data["attempts"] or 0) if "attempts" in self.changed_data else None
