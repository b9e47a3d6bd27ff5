"""An assignment folder: its schema and loading it.

`load_assignment` reads only; it never runs, imports or parses the code of the folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.assignment.folder import ALWAYS_NEEDED, MANIFEST, SOLUTION, FolderFiles, read_files, read_folder
from grader.assignment.manifest import Manifest, read_manifest
from grader.assignment.model import (
    HIDDEN_CHECKS,
    PUBLIC_CHECKS,
    Assignment,
    AssignmentError,
    CheckSpec,
    Limits,
    MistakeSpec,
    Problem,
    Problems,
)
from grader.assignment.wording import did_you_mean, quoted
from grader.interface import Device

__all__ = [
    "HIDDEN_CHECKS",
    "PUBLIC_CHECKS",
    "Assignment",
    "AssignmentError",
    "CheckSpec",
    "Device",
    "Limits",
    "MistakeSpec",
    "Problem",
    "assignment_from_bytes",
    "assignment_from_texts",
    "digest_of",
    "load_assignment",
]


def load_assignment(folder: Path) -> Assignment:
    """Read and check a whole folder. Raises AssignmentError with every problem that was found."""
    problems = Problems()
    files = read_folder(Path(folder), problems)
    if files is None:
        raise AssignmentError(problems.sorted())
    return _assemble(files, problems)


def assignment_from_bytes(files: Mapping[str, bytes], found: Iterable[Problem] = ()) -> Assignment:
    """An assignment from the bytes of its files, by their relative paths with "/", as if they lay in a folder.

    `found` is what kept other files of it from being had at all: it is told with the rest. Raises AssignmentError.
    """
    problems = Problems()
    read = read_files(files, found, problems)
    if read is None:
        raise AssignmentError(problems.sorted())
    return _assemble(read, problems)


def assignment_from_texts(texts: Mapping[str, str]) -> Assignment:
    """An assignment from the texts that were once read from its folder. Raises AssignmentError."""
    return _assemble(FolderFiles(dict(texts), frozenset(texts)), Problems())


def _assemble(files: FolderFiles, problems: Problems) -> Assignment:
    manifest = read_manifest(files.texts[MANIFEST], problems) if MANIFEST in files.texts else None
    _find_missing(manifest, files, problems)
    if manifest is not None:
        _match_files(manifest, files, problems)
    if problems or manifest is None:
        raise AssignmentError(problems.sorted())
    return Assignment(
        slug=manifest.slug,
        title=manifest.title,
        summary=manifest.summary,
        function=manifest.function,
        signature=manifest.signature,
        points=manifest.points,
        limits=manifest.limits,
        checks=manifest.checks,
        mistakes=manifest.mistakes,
        files=files.texts,
        version=digest_of(files.texts)[:12],
        returns=manifest.returns,
        class_form=manifest.class_form,
        device=manifest.device,
        lesson=manifest.lesson,
        public_only=manifest.public_only,
    )


def digest_of(files: Mapping[str, str]) -> str:
    """64 hexadecimal digits that change with any file, and not with the line ends of the system; the first 12 are
    the version.
    """
    digest = hashlib.sha256()
    for path in sorted(files):
        for part in (path.encode(), files[path].encode()):
            digest.update(len(part).to_bytes(8, "big") + part)  # lengths keep the parts apart
    return digest.hexdigest()


def _find_missing(manifest: Manifest | None, files: FolderFiles, problems: Problems) -> None:
    spared = {SOLUTION} if manifest is not None and manifest.public_only else set()
    for path in ALWAYS_NEEDED:
        if path not in files.present and path not in spared:
            problems.add(path, None, "This file is missing.")


def _match_files(manifest: Manifest, files: FolderFiles, problems: Problems) -> None:
    """Each check and each mistake has its file, and each file of a mistake its entry."""
    for path in (PUBLIC_CHECKS, HIDDEN_CHECKS):
        checks = [check for check in manifest.checks if check.file == path]
        if checks and path not in files.present:
            need = quoted(checks[0].id) + (f" and {len(checks) - 1} more" if len(checks) > 1 else "")
            problems.add(
                path,
                None,
                f"This file is missing, but must define the checks that are {_seen(path)}: {need}.",
            )
    listed = {mistake.id: mistake for mistake in manifest.mistakes}
    on_disk = {
        path.removeprefix("mistakes/").removesuffix(".py")
        for path in files.present
        if path.startswith("mistakes/")
    }
    for id_ in sorted(listed.keys() - on_disk):
        advice = did_you_mean(id_, on_disk - listed.keys())
        problems.add(
            listed[id_].file,
            None,
            f"This file is missing, but {MANIFEST} lists the mistake {quoted(id_)}.{advice}",
        )
    announced = manifest.announced_mistakes
    for id_ in sorted(on_disk - announced):
        advice = did_you_mean(id_, announced - on_disk) or " Add one or remove the file."
        problems.add(
            f"mistakes/{id_}.py", None, f"{MANIFEST} has no [[mistakes]] with the id {quoted(id_)}.{advice}"
        )


def _seen(path: str) -> str:
    return "public" if path == PUBLIC_CHECKS else "not public"
