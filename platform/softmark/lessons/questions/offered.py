"""Things to choose among or to put in order: shown by their opaque ids, so that an author's order never shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from softmark.lessons.questions.common import Invalid, Seal
from softmark.lessons.questions.raw import Named

MOST = 12


def offered(named: Iterable[Named], seal: Seal) -> list[tuple[str, Named]]:
    """Each with the opaque id under which it travels, in the order in which this draw shows them."""
    return sorted(((seal(each.id), each) for each in named), key=lambda pair: pair[0])


def opened(posted: Sequence[str], named: Sequence[Named], seal: Seal, ask: str) -> tuple[str, ...]:
    """The authors' ids behind the opaque ones that were posted, each once and in their order. Raises Invalid."""
    if not posted or posted[0] == "":
        raise Invalid(ask)
    if len(posted) > len(named):
        raise Invalid(f"{len(posted):,} of them came, and there are {len(named)}. {ask}")
    ids = {seal(each.id): each.id for each in named}
    if not all(opaque in ids for opaque in posted):
        raise Invalid(f"What came is none of those that this page shows. Load it again. {ask}")
    if len(set(posted)) < len(posted):
        raise Invalid(f"One of them came twice. {ask}")
    return tuple(ids[opaque] for opaque in posted)


def text_of(id: str, named: Sequence[Named]) -> str:
    """What is shown for an id; the id itself where an edit has taken it away."""
    return next((each.text for each in named if each.id == id), id)
