"""What a reader has made of a lesson so far, in numbers: by the same marks as are shown beside their answers."""

from __future__ import annotations

from dataclasses import dataclass

from softmark.lessons.questions import Source
from softmark.lessons.standing import Answered, Standing


@dataclass(frozen=True)
class Tally:
    """made: stops with an answer. unanswered: those that the end of the time limit left without one.

    judged:      how many of both somebody has judged, a rule or the staff; right, partly: how many of these are.
    self_marked: texts that nobody but their author has marked.
    """

    made: int = 0
    unanswered: int = 0
    judged: int = 0
    right: int = 0
    partly: int = 0
    self_marked: int = 0


NOTHING_MADE = Tally()


def tally_of(standing: Standing) -> Tally:
    stops = [part.stop for part in standing.parts if isinstance(part.stop, Answered)]
    judged = [stop for stop in stops if stop.source != Source.SELF]
    unanswered = sum(stop.response is None for stop in stops)
    return Tally(
        made=len(stops) - unanswered,
        unanswered=unanswered,
        judged=len(judged),
        right=sum(stop.right for stop in judged),
        partly=sum(0 < stop.share < 1 for stop in judged),
        self_marked=len(stops) - len(judged),
    )
