"""What an uploaded zip brings: an assignment folder, or everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from grader.assignment import Assignment as Folder
from grader.assignment import AssignmentError, Problem, assignment_from_bytes
from grader.report import printable
from softmark.coursework.zip_folder import unpack

MOST_FINDINGS = 200
_MOST_OF_A_LINE = 200  # characters


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with the folder. text: of that line, where it is a line's."""

    file: str
    line: int | None
    sentence: str
    text: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Brought:
    """What came. Where there is no folder there are findings."""

    filename: str
    folder: Folder | None
    findings: tuple[Finding, ...] = ()


def read_zip(data: bytes, filename: str) -> Brought:
    """The folder in this zip, with all that is wrong with it at once. Raises ZipRefused where there is none."""
    filename = filename[:200]
    unpacked = unpack(data)
    try:
        return Brought(filename, assignment_from_bytes(unpacked.files, unpacked.problems))
    except AssignmentError as error:
        findings = [_finding(problem, unpacked.files) for problem in error.problems[:MOST_FINDINGS]]
        if more := len(error.problems) - len(findings):
            findings.append(Finding(".", None, f"{more} more are not listed: mend these first."))
        return Brought(filename, None, tuple(findings))


def _finding(problem: Problem, files: Mapping[str, bytes]) -> Finding:
    text = ""
    if problem.line is not None and problem.file in files:
        lines = files[problem.file].decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")
        text = lines[problem.line - 1] if problem.line <= len(lines) else ""
    return Finding(
        printable(problem.file), problem.line, printable(problem.sentence), printable(text)[:_MOST_OF_A_LINE]
    )
