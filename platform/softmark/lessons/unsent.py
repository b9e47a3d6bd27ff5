"""What somebody sent after their session had ended: kept in the session of the browser until they are back.

Only a form that this site signed is kept, so nobody else can fill the sessions with texts; and only its reader gets
it back, whoever signs in first.
"""

from __future__ import annotations

from django.contrib.sessions.backends.base import SessionBase
from django.core import signing
from django.http import HttpRequest

from softmark.lessons.actions import MOST_DRAFTED, MOST_TEXTS
from softmark.lessons.models import Draw, Reading
from softmark.lessons.pages.inputs import FORM, posted_answer, posted_sure
from softmark.lessons.pages.sent import Typed

_KEY = "unsent_prediction"
_REVISIT = "revisit"  # in the place of a reading
_SIGNER = signing.Signer(salt="softmark.lessons.form")


def form_token(reading: Reading, stop: str) -> str:
    """Names a form: the same one each time."""
    return _SIGNER.sign_object([reading.pk, stop])


def revisit_token(draw: int) -> str:
    """As form_token, of a question that came back: by the number of its draw."""
    return _SIGNER.sign_object([_REVISIT, draw])


def keep(request: HttpRequest) -> bool:
    """Keeps what a form of ours sent; of all of them the last. False: it is none of ours, or empty, or too much."""
    texts = posted_answer(request.POST)
    try:
        of, stop = _SIGNER.unsign_object(request.POST.get(FORM, ""))
    except signing.BadSignature:
        return False
    if not any(texts) or len(texts) > MOST_TEXTS or sum(map(len, texts)) > MOST_DRAFTED:
        return False
    request.session[_KEY] = [of, stop, texts, posted_sure(request.POST)]
    return True


def waits(session: SessionBase) -> bool:
    """Whether anything is kept."""
    return _KEY in session


def waits_for(session: SessionBase, reading: Reading) -> bool:
    return waits(session) and session[_KEY][0] == reading.pk


def take(session: SessionBase, reading: Reading) -> Typed | None:
    """What is kept for this reading, which is kept no longer."""
    if not waits_for(session, reading):
        return None
    _, stop, texts, sure = session.pop(_KEY)
    return Typed(stop, tuple(texts), sure, "")


def take_revisit(session: SessionBase, draw: Draw) -> Typed | None:
    """What is kept for this draw, which is kept no longer."""
    kept = session.get(_KEY)
    if kept is None or kept[:2] != [_REVISIT, draw.pk]:
        return None
    del session[_KEY]
    return Typed(draw.question, tuple(kept[2]), kept[3], "")
