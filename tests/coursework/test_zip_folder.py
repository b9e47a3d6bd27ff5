"""Reading an uploaded zip: what people send by accident is told, what is sent on purpose does no harm."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.assignment.folder import MAX_FILE_BYTES
from softmark.coursework.zip_folder import (
    MAX_ENTRIES,
    MAX_UNPACKED_BYTES,
    MAX_ZIP_BYTES,
    Unpacked,
    ZipRefused,
    unpack,
)
from tests.small_assignment import FILES
from tests.zips import zipped

BYTES = {path: text.encode() for path, text in FILES.items()}


def refused(data: bytes) -> str:
    with pytest.raises(ZipRefused) as caught:
        unpack(data)
    return caught.value.sentence


def made(fill: Callable[[zipfile.ZipFile], object]) -> bytes:
    """A zip of the small assignment, with something more in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in FILES.items():
            archive.writestr(path, text)
        fill(archive)
    return buffer.getvalue()


def entry(name: str, *, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def told(unpacked: Unpacked) -> dict[str, str]:
    return {problem.file: problem.sentence for problem in unpacked.problems}


# -- what people send


@pytest.mark.parametrize("top", ["", "double/", "./", "a/b/c/", "double\\", "Zwölf/"])
def test_the_folder_at_its_top_or_the_top_itself(top: str) -> None:
    assert unpack(zipped(FILES, top)) == Unpacked(BYTES, ())


def test_what_systems_add_by_themselves_is_no_part_of_it() -> None:
    more = [
        "__MACOSX/double/._solution.py", "__MACOSX/._double", ".DS_Store", "double/.DS_Store", "double/.git/HEAD",
        "double/checks/__pycache__/public.cpython-311.pyc", "double/.venv/lib/site.py",
    ]  # fmt: skip
    data = zipped({f"double/{path}": text for path, text in FILES.items()} | dict.fromkeys(more, "x"), "")
    assert unpack(data) == Unpacked(BYTES, ())


def test_folders_are_entries_of_their_own() -> None:
    data = zipped({"double/": "", "double/checks/": ""} | {f"double/{p}": t for p, t in FILES.items()}, "")
    assert unpack(data) == Unpacked(BYTES, ())


def test_without_a_manifest_the_one_folder_is_still_left_out() -> None:
    """So that the schema can say what is missing, and where."""
    files = {path: text for path, text in FILES.items() if path != "assignment.toml"}
    assert unpack(zipped(files)).files.keys() == files.keys()
    assert unpack(zipped({"checks/public.py": "x"}, "")).files.keys() == {"checks/public.py"}
    assert unpack(zipped({}, "")) == Unpacked({}, ())


def test_two_folders_are_two_assignments() -> None:
    both = {f"{top}/{path}": text for top in ("one", "two") for path, text in FILES.items()}
    assert refused(zipped(both, "")) == (
        "The zip holds several assignments: one, two. Zip the folder of each one for itself."
    )


def test_a_folder_with_something_beside_it() -> None:
    data = zipped({"README.md": "x"} | {f"double/{path}": text for path, text in FILES.items()}, "")
    assert refused(data) == (
        "assignment.toml lies in double/ but there are other files beside that folder: README.md. "
        "Zip that folder alone."
    )


def test_paths_as_old_programs_of_windows_write_them() -> None:
    data = zipped({"mistakes\\növer.py": "x", **FILES}, "double\\")
    assert unpack(data).files.keys() == {*FILES, "mistakes/növer.py"}


def test_names_without_the_mark_that_they_are_utf_8() -> None:
    """As the archive utility of a Mac writes them."""
    data = flagged(zipped({"mistakes/növer.py": "x", **FILES}, ""), 0)
    assert unpack(data).files.keys() == {*FILES, "mistakes/növer.py"}


def flagged(zip_: bytes, flags: int) -> bytes:
    """The zip with these flags on every entry."""
    data = bytearray(zip_)
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        found = data.find(mark)
        while found >= 0:
            struct.pack_into("<H", data, found + at, flags)
            found = data.find(mark, found + 4)
    return bytes(data)


# -- what is no folder at all


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"PK\x03\x04" + bytes(40), b"def attention(q, k, v): ...\n" * 50, bytes(100_000)],
    ids=["empty", "two letters", "cut off", "a python file", "zeros"],
)
def test_not_a_zip(data: bytes) -> None:
    assert refused(data) == "This is not a zip file, or a damaged one. Make a zip of the folder."


def test_a_zip_that_was_cut_off() -> None:
    assert "not a zip file" in refused(zipped(FILES)[:-30])


@pytest.mark.parametrize(
    "name",
    [
        "../evil.py", "double/../../evil.py", "/etc/passwd", "C:\\evil.py", "c:evil.py", "..\\evil.py",
        "\\evil.py", "//host/evil.py", "a/..", "..",
    ],
)  # fmt: skip
def test_paths_that_lead_out(name: str) -> None:
    assert "outside of the folder" in refused(made(lambda archive: archive.writestr(entry(name), "x")))


def test_names_that_no_file_can_have() -> None:
    data = made(lambda archive: archive.writestr(entry("mistakes/a#b.py"), "x")).replace(b"a#b", b"a\0b")
    assert "a name that no file" in refused(data)
    assert "a name that no file" in refused(
        made(lambda archive: archive.writestr(entry("x" * 400 + ".py"), "x"))
    )


def test_encrypted() -> None:
    assert refused(flagged(zipped(FILES), 0x1)) == "The zip is encrypted. Make it anew, without a password."


def test_too_large_to_look_at() -> None:
    assert "larger than 4 MB" in refused(os.urandom(MAX_ZIP_BYTES + 1))
    assert "larger than 4 MB" not in refused(os.urandom(MAX_ZIP_BYTES))


def test_ten_thousand_entries() -> None:
    data = zipped({f"mistakes/{number}.py": "" for number in range(10_000)}, "")
    assert refused(data).startswith(f"The zip holds more than {MAX_ENTRIES:,} files")


def test_a_directory_of_entries_that_is_all_there_is() -> None:
    """Four megabytes of it make 89,000 entries, each of which names the same bytes."""
    one = zipped({"a": ""}, "")
    start, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    count = (MAX_ZIP_BYTES - 100) // (end - start)
    directory = one[start:end] * count
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count & 0xFFFF, count & 0xFFFF, len(directory), start, 0)
    assert "more than 1,000 files" in refused(one[:start] + directory + tail)


# -- bombs: what is said about sizes is not believed


def test_a_bomb_of_one_file_is_read_up_to_its_limit() -> None:
    data = zipped(FILES | {"prompt.md": b"\0" * (64 << 20)})
    assert len(data) < 100_000
    assert len(unpack(data).files["prompt.md"]) == MAX_FILE_BYTES + 1


def test_a_bomb_of_many_files() -> None:
    data = zipped({f"{number}.md": b"\0" * MAX_FILE_BYTES for number in range(200)}, "")
    assert len(data) < MAX_ZIP_BYTES
    assert refused(data).startswith(f"Unpacked, the zip takes more than {MAX_UNPACKED_BYTES >> 20} MB")


def test_a_file_that_is_larger_than_it_says() -> None:
    data = bytearray(zipped({"a.md": b"\0" * 1000}, ""))
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<L", data, data.index(mark) + at, 10)
    assert told(unpack(bytes(data))) == {"a.md": "This file is damaged in the zip. Make it anew."}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_without_a_limit_are_not_tried(method: int) -> None:
    """Four kilobytes of them can hold 80 MB, all of which Python unpacks at once."""
    data = made(lambda archive: archive.writestr("notes.md", b"\0" * (10 << 20), compress_type=method))
    assert "in an unusual way" in told(unpack(data))["notes.md"]


# -- what is wrong with single files stands at the file


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (stat.S_IFLNK, "This is a link. Put the file itself here."),
        (stat.S_IFIFO, "This is not an ordinary file. Put a text file here."),
        (stat.S_IFBLK, "This is not an ordinary file. Put a text file here."),
    ],
)
def test_links_and_pipes(kind: int, sentence: str) -> None:
    info = entry("mistakes/other.py", mode=kind | 0o777)
    unpacked = unpack(made(lambda archive: archive.writestr(info, "/etc/passwd")))
    assert told(unpacked) == {"mistakes/other.py": sentence}
    assert unpacked.files == BYTES


def test_a_file_twice() -> None:
    unpacked = unpack(made(lambda archive: archive.writestr("./prompt.md", "another")))
    assert told(unpacked) == {"prompt.md": "The zip holds this file twice. Make it anew."}
    assert unpacked.files == BYTES


def test_a_name_that_is_not_utf_8() -> None:
    data = zipped({"mistakes/növer.py": "x", **FILES}, "").replace("ö".encode(), b"\xf6x")
    assert list(told(unpack(flagged(data, 0))).values()) == [
        "The name of this file is not UTF-8. Call it by letters from a to z."
    ]


def test_a_name_that_says_it_is_utf_8_and_is_not() -> None:
    data = zipped({"mistakes/növer.py": "x", **FILES}, "").replace("ö".encode(), b"\xf6x")
    assert "a name that is not UTF-8" in refused(data)


def test_a_damaged_file_and_the_others_are_read() -> None:
    data = bytearray(made(lambda archive: None))
    at = data.index(b"# Twice")
    data[at] ^= 0xFF
    unpacked = unpack(bytes(data))
    assert told(unpacked) == {"prompt.md": "This file is damaged in the zip. Make it anew."}
    assert unpacked.files.keys() == FILES.keys() - {"prompt.md"}


@settings(max_examples=300)
@given(
    changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=8),
    cut=st.integers(0, 40),
)
def test_whatever_comes_it_is_refused_or_read(changes: list[tuple[int, int]], cut: int) -> None:
    """Nothing but ZipRefused is ever raised, and no file has more than is allowed."""
    data = bytearray(zipped(FILES))
    for where, value in changes:
        data[where % len(data)] = value
    try:
        unpacked = unpack(bytes(data[: len(data) - cut]))
    except ZipRefused:
        return
    assert all(len(content) <= MAX_FILE_BYTES + 1 for content in unpacked.files.values())
