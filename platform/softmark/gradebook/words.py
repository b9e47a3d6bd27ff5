"""How states and events are said."""

from __future__ import annotations

from softmark.gradebook.arithmetic import share_word
from softmark.gradebook.entries import Kind
from softmark.gradebook.grade import State
from softmark.gradebook.models import Event
from softmark.ui.words import Outcome, shown_points

STATES = {
    State.NOT_DUE: Outcome("Not yet due", "clock", "calm"),
    State.NOT_SUBMITTED: Outcome("Not submitted", "dash", "bad"),
    State.WAITING: Outcome("Waiting", "queue", "calm"),
    State.NO_RESULT: Outcome("No result", "wrench", "warn"),
    State.UNDER_WAY: Outcome("Under way", "running", "calm"),
    State.GRADED: Outcome("Graded", "check", "good"),
    State.UNRELEASED: Outcome("Unreleased", "eye-off", "warn"),
    State.EXCUSED: Outcome("Excused", "info", "calm"),
}


def said(event: Event, stop: str = "prediction") -> str:
    """What happened, without who and when. stop: what a prediction is called there."""
    match Kind(event.kind):
        case Kind.AUTO:
            return f"Attempt {event.number} graded by machine: {_of(event)}"
        case Kind.QUIZ:
            return _said_of_prediction(event, stop)
        case Kind.OVERRIDE:
            assert event.points is not None
            return f"Set by hand: {shown_points(event.points)[0]}"
        case Kind.EXCUSE:
            return "Excused"
        case Kind.COMMENT:
            return "Comment"
        case Kind.REVOKE:
            assert event.revokes is not None
            return f"Taken back: {said(event.revokes, stop)}"
        case kind:
            return kind.label.capitalize()


def _said_of_prediction(event: Event, stop: str) -> str:
    assert event.share is not None
    word = share_word(event.share, event.source, bool(event.answered))
    if event.mark is None:
        return f"{stop.capitalize()} {event.number}, {word}"
    if event.mark.share is None:
        return f"The mark of {stop} {event.number} is taken back: {word}"
    return f"{stop.capitalize()} {event.number}, {word}: {shown_points(event.share * 100)[0]} %"


def _of(event: Event) -> str:
    assert event.points is not None
    shown, most = shown_points(event.points, event.max_points)
    return f"{shown} of {most}"
