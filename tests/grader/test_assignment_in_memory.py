"""A folder in memory and the same folder on the disk: the same is read of both, and the same is said about them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.assignment import (
    Assignment,
    AssignmentError,
    Problem,
    assignment_from_bytes,
    load_assignment,
)
from grader.assignment.folder import MAX_ENTRIES, MAX_FILE_BYTES
from tests.grader.test_assignment import FILES

WHOLE = {path: text.encode() for path, text in FILES.items()}


def of_disk(files: dict[str, bytes]) -> Assignment | tuple[Problem, ...]:
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        try:
            return load_assignment(Path(folder))
        except AssignmentError as error:
            return error.problems


def of_memory(files: dict[str, bytes]) -> Assignment | tuple[Problem, ...]:
    try:
        return assignment_from_bytes(files)
    except AssignmentError as error:
        return error.problems


PATHS = st.sampled_from(
    [
        *FILES, "mistakes/unknown.py", "mistakes/__init__.py", "mistakes/deep/er.py", "mistakes/notes.txt",
        "checks/hiden.py", "mistake/by-d.py", "check/public.py", "Solution.py", "solutions.py", "README.md",
        ".hidden/x.py", "checks/.swp", "checks/__pycache__/public.pyc", "tests/test_it.py", "pictures/one.png",
    ]
)  # fmt: skip
CONTENTS = st.sampled_from(
    [
        b"x = 1\n", b"", b"  \n", b"\xff\xfeu\x00", b"first\nsecond \xe9\n", b"a\0b\n", b"\xef\xbb\xbfx\r\ny\r",
        b"x" * (MAX_FILE_BYTES + 1), FILES["assignment.toml"].replace("points = 10", "points = 9").encode(),
    ]
)  # fmt: skip


@given(changed=st.dictionaries(PATHS, CONTENTS | st.none(), max_size=6))
@example(changed={})
@example(changed=dict.fromkeys(FILES))
def test_the_same_is_said(changed: dict[str, bytes | None]) -> None:
    files = {path: content for path, content in (WHOLE | changed).items() if content is not None}
    assert of_memory(files) == of_disk(files)


@pytest.mark.parametrize("folder", ["", "mistakes/"])
def test_too_many_files(folder: str) -> None:
    files = WHOLE | {f"{folder}x{number}.txt": b"x" for number in range(MAX_ENTRIES + 1)}
    assert of_memory(files) == of_disk(files)


def test_more_than_a_folder_may_take() -> None:
    files = WHOLE | {f"mistakes/m{number}.py": b"#" * MAX_FILE_BYTES for number in range(9)}
    assert of_memory(files) == of_disk(files)


def test_what_could_not_be_had_is_told_with_the_rest_and_is_not_missing() -> None:
    """Nor does the folder become an assignment without it."""
    files = {path: content for path, content in WHOLE.items() if path != "solution.py"}
    found = [Problem("solution.py", None, "This is a link.")]
    with pytest.raises(AssignmentError) as caught:
        assignment_from_bytes(files | {"prompt.md": b""}, found)
    assert [str(problem) for problem in caught.value.problems] == [
        "prompt.md: This file is empty.",
        "solution.py: This is a link.",
    ]
    with pytest.raises(AssignmentError):
        assignment_from_bytes(files, found)


def test_a_folder_where_a_file_is_meant() -> None:
    """Which no disk can have beside a file of that name."""
    files = {path: content for path, content in WHOLE.items() if path != "solution.py"}
    told = of_memory(files | {"solution.py/inside.py": b"x"})
    assert told == (Problem("solution.py", None, "This is not an ordinary file. Put a text file here."),)


def test_a_file_where_a_folder_is_meant() -> None:
    files = {path: content for path, content in WHOLE.items() if not path.startswith("mistakes/")}
    assert of_memory(files | {"mistakes": b"x"}) == of_disk(files | {"mistakes": b"x"})
