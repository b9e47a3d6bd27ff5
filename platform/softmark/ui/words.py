"""How numbers, times and outcomes are said: pure rules, the same on every page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal


@dataclass(frozen=True)
class Outcome:
    """How a verdict, a check's state or a submission's status is shown: always a word with its icon."""

    word: str
    icon: str
    tone: str  # good, bad, warn (not the student's fault) or calm


# The words of grader.report.Verdict, which this layer must not import, and the two states before there is one.
VERDICTS = {
    "passed": Outcome("Passed", "check", "good"),
    "wrong answer": Outcome("Wrong answer", "cross", "bad"),
    "wrong shape": Outcome("Wrong shape", "shape", "bad"),
    "wrong type": Outcome("Wrong type", "type", "bad"),
    "not finite": Outcome("Not finite", "infinity", "bad"),
    "exception": Outcome("Exception", "exception", "bad"),
    "time limit": Outcome("Time limit", "clock", "bad"),
    "memory limit": Outcome("Memory limit", "memory", "bad"),
    "output limit": Outcome("Output limit", "output", "bad"),
    "crashed": Outcome("Crashed", "crash", "bad"),
    "protocol violation": Outcome("Protocol violation", "hand", "bad"),
    "not run": Outcome("Not run", "dash", "calm"),
    "not measured": Outcome("Not measured", "dash", "calm"),
    "assignment fault": Outcome("Assignment fault", "wrench", "warn"),
    "platform fault": Outcome("Platform fault", "wrench", "warn"),
    "queued": Outcome("Queued", "queue", "calm"),
    "running": Outcome("Running", "running", "calm"),
}

# The words of a submission's status.
STATUSES = {
    "waiting": Outcome("Waiting", "queue", "calm"),
    "running": Outcome("Being graded", "running", "calm"),
    "graded": Outcome("Graded", "check", "calm"),
    "held": Outcome("Held for staff", "pause", "warn"),
    "fault": Outcome("Not your fault", "wrench", "warn"),
}


def outcome(word: str, known: dict[str, Outcome]) -> Outcome:
    """The outcome for a word. One that nobody drew yet is shown plainly rather than not at all."""
    return known.get(word) or Outcome(word.capitalize() or "Unknown", "info", "calm")


def shown_points(value: Decimal, most: Decimal | None = None) -> tuple[str, str]:
    """Points, and the most there are, as people write them: rounded once, halves up, to 2 places, zeros trimmed.

    What is below the most never looks like it: 9.999 of 10 is 9.99. Where two places cannot tell them apart,
    as in 3.332 of 3.333, both get more.
    """
    places = 2
    while True:
        shown = _rounded(value, places)
        if most is None:
            return _plain(shown), ""
        shown_most = _rounded(most, places)
        if value < most and shown >= shown_most:
            shown = value.quantize(Decimal(1).scaleb(-places), ROUND_FLOOR)
        if value >= most or shown < shown_most:
            return _plain(shown), _plain(shown_most)
        places += 1


def _rounded(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _plain(value: Decimal) -> str:
    return f"{value.normalize() + 0:f}"  # the zero makes -0 plain 0


def shown_duration(seconds: float, short: bool = False) -> str:
    """A length of time in the two largest units that it has: '2 minutes 5 seconds', or in short '2 min 5 s'."""
    seconds = abs(seconds)
    if seconds < 0.0005:
        return "0 ms" if short else "under a millisecond"
    if seconds < 0.9995:
        return _count(round(seconds * 1000), "millisecond", "ms", short)
    if seconds < 9.95:
        text = f"{seconds:.1f}".removesuffix(".0")
        unit = "s" if short else "second" if text == "1" else "seconds"
        return f"{text} {unit}"
    whole = round(seconds)
    said = []
    for size, name, brief in (
        (86_400, "day", "d"),
        (3_600, "hour", "h"),
        (60, "minute", "min"),
        (1, "second", "s"),
    ):
        number, whole = divmod(whole, size)
        if number:
            said.append(_count(number, name, brief, short))
    return " ".join(said[:2])


def _count(number: int, name: str, brief: str, short: bool) -> str:
    if short:
        return f"{number} {brief}"
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def time_left(instant: datetime, now: datetime) -> str:
    """'3 days 4 hours left' or '2 hours ago', in whole minutes."""
    seconds = abs((instant - now).total_seconds())
    words = shown_duration(seconds // 60 * 60) if seconds >= 60 else "less than a minute"
    return f"{words} left" if instant > now else f"{words} ago"


def shown_instant(instant: datetime) -> str:
    """An aware datetime in its own zone, with the zone's name: 'Thu 5 Mar 2026, 23:00 CET'."""
    zone = instant.tzname() or ""
    if not zone or zone[0] in "+-":  # places whose zone has no name: say the offset
        offset = instant.strftime("%z")
        zone = f"UTC{offset[:3]}:{offset[3:5]}".replace("-", "\N{MINUS SIGN}")
    return f"{instant:%a} {instant.day} {instant:%b %Y, %H:%M} {zone}"
