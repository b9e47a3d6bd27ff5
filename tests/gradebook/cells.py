"""Cells of a gradebook, for the property tests: what may happen to one, and a strategy for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from softmark.courses.deadlines import Deadline
from softmark.courses.late_policy import LatePolicy
from softmark.gradebook.entries import Entry, Happening, Kind, Predicted
from softmark.gradebook.grade import SETTLED, Grade, Unsettled, grade

ZONE = ZoneInfo("Europe/Zurich")
DUE = datetime(2026, 10, 24, 22, 0, tzinfo=UTC)  # the clocks go back that night
NOW = DUE + timedelta(days=60)
FULL = Decimal(10)
POLICY = LatePolicy(grace_minutes=15, percent_per_day=Decimal(10), floor_percent=Decimal(50))
DEADLINE = Deadline(due_at=DUE, late_policy=POLICY)


def auto(
    id: int, points: Decimal | int, *, attempt: int = 1, at: datetime = DUE, of: Decimal | int = 10
) -> Entry:
    """An automatic result of an attempt that was received at an instant; its submission is 100 + attempt."""
    return Entry(
        id, Kind.AUTO, Decimal(points), Decimal(of), submission=100 + attempt, number=attempt, received_at=at
    )


def predicted(
    id: int, share: Decimal | int | str = 1, *, stop: int = 1, stops: int = 4, at: datetime = DUE,
    source: str = "rule", answered: bool = True,
) -> Predicted:  # fmt: skip
    """A prediction at a stop; its number is 200 + stop. With the number of another: a mark of it."""
    return Predicted(id, Kind.QUIZ, 200 + stop, stop, stops, Decimal(share), source, answered, at)


def given_back(*attempts: int) -> Unsettled:
    return Unsettled(returned=frozenset(100 + attempt for attempt in attempts))


def override(id: int, points: Decimal | int) -> Entry:
    return Entry(id, Kind.OVERRIDE, Decimal(points))


def excuse(id: int) -> Entry:
    return Entry(id, Kind.EXCUSE)


def revoke(id: int, other: int) -> Entry:
    return Entry(id, Kind.REVOKE, revokes=other)


def without_points(entry: Happening) -> Happening:
    """The same that came to nothing."""
    if isinstance(entry, Predicted):
        return entry._replace(share=Decimal(0))
    return entry if entry.points is None else entry._replace(points=Decimal(0))


@dataclass(frozen=True)
class Cell:
    """All that a grade is made of."""

    entries: tuple[Happening, ...] = ()
    points: Decimal = FULL
    deadline: Deadline = DEADLINE
    now: datetime = NOW
    released: bool = True
    unsettled: Unsettled = SETTLED
    counts: str | None = None

    @property
    def grade(self) -> Grade:
        return grade(
            list(self.entries), self.points, self.deadline, ZONE, self.now, released=self.released,
            unsettled=self.unsettled, counts=self.counts,
        )  # fmt: skip

    def then(self, *more: Happening) -> Cell:
        return replace(self, entries=self.entries + more)

    @property
    def next_id(self) -> int:
        return max((entry.id for entry in self.entries), default=0) + 1


thousandths = st.integers(0, 20_000).map(lambda number: Decimal(number).scaleb(-3))
percents = st.integers(0, 100).map(Decimal)
full_marks = st.integers(1, 30_000).map(lambda number: Decimal(number).scaleb(-3))
instants = st.timedeltas(timedelta(days=-20), timedelta(days=40)).map(lambda by: DUE + by)
policies = st.builds(LatePolicy, st.integers(0, 3000), percents, percents)


@st.composite
def deadlines(draw: st.DrawFn) -> Deadline:
    due_at = draw(st.none() | instants)
    closes_at = draw(st.none() | instants)
    if due_at is not None and closes_at is not None:
        closes_at = max(due_at, closes_at)
    return Deadline(None, due_at, closes_at, draw(policies))


@st.composite
def histories(
    draw: st.DrawFn, kinds: str = "auto auto auto override excuse comment revoke"
) -> tuple[Entry, ...]:
    """What happened to a cell: up to nine events."""
    entries: list[Entry] = []
    received: dict[int, datetime] = {}
    ids = count(1)
    for kind in draw(st.lists(st.sampled_from(kinds.split()), max_size=9)):
        id = next(ids)
        if kind == Kind.AUTO:
            attempt = draw(st.integers(1, 4))
            at = received.setdefault(attempt, draw(instants))
            most = draw(full_marks)
            points = min(draw(thousandths), most)
            entries.append(auto(id, points, attempt=attempt, at=at, of=most))
        elif kind == Kind.OVERRIDE:
            entries.append(override(id, draw(thousandths)))
        elif kind != Kind.REVOKE:
            entries.append(Entry(id, kind))
        else:
            taken = {entry.revokes for entry in entries}
            free = [entry.id for entry in entries if entry.kind != Kind.REVOKE and entry.id not in taken]
            if free:
                entries.append(revoke(id, draw(st.sampled_from(free))))
    return tuple(entries)


shares = st.sampled_from((0, 1)).map(Decimal) | st.integers(0, 10**6).map(
    lambda number: Decimal(number).scaleb(-6)
)
policies_of_lessons = st.sampled_from(("completion", "correctness"))


@st.composite
def readings(
    draw: st.DrawFn, kinds: str = "quiz quiz quiz quiz mark override excuse comment revoke"
) -> tuple[Happening, ...]:
    """What happened to the cell of a lesson of one to five stops: up to nine events."""
    entries: list[Happening] = []
    stops = draw(st.integers(1, 5))
    made: dict[int, Predicted] = {}
    ids = count(1)
    for kind in draw(st.lists(st.sampled_from(kinds.split()), max_size=9)):
        id = next(ids)
        if kind == Kind.QUIZ and len(made) < stops:
            stop, answered = len(made) + 1, draw(st.sampled_from((True, True, True, False)))
            share = draw(shares) if answered else Decimal(0)
            source = draw(st.sampled_from(("rule", "rule", "self"))) if answered else "rule"
            made[stop] = predicted(
                id, share, stop=stop, stops=stops, at=draw(instants), source=source, answered=answered
            )
            entries.append(made[stop])
        elif kind == "mark" and made:
            marked = made[draw(st.sampled_from(sorted(made)))]
            entries.append(marked._replace(id=id, share=draw(shares), source="ta"))
        elif kind == Kind.OVERRIDE:
            entries.append(override(id, draw(thousandths)))
        elif kind in (Kind.EXCUSE, Kind.COMMENT):
            entries.append(Entry(id, kind))
        elif kind == Kind.REVOKE:
            taken = {entry.revokes for entry in entries}
            free = [entry.id for entry in entries if entry.kind != Kind.REVOKE and entry.id not in taken]
            if free:
                entries.append(revoke(id, draw(st.sampled_from(free))))
    return tuple(entries)


assignment_cells = st.builds(
    Cell, histories(), full_marks, deadlines(), instants, st.booleans(),
    st.builds(Unsettled, st.integers(0, 1), st.integers(0, 1), st.frozensets(st.integers(101, 104), max_size=1)),
)  # fmt: skip
lesson_cells = st.builds(
    Cell, readings(), full_marks, deadlines(), instants, st.booleans(), counts=policies_of_lessons
)
cells = assignment_cells | lesson_cells
