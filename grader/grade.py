"""One submission in, one report out: starts judge and child, believes neither, and settles whose fault it was."""

from __future__ import annotations

import hashlib
import platform
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from types import TracebackType
from typing import Any, Self

from grader.assignment import Assignment, Device
from grader.report import CheckResult, NamedMistake, Report, Verdict, Visibility, overall
from grader.sandbox.inside import CUPY, NUMPY, STRICT
from grader.sandbox.judge_lines import CheckLine
from grader.sandbox.ladder import Rung, SandboxUnavailable
from grader.sandbox.parcel import Parcel
from grader.sandbox.session import Line, Outcome, Session
from grader.sandbox.zygotes import Zygote, ZygoteLost, ZygotePair, open_pair
from grader.source import Source

__all__ = ["Grader", "SandboxUnavailable"]

_PARCELS_KEPT = 32
_PLATFORM_TRIES = 2
_STUDENTS = (
    "This check could not be completed with your code, though it can with the model solution. It counts as not "
    "passed; the course staff can see why."
)
ASSIGNMENT_FAILED = (
    "The assignment's own checks failed here. That is not your doing, and it costs you nothing."
)
_AUTHORS_CHARACTERS = 4_000


class Grader:
    """Two warm zygotes that grade one submission after another.

    device_name: what submissions compute on, in words.

    Not for several threads at once: have one Grader for each submission that is to run at the same time. Open it
    from a thread that lives as long as it does.
    """

    def __init__(
        self, *, rung: int | None = None, minimum: int | None = None, device: Device = Device.CPU,
        stand_in: bool = False,
    ) -> None:  # fmt: skip
        """rung: exactly this one; minimum: the weakest that will do. Raises SandboxUnavailable.

        device:   of the assignments that it grades.
        stand_in: a pretended device of array_api_strict stands in for the GPU: the same way without one, for code that
                  keeps to the array standard.
        """
        self.device = device
        self.arrays = library_for(device, stand_in=stand_in)
        self._zygotes: ZygotePair | None = open_pair(rung, minimum, self.arrays)
        self.rung: Rung = self._zygotes.rung
        self.device_name = self._zygotes.device
        self._on_beat: Callable[[], None] | None = None
        self._parcels: OrderedDict[Assignment, Parcel] = OrderedDict()

    def grade(
        self,
        assignment: Assignment,
        source: Source,
        *,
        seed: int | None = None,
        on_check: Callable[[CheckResult], None] | None = None,
        on_beat: Callable[[], None] | None = None,
    ) -> Report:
        """Grades a submission. Faults are verdicts of the report, not exceptions.

        Raises ValueError for an assignment of another device.
        seed: of the inputs; by default it follows from assignment and submission, so that grading again repeats itself.
        on_check: told each result as it comes, in the assignment's order.
        on_beat: called every few seconds by the loop that watches the deadline, as long as that loop lives. What it
        raises ends the grading, and is raised here.
        """
        if assignment.device is not self.device:
            raise ValueError(f"{assignment.slug} is for {assignment.device}, this grader for {self.device}")
        self._on_beat = on_beat
        seed = default_seed(assignment, source) if seed is None else seed
        started_at, started = datetime.now(UTC), time.monotonic()
        told: list[CheckResult] = []
        announced: set[str] = set()  # a run that had to be repeated is not told twice

        def hear(line: Line) -> None:
            result = result_of(assignment, line.told, line.output)
            told.append(result)
            if (
                on_check is not None
                and result.verdict is not Verdict.ASSIGNMENT_FAULT
                and result.id not in announced
            ):
                announced.add(result.id)
                on_check(result)

        for_staff: dict[str, str] = {}
        try:
            results = self._results(assignment, source, seed, hear, told, for_staff)
        except (ZygoteLost, SandboxUnavailable) as lost:
            results = completed(assignment, told, Verdict.PLATFORM_FAULT, f"The sandbox failed: {lost}.")
        return make_report(
            assignment, source, results, seed=seed, rung=self.rung.number, device=self.device_name,
            started_at=started_at, seconds=time.monotonic() - started, for_staff=for_staff,
        )  # fmt: skip

    def _results(
        self, assignment: Assignment, source: Source, seed: int, hear: Callable[[Line], None],
        told: list[CheckResult], for_staff: dict[str, str],
    ) -> tuple[CheckResult, ...]:  # fmt: skip
        """The rows of the report; what only the authors should read goes into `for_staff`."""
        outcome = self._run(assignment, source, seed, hear, told)
        if outcome.broke and outcome.naming:  # known mistakes are the authors' code: do without names
            for_staff["naming"] = _for_authors(outcome)
            outcome = self._run(assignment, source, seed, hear, told, naming=False)
        if outcome.naming_broke:
            for_staff["naming"] = outcome.naming_broke
        if not _judge_failed(outcome):
            return tuple(told)
        kept = [result for result in told if result.verdict is not Verdict.ASSIGNMENT_FAULT]
        if assignment.public_only:  # whose doing it was, only the course can find out
            for_staff["fault"] = _for_authors(outcome)
            return completed(assignment, kept, Verdict.ASSIGNMENT_FAULT, ASSIGNMENT_FAILED)
        # Was it the assignment or the student? The model solution in the student's place tells.
        solution = Source(assignment.files["solution.py"], (), ())
        again = self._run(assignment, solution, seed, lambda line: None, [], naming=False)
        if _judge_failed(again) or not _all_passed(again, assignment):
            for_staff["fault"] = _for_authors(again if _judge_failed(again) else outcome)
            return completed(assignment, kept, Verdict.ASSIGNMENT_FAULT, ASSIGNMENT_FAILED)
        for_staff["fault"] = _for_authors(outcome)
        return completed(assignment, kept, Verdict.PROTOCOL_VIOLATION, _STUDENTS)

    def _run(
        self, assignment: Assignment, source: Source, seed: int, hear: Callable[[Line], None],
        told: list[CheckResult], *, naming: bool = True,
    ) -> Outcome:  # fmt: skip
        """One run; once more from the start, on new zygotes, where a zygote was lost."""
        for attempt in range(_PLATFORM_TRIES):
            told.clear()
            if self._zygotes is None:
                self._zygotes = open_pair(self.rung.number, None, self.arrays)
            try:
                parcel = self._parcel(assignment, self._zygotes.judge)
                return Session(
                    self._zygotes,
                    assignment,
                    parcel,
                    source,
                    seed=seed,
                    on_line=hear,
                    on_beat=self._on_beat,
                    naming=naming,
                ).run()
            except ZygoteLost:
                self._zygotes.close()
                self._zygotes = None
                if attempt + 1 == _PLATFORM_TRIES:
                    raise
        raise AssertionError("unreachable")

    def _parcel(self, assignment: Assignment, judge: Zygote) -> Parcel:
        if assignment not in self._parcels:
            self._parcels[assignment] = Parcel.of(assignment, judge)
            if len(self._parcels) > _PARCELS_KEPT:
                self._parcels.popitem(last=False)[1].close()
        self._parcels.move_to_end(assignment)
        return self._parcels[assignment]

    def close(self) -> None:
        if self._zygotes is not None:
            self._zygotes.close()
            self._zygotes = None
        for parcel in self._parcels.values():
            parcel.close()
        self._parcels.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def library_for(device: Device, *, stand_in: bool) -> str:
    """The library whose arrays submissions to a device are given; stand_in: as for a Grader."""
    if device is Device.CPU:
        return NUMPY
    return STRICT if stand_in else CUPY


def default_seed(assignment: Assignment, source: Source) -> int:
    """A seed that the same submission to the same version always gets, and that no edit can aim at."""
    digest = hashlib.sha256(f"{assignment.version}\0{source.text}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6], "little")


def make_report(
    assignment: Assignment, source: Source, results: tuple[CheckResult, ...], *, seed: int, rung: int | None,
    device: str, started_at: datetime, seconds: float, for_staff: dict[str, str],
) -> Report:  # fmt: skip
    """The report of one grading, wherever it ran; rung None: on the student's own machine. device: in words."""
    return Report(
        assignment=assignment.slug,
        version=assignment.version,
        verdict=overall(results),
        rung=rung,
        seconds=seconds,
        checks=results,
        mistakes=_named_mistakes(assignment, results),
        provenance=_provenance(assignment, source, seed, started_at, rung, device) | for_staff,
    )


def _provenance(
    assignment: Assignment, source: Source, seed: int, started_at: datetime, rung: int | None, device: str
) -> dict[str, Any]:
    """All that is needed to grade the same again."""
    return {
        "code_sha256": hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest(),
        "assignment_version": assignment.version,
        "grader": _installed("softmark"),
        "numpy": _installed("numpy"),
        "python": platform.python_version(),
        "machine": f"{sys.platform} {platform.machine()}",
        "device": device,
        "rung": rung,
        "seed": seed,
        "started_at": started_at.isoformat(timespec="milliseconds"),
    }


@cache
def _installed(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:  # run from a source tree
        return "unknown"


def _named_mistakes(assignment: Assignment, results: tuple[CheckResult, ...]) -> tuple[NamedMistake, ...]:
    """The mistakes that checks named, each once, with their hints."""
    hints = {mistake.id: mistake.hint for mistake in assignment.mistakes}
    named = dict.fromkeys(result.mistake for result in results if result.mistake is not None)
    return tuple(NamedMistake(id_, hints[id_]) for id_ in named)


def _judge_failed(outcome: Outcome) -> bool:
    return outcome.broke is not None or any(line.told.verdict.is_fault for line in outcome.lines)


def _all_passed(outcome: Outcome, assignment: Assignment) -> bool:
    """How fast the model solution is, is no question of right or wrong."""
    timed = {check.id for check in assignment.checks if check.timed}
    return all(
        line.told.verdict is Verdict.PASSED
        or (line.told.check in timed and line.told.verdict in (Verdict.NOT_MEASURED, Verdict.TIME_LIMIT))
        for line in outcome.lines
    )


def _for_authors(outcome: Outcome) -> str:
    """What an assignment's own code did wrong: never shown to a student, as it may hold what checks hide."""
    faults = [
        f"check {line.told.check}: {line.told.message}"
        for line in outcome.lines
        if line.told.verdict.is_fault
    ]
    words = [*faults, outcome.broke or "", outcome.judge_output.strip()]
    return "\n".join(filter(None, words))[:_AUTHORS_CHARACTERS]


def result_of(assignment: Assignment, told: CheckLine, output: str) -> CheckResult:
    """A row of the report from a line of the judge."""
    spec = next(check for check in assignment.checks if check.id == told.check)
    return CheckResult(
        id=spec.id,
        title=spec.title,
        verdict=told.verdict,
        points=told.points,
        max_points=spec.points,
        visibility=spec.visibility,
        message=told.message,
        mistake=told.mistake,
        seconds=told.seconds,
        output=output if spec.visibility is Visibility.PUBLIC else "",
        flag=told.flag,
    )


def completed(
    assignment: Assignment, results: list[CheckResult], verdict: Verdict, why: str
) -> tuple[CheckResult, ...]:
    """Every check has its row: those that did not finish share the verdict, and the reason."""
    finished = {result.id: result for result in results}
    rows = []
    for spec in assignment.checks:
        if spec.id in finished:
            rows.append(finished[spec.id])
            continue
        rows.append(
            CheckResult(spec.id, spec.title, verdict, spec.points * 0, spec.points, spec.visibility, why)
        )
    return tuple(rows)
