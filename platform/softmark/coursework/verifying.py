"""Verifying a folder a file at a time: what is graded next, and the table as far as it has come. Pure rules.

In one go the largest assignment would keep a worker from its students for minutes. So each file is graded for itself,
and `grader.verify`, which alone knows what follows from what, is asked again with all the reports that there are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.assignment import Assignment as Folder
from grader.report import CheckResult, Report
from grader.source import Source
from grader.verify import Row, Verification, files_of, verify


@dataclass(frozen=True)
class Standing:
    """How far it has come.

    verification: of what has been graded; whole once `next` is None.
    next:         what is to be graded now, and `by` what of the folder: not every check has to be asked of every file.
    reports:      each under the key of the text that it is about; JSON.
    """

    verification: Verification
    next: Source | None
    by: Folder
    reports: Mapping[str, Any]

    def after(self, report: Report) -> Standing:
        """How far it has come once the next file has this report."""
        assert self.next is not None
        silent = tuple(replace(check, output="") for check in report.checks)  # the table does without
        kept = replace(report, checks=silent).to_dict()
        return standing(self.verification.assignment, {**self.reports, _key(self.next): kept})


def standing(folder: Folder, reports: Mapping[str, Any]) -> Standing:
    """How far verifying this folder has come with these reports."""
    rows: list[Row] = []
    try:
        return Standing(verify(folder, _Known(reports), on_row=rows.append), None, folder, reports)
    except _NotYet as missing:
        return Standing(Verification(folder, tuple(rows), (), ()), missing.source, missing.by, reports)


def names_of(folder: Folder) -> list[str]:
    """What is graded, in this order: the rows of the table."""
    return [file.name for file in files_of(folder)]


def _key(source: Source) -> str:
    """The same text has the same report: the inputs of a run follow from it."""
    return hashlib.sha256(source.text.encode()).hexdigest()


class _NotYet(Exception):
    """The report of this text is not there."""

    def __init__(self, source: Source, by: Folder) -> None:
        super().__init__()
        self.source, self.by = source, by


class _Known:
    """Grades by what is known already."""

    def __init__(self, reports: Mapping[str, Any]) -> None:
        self._reports = reports

    def grade(
        self, assignment: Folder, source: Source, *, seed: int | None = None,
        on_check: Callable[[CheckResult], None] | None = None,
    ) -> Report:  # fmt: skip
        report = self._reports.get(_key(source))
        if report is None:
            raise _NotYet(source, assignment)
        return Report.from_dict(report)
