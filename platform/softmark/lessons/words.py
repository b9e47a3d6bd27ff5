"""What the pages of lessons say."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from softmark.lessons.questions import Source
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
    MISSING: "Something that belongs in the order is missing from yours.",
    REVERSED: "You have the right order, from the wrong end.",
}

# The same as names, under a bar.
ERROR_NAMES = {
    TRANSPOSED: "Rows and columns swapped",
    NOT_ONE: "A row does not sum to 1",
    SPACES_ONLY: "Only spaces or line breaks differ",
    EXTRA: "Something that does not belong there",
    MISSING: "Something is missing",
    REVERSED: "From the wrong end",
}


def error_name(error: str) -> str:
    """A wrong answer that is well known, as a name; those of a reference are called as authors call them."""
    return ERROR_NAMES.get(error) or error.replace("-", " ").capitalize()


def outcome_of(stop: Answered) -> Outcome:
    """How right a prediction was: always in words, with an icon."""
    if stop.source == Source.TA:
        tone = "good" if stop.right else "warn" if stop.share > 0 else "bad"
        return Outcome(f"Marked by staff: {percent(stop.share)}", "user", tone)
    if stop.response is None:
        return Outcome("No answer", "dash", "calm")
    if stop.source == Source.SELF:
        return Outcome("Self-marked", "eye", "calm")
    if stop.right:
        return Outcome("Right", "check", "good")
    if stop.share > 0:
        return Outcome(f"Partly right: {percent(stop.share)}", "dash", "warn")
    return Outcome("Not right", "cross", "bad")


def percent(share: Decimal | Fraction | float) -> str:
    """What is less than all of it never looks like all of it."""
    shown = 100 if share == 1 else min(99, round(float(share) * 100))
    return f"{shown}\N{NO-BREAK SPACE}%"
