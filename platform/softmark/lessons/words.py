"""What the pages of lessons say."""

from __future__ import annotations

from softmark.lessons.questions.grid import NOT_ONE, TRANSPOSED
from softmark.lessons.questions.order import EXTRA, MISSING, REVERSED
from softmark.lessons.questions.output import SPACES_ONLY
from softmark.lessons.standing import Answered
from softmark.ui.words import Outcome

SURE_WORDS = {1: "A guess", 2: "Rather unsure", 3: "Rather sure", 4: "Certain"}

# The wrong answers that a type knows by itself; those of a reference have a text in the lesson, if any.
KNOWN_ERRORS = {
    TRANSPOSED: "You have the right numbers, with rows and columns swapped.",
    NOT_ONE: "A row of weights sums to 1, and one of yours does not.",
    SPACES_ONLY: "Only spaces or line breaks differ.",
    EXTRA: "You put something into the order that does not belong there.",
    MISSING: "Something that belongs into the order is missing from yours.",
    REVERSED: "You have the right order, from the wrong end.",
}


def outcome_of(stop: Answered) -> Outcome:
    """How right a prediction was: always in words, with an icon."""
    if stop.response is None:
        return Outcome("No answer", "dash", "calm")
    if stop.source == "self":
        return Outcome("Written: compare it yourself", "eye", "calm")
    if stop.right:
        return Outcome("Right", "check", "good")
    if stop.share > 0:
        return Outcome(f"Partly right: {stop.share * 100:.0f}\N{NO-BREAK SPACE}%", "dash", "warn")
    return Outcome("Not right", "cross", "bad")
