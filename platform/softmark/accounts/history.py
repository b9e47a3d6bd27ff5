"""The administration's history: who decided what."""

from __future__ import annotations

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model

from softmark.accounts.models import User

_LONGEST_NAME = 200  # of LogEntry.object_repr


def record(subject: Model, called: str, by: User, what: str) -> None:
    """Enters a change, in the transaction that makes it."""
    LogEntry.objects.create(
        user=by,
        content_type=ContentType.objects.get_for_model(subject),
        object_id=str(subject.pk),
        object_repr=called[:_LONGEST_NAME],
        action_flag=CHANGE,
        change_message=what,
    )
