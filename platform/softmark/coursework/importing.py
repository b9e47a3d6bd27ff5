"""From an assignment folder to a version: is it there already, and may it be published?"""

from __future__ import annotations

from collections.abc import Callable

from grader.assignment import Assignment as Folder
from grader.assignment import AssignmentError, digest_of, load_assignment
from grader.grade import Grader, SandboxUnavailable
from grader.verify import Row, Verification, verify
from softmark.coursework.models import AssignmentVersion

__all__ = ["AssignmentError", "Folder", "SandboxUnavailable", "gate", "load_assignment", "published"]


def published(folder: Folder) -> AssignmentVersion | None:
    """The version with exactly these files, if it was imported before."""
    return AssignmentVersion.objects.filter(slug=folder.slug, digest=digest_of(folder.files)).first()


def gate(folder: Folder, on_row: Callable[[Row], None] | None = None) -> Verification:
    """Grades everything that the folder holds; `actions.publish` takes the answer. Raises SandboxUnavailable."""
    with Grader(device=folder.device) as grader:
        return verify(folder, grader, on_row=on_row)
