"""The judge: runs an assignment's checks against a submission and says, check by check, what came of it.

It runs inside the sandbox, as code that an instructor wrote is code too. It knows the expected values; the
submission is only a `Student` to it, wherever that runs.
"""

from __future__ import annotations

import time
import traceback
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.assignment import CheckSpec, MistakeSpec
from grader.checks import Check, Failed, Student
from grader.compare import Observation
from grader.mistakes import KnownMistakes
from grader.report import Verdict, Visibility, number


class BrokenAssignment(Exception):
    """The assignment's own code cannot be used; the words are for its authors."""


@dataclass(frozen=True)
class Bundle:
    """What the judge is given of an assignment: its schema and its files' text, by path."""

    function: str
    checks: tuple[CheckSpec, ...]
    mistakes: tuple[MistakeSpec, ...]
    files: Mapping[str, str]


def load_checks(bundle: Bundle) -> dict[str, Check]:
    """The checks by id, found in the file their visibility belongs to. Raises BrokenAssignment."""
    found: dict[str, Check] = {}
    for file in dict.fromkeys(spec.file for spec in bundle.checks):
        checks = [value for value in vars(_module(bundle, file)).values() if isinstance(value, Check)]
        found |= {check.id: check for check in checks}
    missing = [spec.id for spec in bundle.checks if spec.id not in found]
    if missing:
        raise BrokenAssignment(f"no check in the code has the id {', '.join(missing)}")
    return found


def load_mistakes(bundle: Bundle) -> KnownMistakes:
    """The known mistakes' functions. Raises BrokenAssignment."""
    modules = {spec.id: _module(bundle, spec.file) for spec in bundle.mistakes}
    lacking = [id_ for id_, module in modules.items() if not callable(getattr(module, bundle.function, None))]
    if lacking:
        raise BrokenAssignment(f"mistakes/{lacking[0]}.py does not define {bundle.function}")
    return KnownMistakes({id_: getattr(module, bundle.function) for id_, module in modules.items()})


def _module(bundle: Bundle, file: str) -> types.ModuleType:
    module = types.ModuleType(file.removesuffix(".py").replace("/", "."))
    try:
        exec(compile(bundle.files[file], file, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:  # sys.exit() in a check is no way out
        raise BrokenAssignment(f"{file}: {type(error).__name__}: {error}") from error
    return module


def run(
    bundle: Bundle,
    load: Callable[[], Student],
    *,
    seed: int,
    emit: Callable[[dict[str, Any]], None],
    skip: frozenset[str] = frozenset(),
) -> None:
    """Runs every check in order and emits one line for each, then `{"final": True}`.

    load: makes the submission ready; raises Failed where it cannot be loaded, which every check then says.
    Raises BrokenAssignment; what a check raises by mistake becomes an `assignment fault` of that check.
    """
    checks = load_checks(bundle)
    known: list[KnownMistakes] = []

    def name(observations: tuple[Observation, ...]) -> str | None:
        if not known:  # right submissions never pay for them
            known.append(load_mistakes(bundle))
        return known[0].name(observations, {spec.id: spec.same_as for spec in bundle.mistakes})

    student: Student | None = None
    refusal: Failed | None = None
    try:
        student = load()
    except Failed as failed:
        refusal = failed
    for spec in bundle.checks:
        if spec.id in skip:
            continue
        started = time.monotonic()
        if student is None:
            assert refusal is not None
            line = _missed(refusal.verdict, _all_of(refusal))
            refusal = Failed(Verdict.NOT_RUN, "Your file could not be loaded: see the first check.")
        else:
            line = _run_one(checks[spec.id], spec, student, seed, name)
        emit({"check": spec.id, "seconds": round(time.monotonic() - started, 6), **line})
    emit({"final": True})


def _run_one(
    check: Check,
    spec: CheckSpec,
    student: Student,
    seed: int,
    name: Callable[[tuple[Observation, ...]], str | None],
) -> dict[str, Any]:
    try:
        check.run(student, seed)
    except Failed as failed:
        # Only public checks show what an exception says or which values came: the rest could leak hidden inputs.
        words = _all_of(failed) if spec.visibility is Visibility.PUBLIC else failed.message
        try:
            return _missed(failed.verdict, words, name(failed.observations) if failed.observations else None)
        except BaseException:
            return _missed(Verdict.ASSIGNMENT_FAULT, traceback.format_exc(limit=-4))
    except BaseException:
        return _missed(Verdict.ASSIGNMENT_FAULT, traceback.format_exc(limit=-4))
    return {"verdict": str(Verdict.PASSED), "points": number(spec.points), "message": "", "mistake": None}


def _missed(verdict: Verdict, message: str, mistake: str | None = None) -> dict[str, Any]:
    return {"verdict": str(verdict), "points": 0, "message": message, "mistake": mistake}


def _all_of(failed: Failed) -> str:
    return "\n".join(filter(None, (failed.message, failed.detail)))
