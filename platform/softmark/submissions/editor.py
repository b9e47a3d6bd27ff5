"""What stands in the editor when the page of an assignment opens: a pure rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Origin(Enum):
    """Where the text comes from."""

    REFUSED = "refused"  # just sent, and not taken
    RESCUED = "rescued"  # sent while signed out
    DRAFT = "draft"
    SUBMISSION = "submission"
    STARTER = "starter"


@dataclass(frozen=True)
class Editor:
    """The text in the editor. `other_draft` is a draft that is not shown because something newer is."""

    text: str
    origin: Origin
    other_draft: str = ""


def fill(
    *,
    starter: str,
    newest: str | None = None,
    draft: str = "",
    rescued: str | None = None,
    refused: str | None = None,
) -> Editor:
    """Nothing typed is lost: what was typed last comes first, and a draft behind it is still handed out."""
    draft = draft if draft != newest else ""
    for text, origin in ((refused, Origin.REFUSED), (rescued, Origin.RESCUED)):
        if text is not None:
            return Editor(text, origin, draft if draft != text else "")
    if draft:
        return Editor(draft, Origin.DRAFT)
    if newest is not None:
        return Editor(newest, Origin.SUBMISSION)
    return Editor(starter, Origin.STARTER)
