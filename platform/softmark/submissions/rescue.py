"""What somebody sent after their session had ended: kept in the session of the browser until they are back.

Only a form that this site signed is kept, so nobody else can fill the sessions with texts.
"""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends.base import SessionBase

from softmark.accounts.models import User
from softmark.submissions.form_token import FormToken

_KEY = "rescued"
_MOST = 5  # assignments


def keep(session: SessionBase, token: FormToken, text: str) -> None:
    """Keeps the text of a form; of each assignment the last one. No text: it could not be kept."""
    kept = _mine(session, token.user)
    kept.pop(str(token.assignment), None)
    kept[str(token.assignment)] = text
    while len(kept) > _MOST:
        del kept[next(iter(kept))]
    session[_KEY] = {"user": token.user, "texts": kept}


def find(session: SessionBase, user: User, assignment: int) -> str | None:
    """What this user sent for the assignment while signed out."""
    text = _mine(session, user.pk).get(str(assignment))
    return text if isinstance(text, str) else None


def forget(session: SessionBase, user: User, assignment: int) -> None:
    """To be called when the text is safe elsewhere."""
    kept = _mine(session, user.pk)
    if kept.pop(str(assignment), None) is not None:
        session[_KEY] = {"user": user.pk, "texts": kept}


def drop_of_others(session: SessionBase, user: User) -> None:
    """To be called when somebody signs in: what another one typed is not theirs to find."""
    if _KEY in session and session[_KEY].get("user") != user.pk:
        del session[_KEY]


def _mine(session: SessionBase, user: int) -> dict[str, Any]:
    kept = session.get(_KEY)
    if not isinstance(kept, dict) or kept.get("user") != user:
        return {}
    texts = kept.get("texts")
    return dict(texts) if isinstance(texts, dict) else {}
