"""What an assignment folder says, once it has been read: plain frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from grader.interface import ONE_ARRAY, ClassForm, Device, Returns
from grader.report import Visibility, printable

PUBLIC_CHECKS = "checks/public.py"
HIDDEN_CHECKS = "checks/hidden.py"


@dataclass(frozen=True)
class Limits:
    """What a submission may use."""

    call_seconds: float = 2.0  # one call
    load_seconds: float = 5.0  # running the top level of the student's file
    total_seconds: float = 10.0  # all calls together
    memory_mb: int = 512  # above what the interpreter itself takes


@dataclass(frozen=True)
class CheckSpec:
    """One check as the manifest announces it; its code carries the same id.

    timed: its points hang on how long calls take, so that equal submissions need not get equal points.
    """

    id: str
    title: str
    points: Decimal
    visibility: Visibility
    timed: bool = False

    @property
    def file(self) -> str:
        """The file of the folder that must define this check."""
        return PUBLIC_CHECKS if self.visibility is Visibility.PUBLIC else HIDDEN_CHECKS


@dataclass(frozen=True)
class MistakeSpec:
    """One known mistake. `same_as` holds every mistake that looks like it, whichever of them says so."""

    id: str
    hint: str
    same_as: frozenset[str] = frozenset()

    @property
    def file(self) -> str:
        return f"mistakes/{self.id}.py"


@dataclass(frozen=True)
class Assignment:
    """A whole assignment folder: the manifest and the text of every file that belongs to it.

    returns:    what one call of the function returns.
    class_form: the class that may stand in for the function; None: only a function will do.
    device:     where submissions run.
    lesson:     the slug of the lesson that it belongs to; empty: none.
    public_only: a student's copy, without solution, hidden checks and mistakes: it grades, and cannot be published.
    """

    slug: str
    title: str
    summary: str
    function: str
    signature: str
    points: Decimal
    limits: Limits
    checks: tuple[CheckSpec, ...]
    mistakes: tuple[MistakeSpec, ...]
    files: Mapping[str, str] = field(repr=False, hash=False)  # relative path with "/" -> text, "\n" line ends
    version: str  # 12 hexadecimal digits, the same on every machine
    returns: Returns = ONE_ARRAY
    class_form: ClassForm | None = None
    device: Device = Device.CPU
    lesson: str = ""
    public_only: bool = False

    @property
    def styles(self) -> dict[str, str]:
        """By name, the files of right implementations in other styles than the solution's."""
        paths = sorted(path for path in self.files if path.startswith("styles/"))
        return {path.removeprefix("styles/").removesuffix(".py"): path for path in paths}


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong with a folder. `file` is relative to it; "." is the folder itself."""

    file: str
    line: int | None
    sentence: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return printable(f"{place}: {self.sentence}")


class AssignmentError(Exception):
    """The folder cannot be used; `problems` holds everything that was found, not only the first."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class Problems:
    """Collects what is wrong while reading goes on."""

    def __init__(self) -> None:
        self._found: list[Problem] = []

    def add(self, file: str, line: int | None, sentence: str) -> None:
        self._found.append(Problem(file, line, sentence))

    def __bool__(self) -> bool:
        return bool(self._found)

    def sorted(self) -> tuple[Problem, ...]:
        """By file and line, each once; those without a line first in their file."""
        return tuple(sorted(set(self._found), key=lambda p: (p.file, p.line or 0, p.sentence)))
