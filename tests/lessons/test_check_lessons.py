"""`manage.py check_lessons`: all that is wrong with a folder at once, without any service."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from softmark.lessons.written.folder import FolderUnreadable, check_folder
from tests.lessons.test_source import DATA, LESSON

OTHER = """\
---
id: other
title: Another
minutes: 5
---
Words.

::::{predict} one
---
type: number
answer: 5
atol: 0
---
How many?
+++ reveal
Five of them there are.
::::
"""


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def run(*arguments: str) -> tuple[int, str, str]:
    """The exit code, and what was said on both streams."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command("check_lessons", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "lessons", {"a.md": LESSON, "b.md": OTHER, **DATA})


def test_a_right_folder(folder: Path) -> None:
    assert run(str(folder)) == (0, "2 lessons with 3 stops: nothing is wrong.\n", "")
    checked = check_folder(folder)
    assert [lesson.id for lesson in checked.lessons] == ["query-key-value", "other"]
    assert checked.lessons[0].data == DATA
    assert checked.lessons[1].data == {}


def test_one_fault_is_told_with_file_and_line(folder: Path) -> None:
    write(folder, {"b.md": OTHER.replace("answer: 5", "anwser: 5")})
    code, said, counted = run(str(folder))
    assert code == 1
    assert f'{folder}/b.md:11: The stop "one": "anwser" is not known here. Did you mean "answer"?' in said
    assert counted == "2 problems in 2 lessons.\n"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    code, said, why = run(str(tmp_path / "none"))
    assert (code, said) == (2, "")
    assert "cannot be read" in why
    with pytest.raises(FolderUnreadable):
        check_folder(tmp_path / "none")
    (tmp_path / "file").write_text("x")
    assert run(str(tmp_path / "file"))[0] == 2


def test_an_empty_folder_is_a_fault(tmp_path: Path) -> None:
    code, said, _ = run(str(tmp_path))
    assert code == 1
    assert said == f"{tmp_path}: This folder holds no lesson: a lesson is a file that ends with .md.\n"


def test_the_shipped_lessons_are_right() -> None:
    assert run()[0] == 0


def test_an_id_of_two_lessons(folder: Path) -> None:
    write(folder, {"c.md": OTHER})
    assert 'c.md:2: The lesson in b.md has the id "other", too. Give each its own.' in run(str(folder))[1]


def test_files_that_are_no_plain_text(folder: Path) -> None:
    write(folder, {"c.md": b"---\nid: \xff", "big.md": "x" * 900_000})
    (folder / "link.md").symlink_to(folder / "b.md")
    (folder / "tired-wide.json").unlink()
    os.mkfifo(folder / "tired-wide.json")
    said = run(str(folder))[1]
    assert "c.md:2: This file is not text in UTF-8." in said
    assert "link.md: This is no plain file." in said
    assert "tired-wide.json: This is no plain file." in said
    assert "big.md: This file is larger than 781 KiB" in said


def test_nothing_in_a_file_acts_on_a_terminal(folder: Path) -> None:
    write(folder, {"b.md": OTHER.replace("one", "\x1b[31mred")})
    assert "\x1b" not in run(str(folder))[1]


def as_process(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Where nothing at all is set."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=root, env={}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_it_needs_no_service_and_no_settings(folder: Path, root: Path) -> None:
    done = as_process(root, "check_lessons", str(folder))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_needs_settings_says_so_in_a_sentence(root: Path) -> None:
    done = as_process(root, "import_lessons", "--help")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("SECRET_KEY is not set.")
    assert done.stderr.count("\n") == 1


# Many faults at once

PLANTED: dict[str, dict[str, str]] = {
    "a.md": {
        "title: Query, key, value": "titel: Query",  # and no title
        "minutes: 15": "minutes: many",
        "$$\n\\frac{q": "# A title\n\n$$\n\\frac{q",
        "![A river beside a bank.](river.svg)": "![](river.svg)\n\n![Bank.](bank.png)\n\n"
        "![B.](https://x.org/a.png)\n\n{{ scores }}.",
        "tokens: [the, river, bank]\ngiven": "token: 3\ntokens: [the, river, bank]\ngiven",
        "The query is {{ q }}": "The query is {{ query }}",
        "columns: [score, scaled]": "columns: [score, share]\ncolour: red",
        "typed: [score]": "typed: [skore]",
        "alt: The table by hand, with a row for each token.\n": "",
        "+++ if answer=most-attended": "+++ if answer=mountain",
        "## What stands out": ":::{wigdet} arcs\n\n## What stands out",
        "select: it": "select: cat",
        "::::{predict} cost-of-a-token": "::::{predict} bank-least",
        "atol: 0": "atol: x",
        "model: llama-3.1-8b": "model: llama",
        "tokens: 8192": "tokens: 1",
        "grouped: true": "grouped: 1",
        "That is all.": "+++ reveal\n\n:::\n\n> :::{widget} arcs\n\n```\nThat is all.",
    },
    "b.md": {"id: other": "id: query-key-value", "type: number": "type: numbr"},
    "c.md": {"id: other": "id: third", "answer: 5": "answer: 131072", "Words.": "131,072 bytes."},
    "d.md": {"id: other": "id: fourth", "answer: 5": "answer: {ref: score_off}"},
}
SENTENCES = [
    'a.md:3: The lesson: "titel" is not known here',
    'The lesson: there is no "title"',
    'a.md:4: The lesson: "minutes" must be',
    "A heading has two or more #",
    'The picture "river.svg" has no text',
    "There is no file bank.png beside this lesson",
    'The picture "https://x.org/a.png" is not taken',
    'c.md:6: Here "131,072" can be read',
    "Facts are filled in at a stop only",
    '"token" is not known here',
    'd.md:11: The stop "one": there is no reference "score_off". Did you mean "score_of"?',
    'There is no fact "query"',
    '"colour" is not known here',
    'The widget "numbers": "typed" names "skore"',
    'The widget "numbers": there is no "alt"',
    'Nobody can answer "mountain"',
    'No directive is called "wigdet"',
    '"select" is "cat"',
    'is called "bank-least", too',
    '"atol" must be a number',
    '"model" is "llama"',
    'The widget "cost": "tokens" must be',
    '"grouped" must be true or false',
    "has its place in a stop only",
    "These colons close nothing",
    "A directive stands on a line of its own",
    "The block of code that begins here is not closed",
    'tired-wide.json: The state "tired"',
    'b.md:2: The lesson in a.md has the id "query-key-value", too',
    'b.md:10: The stop "one": there is no type "numbr". Did you mean "number"?',
]


def test_thirty_faults_are_told_at_once(folder: Path) -> None:
    texts: dict[str, str | bytes] = {}
    for name, planted in PLANTED.items():
        text = LESSON if name == "a.md" else OTHER
        for old, new in planted.items():
            assert old in text, old
            text = text.replace(old, new, 1)
        texts[name] = text
    texts["tired-wide.json"] = DATA["tired-wide.json"].replace(b"0.68", b"6.8")
    write(folder, texts)
    code, said, counted = run(str(folder))
    assert code == 1
    missing = [sentence for sentence in SENTENCES if sentence not in said]
    assert not missing, f"{missing}\n{said}"
    lines = said.splitlines()
    assert len(lines) >= len(SENTENCES) == 30
    assert counted == f"{len(lines)} problems in 4 lessons.\n"
