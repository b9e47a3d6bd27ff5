"""The judge: runs an assignment's checks against a submission and says, check by check, what came of it.

It runs inside the sandbox, as code that an instructor wrote is code too. It knows the expected values; the
submission is only a `Student` to it, wherever that runs.
"""

from __future__ import annotations

import marshal
import time
import traceback
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.assignment import Assignment, CheckSpec, MistakeSpec
from grader.checks import Check, Failed, Measurable, Result
from grader.compare import Observation
from grader.interface import ONE_ARRAY, Device, Returns
from grader.mistakes import KnownMistakes
from grader.report import Verdict, Visibility, exact, number


class BrokenAssignment(Exception):
    """The assignment's own code cannot be used; the words are for its authors."""


@dataclass(frozen=True)
class Bundle:
    """What the judge is given of an assignment: its schema, and its files by path, as text or marshalled code."""

    function: str
    signature: str
    checks: tuple[CheckSpec, ...]
    mistakes: tuple[MistakeSpec, ...]
    files: Mapping[str, str | bytes]
    returns: Returns = ONE_ARRAY
    device: Device = Device.CPU

    @classmethod
    def of(cls, assignment: Assignment) -> Bundle:
        """All of it, with its files as text."""
        return cls(
            assignment.function, assignment.signature, assignment.checks, assignment.mistakes, assignment.files,
            assignment.returns, assignment.device,
        )  # fmt: skip


def load_checks(bundle: Bundle) -> dict[str, Check]:
    """The checks by id, found in the file their visibility belongs to. Raises BrokenAssignment."""
    found: dict[str, Check] = {}
    for file in dict.fromkeys(spec.file for spec in bundle.checks):
        checks = [value for value in vars(_module(bundle, file)).values() if isinstance(value, Check)]
        found |= {check.id: check for check in checks}
    missing = [spec.id for spec in bundle.checks if spec.id not in found]
    if missing:
        raise BrokenAssignment(f"no check in the code has the id {', '.join(missing)}")
    for spec in bundle.checks:
        if found[spec.id].timed and not spec.timed:
            raise BrokenAssignment(f'{spec.id} is a speed check: its [[checks]] entry needs "timed = true"')
        if spec.timed and not found[spec.id].timed:
            raise BrokenAssignment(f'{spec.id} is no speed check: take "timed" out of its [[checks]] entry')
        if bundle.device is Device.CUDA and found[spec.id].weighs:
            raise BrokenAssignment(f"{spec.id} is a memory check: what a call takes of a GPU is not measured")
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
        found = bundle.files[file]
        code = (
            marshal.loads(found)
            if isinstance(found, bytes)
            else compile(found, file, "exec", dont_inherit=True)
        )
        exec(code, module.__dict__)
    except BaseException as error:  # sys.exit() in a check is no way out
        raise BrokenAssignment(f"{file}: {type(error).__name__}: {error}") from error
    return module


def run(
    bundle: Bundle,
    load: Callable[[], Measurable],
    *,
    seed: int,
    emit: Callable[[dict[str, Any]], None],
    skip: frozenset[str] = frozenset(),
    naming: bool = True,
) -> None:
    """Runs every check in order and emits one line for each, then `{"final": True}`.

    load:   makes the submission ready; raises Failed where it cannot be loaded, which every check then says.
    naming: whether to run the known mistakes on wrong answers. `{"naming": True}` and `{"naming": False}` stand
            around that, as what goes wrong between them cannot be the student's doing; `{"naming": "..."}` says
            why it could not be done.
    Raises BrokenAssignment; what a check raises by mistake becomes an `assignment fault` of that check, in words
    for its authors.
    """
    checks = load_checks(bundle)
    namer = _Namer(bundle, emit) if naming else None
    student: Measurable | None = None
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
            line = _run_one(bundle, checks[spec.id], spec, student, seed, namer)
        emit({"check": spec.id, "seconds": round(time.monotonic() - started, 6), **line})
    emit({"final": True})


class _Namer:
    """Names known mistakes; loads them when the first is needed, so that right submissions never pay for them."""

    def __init__(self, bundle: Bundle, emit: Callable[[dict[str, Any]], None]) -> None:
        self._bundle, self._emit = bundle, emit
        self._same_as = {spec.id: spec.same_as for spec in bundle.mistakes}
        self._known: KnownMistakes | None = None
        self._broken = False

    def name(self, observations: tuple[Observation, ...]) -> str | None:
        if not observations or self._broken:
            return None
        self._emit({"naming": True})
        try:
            if self._known is None:
                self._known = load_mistakes(self._bundle)
            return self._known.name(observations, self._same_as)
        except BaseException as error:  # the verdict stands without a name
            self._broken = True
            self._emit({"naming": _for_authors(self._bundle, error)})
            return None
        finally:
            self._emit({"naming": False})


def _run_one(
    bundle: Bundle, check: Check, spec: CheckSpec, student: Measurable, seed: int, namer: _Namer | None
) -> dict[str, Any]:
    try:
        result = check.run(student, seed) or Result()
        points = number(spec.points * exact(result.share))
    except Failed as failed:
        # Only public checks show what an exception says or which values came: the rest could leak hidden inputs.
        words = _all_of(failed) if spec.visibility is Visibility.PUBLIC else failed.message
        return _missed(failed.verdict, words, namer.name(failed.observations) if namer else None)
    except BaseException as error:
        return _missed(Verdict.ASSIGNMENT_FAULT, _for_authors(bundle, error))
    line = {"verdict": str(result.verdict), "points": points, "message": result.message, "mistake": None}
    return line | ({"flag": result.flag} if result.flag else {})


def _missed(verdict: Verdict, message: str, mistake: str | None = None) -> dict[str, Any]:
    return {"verdict": str(verdict), "points": 0, "message": message, "mistake": mistake}


def _all_of(failed: Failed) -> str:
    return "\n".join(filter(None, (failed.message, failed.detail)))


def _for_authors(bundle: Bundle, error: BaseException) -> str:
    """What went wrong in an assignment's own code, and at which of its lines."""
    if isinstance(error, BrokenAssignment):
        return str(error)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in bundle.files]
    place = f"{frames[-1].filename}, line {frames[-1].lineno}: " if frames else ""
    return f"{place}{type(error).__name__}: {error}"
