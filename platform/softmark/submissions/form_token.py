"""The name of a form: whose it is, for which assignment, and which one of many. Signed, so that it can be believed
even when the one who sends it is signed out.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.core import signing

_SALT = "softmark.submissions.form"


@dataclass(frozen=True)
class FormToken:
    user: int
    assignment: int
    form: uuid.UUID

    def is_for(self, user: int, assignment: int) -> bool:
        return (self.user, self.assignment) == (user, assignment)


def new(user: int, assignment: int) -> str:
    return signing.dumps([user, assignment, uuid.uuid4().hex], salt=_SALT)


def read(signed: str) -> FormToken | None:
    """What was signed here; None for anything else. A page may stay open for weeks, so it does not grow old."""
    try:
        user, assignment, form = signing.loads(signed, salt=_SALT)
    except signing.BadSignature:
        return None
    return FormToken(user, assignment, uuid.UUID(form))
