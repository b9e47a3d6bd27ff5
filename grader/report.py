"""Verdicts and the report: what grading one submission says, as dataclasses and as JSON.

The lowest layer of the library: everything above speaks in these words.
Points are exact decimals here and plain numbers in JSON; the denominator always comes from the
assignment, never from what happened to run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """What became of one check, or of a whole submission."""

    PASSED = "passed"
    WRONG_ANSWER = "wrong answer"
    WRONG_SHAPE = "wrong shape"
    WRONG_TYPE = "wrong type"
    NOT_FINITE = "not finite"
    EXCEPTION = "exception"
    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    OUTPUT_LIMIT = "output limit"
    CRASHED = "crashed"
    PROTOCOL_VIOLATION = "protocol violation"
    NOT_RUN = "not run"
    NOT_MEASURED = "not measured"
    ASSIGNMENT_FAULT = "assignment fault"
    PLATFORM_FAULT = "platform fault"

    @property
    def is_fault(self) -> bool:
        """True where the student is not to blame, and nothing may be taken from them."""
        return self in (Verdict.ASSIGNMENT_FAULT, Verdict.PLATFORM_FAULT)


class Visibility(StrEnum):
    """When a student may see a check: its file is ``checks/public.py`` only when PUBLIC."""

    PUBLIC = "public"
    AFTER_DUE = "after_due"
    NEVER = "never"


@dataclass(frozen=True)
class CheckResult:
    """One row of a report. `message` is fit for the student's eyes at the check's visibility."""

    id: str
    title: str
    verdict: Verdict
    points: Decimal
    max_points: Decimal
    visibility: Visibility
    message: str = ""
    mistake: str | None = None
    seconds: float = 0.0
    output: str = ""  # what the code printed during this check; kept for public checks only
    flag: str = ""  # what somebody of the staff should look at; never for a student


@dataclass(frozen=True)
class NamedMistake:
    """A known mistake that the submission was seen to make, and the hint that goes with it."""

    id: str
    hint: str


@dataclass(frozen=True)
class Report:
    """The outcome of grading one submission once."""

    assignment: str
    version: str
    verdict: Verdict
    rung: int | None  # the sandbox's rung; None for a run on the student's own machine
    seconds: float
    checks: tuple[CheckResult, ...]
    mistakes: tuple[NamedMistake, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def points(self) -> Decimal:
        return sum((check.points for check in self.checks), Decimal(0))

    @property
    def max_points(self) -> Decimal:
        return sum((check.max_points for check in self.checks), Decimal(0))

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON types, keys in the order people read them."""
        return {
            "assignment": self.assignment,
            "version": self.version,
            "verdict": str(self.verdict),
            "points": number(self.points),
            "max_points": number(self.max_points),
            "rung": self.rung,
            "seconds": round(self.seconds, 4),
            "checks": [
                {
                    "id": check.id,
                    "title": check.title,
                    "verdict": str(check.verdict),
                    "points": number(check.points),
                    "max_points": number(check.max_points),
                    "message": check.message,
                    "mistake": check.mistake,
                    "visibility": str(check.visibility),
                    "seconds": round(check.seconds, 4),
                    "output": check.output,
                    "flag": check.flag,
                }
                for check in self.checks
            ],
            "mistakes": [{"id": mistake.id, "hint": mistake.hint} for mistake in self.mistakes],
            "provenance": self.provenance,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """The report that `to_dict` gave this for. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(
            assignment=data["assignment"],
            version=data["version"],
            verdict=Verdict(data["verdict"]),
            rung=data["rung"],
            seconds=data["seconds"],
            checks=tuple(
                CheckResult(
                    id=check["id"],
                    title=check["title"],
                    verdict=Verdict(check["verdict"]),
                    points=exact(check["points"]),
                    max_points=exact(check["max_points"]),
                    visibility=Visibility(check["visibility"]),
                    message=check["message"],
                    mistake=check["mistake"],
                    seconds=check["seconds"],
                    output=check["output"],
                    flag=check.get("flag", ""),
                )
                for check in data["checks"]
            ),
            mistakes=tuple(NamedMistake(mistake["id"], mistake["hint"]) for mistake in data["mistakes"]),
            provenance=dict(data["provenance"]),
        )

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


# Everything but newline and tab that a terminal acts on: control characters, the marks that reverse
# the reading direction, the Unicode line ends, and half characters that no encoding can hold.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    """Text from somebody else's code or file, safe to show: what acts on a terminal becomes U+FFFD."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def number(value: Decimal) -> int | float:
    """A decimal as the plainest JSON number: 3 rather than 3.0."""
    return int(value) if value == value.to_integral_value() else float(value)


def exact(value: int | float) -> Decimal:
    """The decimal that `number` gave this for."""
    return Decimal(str(value))


def shown_points(value: Decimal) -> str:
    """A decimal as people write it: 3 or 2.5, never 3.0 or 1E+1."""
    return f"{value.normalize():f}"


def overall(checks: tuple[CheckResult, ...]) -> Verdict:
    """One verdict for the whole: a fault if there is one, else that of the first check that did not pass.

    What could not be measured says nothing about the code, so anything else comes before it.
    """
    missed: list[Verdict] = [check.verdict for check in checks if check.verdict is not Verdict.PASSED]
    faults = [verdict for verdict in missed if verdict.is_fault]
    failed = [verdict for verdict in missed if verdict is not Verdict.NOT_MEASURED]
    return (faults or failed or missed or [Verdict.PASSED])[0]
