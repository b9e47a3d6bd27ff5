"""From an assignment folder to a published version: read it, let the gate grade it, freeze it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.assignment import Assignment as Folder
from grader.assignment import AssignmentError, digest_of, load_assignment
from grader.grade import Grader, SandboxUnavailable
from grader.verify import Row, Verification, verify
from softmark.coursework.actions import NotFit, publish
from softmark.coursework.models import AssignmentVersion

__all__ = [
    "AssignmentError",
    "Folder",
    "Imported",
    "NotFit",
    "SandboxUnavailable",
    "import_folder",
    "published",
]


@dataclass(frozen=True)
class Imported:
    """A version, and how it passed the gate; None: it was there already."""

    version: AssignmentVersion
    verification: Verification | None


def published(folder: Folder) -> AssignmentVersion | None:
    """The version with exactly these files, if it was imported before."""
    return AssignmentVersion.objects.filter(slug=folder.slug, digest=digest_of(folder.files)).first()


def gate(
    folder: Folder, grader: Grader | None = None, on_row: Callable[[Row], None] | None = None
) -> Verification:
    """Grades everything that the folder holds. Raises SandboxUnavailable where no Grader is given or to be had."""
    if grader is not None:
        return verify(folder, grader, on_row=on_row)
    with Grader() as grader:
        return verify(folder, grader, on_row=on_row)


def import_folder(path: Path, grader: Grader | None = None) -> Imported:
    """Everything at once, for whoever need not watch. Raises AssignmentError, SandboxUnavailable or NotFit."""
    folder = load_assignment(path)
    if version := published(folder):
        return Imported(version, None)
    verification = gate(folder, grader)
    return Imported(publish(verification), verification)
