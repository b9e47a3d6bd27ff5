"""Reading fixtures/course.toml and fixtures/people.csv."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5
from zoneinfo import ZoneInfo

from softmark.courses.wall_time import instant_at
from softmark.home.demo_people import COURSE, DOMAIN

ADMINISTRATOR = "administrator"


@dataclass(frozen=True)
class Person:
    email: str
    name: str
    role: str  # in the course, or ADMINISTRATOR of the site
    section: str | None

    @property
    def handle(self) -> str:
        """How the script calls them."""
        return self.email.partition("@")[0]


@dataclass(frozen=True)
class Moment:
    """A time of day so many days after the day of loading, on the course's clock."""

    day: int
    at: str

    def on(self, loaded: date, zone: ZoneInfo) -> datetime:
        return instant_at(f"{loaded + timedelta(days=self.day)} {self.at}", zone)


@dataclass(frozen=True)
class Task:
    """An assignment of the course, by the name of its folder."""

    folder: str
    attempts: int
    opens: Moment
    due: Moment
    closes: Moment
    grace_minutes: int
    percent_per_day: Decimal
    floor_percent: Decimal


@dataclass(frozen=True)
class Setup:
    """A lesson of the course, by its id, in the order in which they are read. What is left out is as imported."""

    id: str
    counts: str | None = None
    points: Decimal | None = None
    time_limit: int | None = None
    opens: Moment | None = None
    due: Moment | None = None
    closes: Moment | None = None
    grace_minutes: int = 0
    percent_per_day: Decimal = Decimal(0)
    floor_percent: Decimal = Decimal(0)


@dataclass(frozen=True)
class Walk:
    """Somebody's way through a lesson. answers: a letter a stop, r for right and w for wrong; who gives fewer than
    there are stops, stops there. sure: a digit a stop, 0 where they do not say.
    """

    lesson: str
    student: str
    when: Moment
    answers: str
    sure: str

    @property
    def predictions(self) -> list[tuple[str, int | None]]:
        return [(answer, int(sure) or None) for answer, sure in zip(self.answers, self.sure, strict=True)]


@dataclass(frozen=True)
class MoreTime:
    student: str
    time_factor: Decimal
    reason: str
    by: str


@dataclass(frozen=True)
class Extending:
    assignment: str
    student: str
    due: Moment
    reason: str
    by: str


@dataclass(frozen=True)
class HandIn:
    """A file of fixtures/submissions that somebody hands in. held: three workers die under it."""

    assignment: str
    student: str
    file: str
    when: Moment
    held: bool = False

    @property
    def token(self) -> UUID:
        """The same whenever the script is played, so that nothing is handed in twice."""
        return uuid5(NAMESPACE_URL, f"{DOMAIN}/{self.assignment}/{self.student}/{self.file}")


@dataclass(frozen=True)
class ByHand:
    """What an instructor does to a grade: "excuse" or "override"."""

    kind: str
    assignment: str
    student: str
    reason: str
    by: str
    points: Decimal | None = None


@dataclass(frozen=True)
class Script:
    """Everything that is to be there; hand-ins in the order of time."""

    slug: str
    title: str
    time_zone: str
    people: tuple[Person, ...]
    lessons: tuple[Setup, ...]
    tasks: tuple[Task, ...]
    accommodations: tuple[MoreTime, ...]
    walks: tuple[Walk, ...]
    extensions: tuple[Extending, ...]
    hand_ins: tuple[HandIn, ...]
    by_hand: tuple[ByHand, ...]


def read_script(fixtures: Path) -> Script:
    """Raises FileNotFoundError where this is no source tree."""
    course = tomllib.loads((fixtures / "course.toml").read_text(), parse_float=Decimal)
    if course["slug"] != COURSE:
        raise ValueError(f"the demo course is to be called {COURSE}")
    with (fixtures / "people.csv").open(newline="") as file:
        people = tuple(
            Person(row["email"], row["name"], row["role"], row["section"] or None)
            for row in csv.DictReader(file)
        )
    hand_ins = [HandIn(**_read(each)) for each in course["submissions"]]
    return Script(
        slug=course["slug"],
        title=course["title"],
        time_zone=course["time_zone"],
        people=people,
        lessons=tuple(Setup(**_read(each)) for each in course["lessons"]),
        accommodations=tuple(MoreTime(**_read(each)) for each in course["accommodations"]),
        walks=tuple(Walk(**_read(each)) for each in course["readings"]),
        tasks=tuple(Task(**_read(each)) for each in course["assignments"]),
        extensions=tuple(Extending(**_read(each)) for each in course["extensions"]),
        hand_ins=tuple(sorted(hand_ins, key=lambda each: (each.when.day, each.when.at))),
        by_hand=tuple(ByHand(**_read(each)) for each in course["by_hand"]),
    )


_NUMBERS = {"percent_per_day", "floor_percent", "points", "time_factor"}


def _read(table: dict[str, Any]) -> dict[str, Any]:
    """A table of the file as arguments of its dataclass, which complains about what it does not know."""
    return {
        key: Moment(**value) if isinstance(value, dict) else Decimal(value) if key in _NUMBERS else value
        for key, value in table.items()
    }
