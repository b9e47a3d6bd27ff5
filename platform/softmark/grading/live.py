"""A submission that is being graded, as its reader sees it: pure rules, as in visible.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from softmark.grading.visible import is_visible


class Announced(Protocol):
    """A check as its assignment announces it."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def visibility(self) -> Any: ...


@dataclass(frozen=True)
class LiveCheck:
    """One that the reader may see. state: a verdict, or "running" or "queued"."""

    title: str
    state: str


@dataclass(frozen=True)
class Progress:
    """How far it is. Hidden checks are only counted."""

    checks: tuple[LiveCheck, ...]
    hidden_done: int
    hidden: int
    done: int
    total: int

    @property
    def hidden_state(self) -> str:
        if self.hidden_done == self.hidden:
            return ""
        return "running" if self._at_the_hidden else "queued"

    @property
    def _at_the_hidden(self) -> bool:
        return all(check.state != "running" for check in self.checks) and self.done < self.total


def progress_of(
    announced: Sequence[Announced], told: Iterable[Mapping[str, Any]], role_is_staff: bool, past_due: bool
) -> Progress:
    """announced: the assignment's checks in order; told: those that are done (grading.progress.read)."""
    verdicts = {row.get("id"): str(row.get("verdict", "")) for row in told}
    first_waiting = next((check.id for check in announced if check.id not in verdicts), None)
    shown, hidden, hidden_done = [], 0, 0
    for check in announced:
        if is_visible(str(check.visibility), role_is_staff, past_due):
            waiting = "running" if check.id == first_waiting else "queued"
            shown.append(LiveCheck(check.title, verdicts.get(check.id, waiting)))
        else:
            hidden += 1
            hidden_done += check.id in verdicts
    done = sum(check.id in verdicts for check in announced)
    return Progress(tuple(shown), hidden_done, hidden, done, len(announced))
