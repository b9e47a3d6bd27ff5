"""Loading an assignment folder: what is right loads, and what is wrong is all told at once, in sentences."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grader.assignment import (
    Assignment,
    AssignmentError,
    Limits,
    Problem,
    assignment_from_texts,
    digest_of,
    load_assignment,
)
from grader.assignment.folder import MAX_ENTRIES, MAX_FILE_BYTES
from grader.export import students_copy
from grader.interface import ClassForm, Returns
from grader.report import Visibility

MANIFEST = """\
slug = "scaled-dot-product"
title = "Scaled dot-product attention"
summary = "One line."
function = "attention"
signature = "attention(q, k, v)"
points = 10

[limits]
call_seconds = 1.5
memory_mb = 256

[[checks]]
id = "worked-example"
title = "The example of the prompt"
points = 2.5
visibility = "public"

[[checks]]
id = "far-below-zero"
title = "All scores far below zero"
points = 7.5
visibility = "after_due"

[[mistakes]]
id = "scale-by-d"
hint = "You divide by d."

[[mistakes]]
id = "scale-missing"
hint = \"\"\"
You do not divide
at all.\"\"\"
"""

FILES = {
    "assignment.toml": MANIFEST,
    "prompt.md": "Write attention.\n",
    "starter.py": "def attention(q, k, v):\n    raise NotImplementedError\n",
    "solution.py": "def attention(q, k, v):\n    return v\n",
    "checks/public.py": "from grader.checks import value_check\n",
    "checks/hidden.py": "from grader.checks import value_check\n",
    "mistakes/scale-by-d.py": "x = 1\n",
    "mistakes/scale-missing.py": "x = 2\n",
}


def write(folder: Path, files: dict[str, str | bytes | None] | None = None) -> Path:
    """A whole folder with some files changed, or left out where None."""
    for path, content in {**FILES, **(files or {})}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def problems(folder: Path) -> list[Problem]:
    with pytest.raises(AssignmentError) as caught:
        load_assignment(folder)
    return list(caught.value.problems)


def told(folder: Path, old: str, new: str) -> list[str]:
    """The problems of a manifest with one piece replaced, as they are shown."""
    assert old in MANIFEST
    return [
        str(problem)
        for problem in problems(write(folder, {"assignment.toml": MANIFEST.replace(old, new, 1)}))
    ]


@pytest.fixture
def loaded(tmp_path: Path) -> Assignment:
    return load_assignment(write(tmp_path))


# What is right


def test_everything_is_read(loaded: Assignment) -> None:
    assert (loaded.slug, loaded.function, loaded.points) == ("scaled-dot-product", "attention", Decimal(10))
    assert loaded.limits == Limits(call_seconds=1.5, load_seconds=5.0, total_seconds=10.0, memory_mb=256)
    assert [(check.id, check.points, check.visibility) for check in loaded.checks] == [
        ("worked-example", Decimal("2.5"), Visibility.PUBLIC),
        ("far-below-zero", Decimal("7.5"), Visibility.AFTER_DUE),
    ]
    assert [check.file for check in loaded.checks] == ["checks/public.py", "checks/hidden.py"]
    assert not any(check.timed for check in loaded.checks)
    assert [mistake.hint for mistake in loaded.mistakes] == ["You divide by d.", "You do not divide\nat all."]
    assert loaded.files == FILES
    assert hash(loaded) == hash(loaded)


FORMS = """\
lesson = "many-heads"
returns = ["output", "weights?"]

[class]
name = "Attention"
init = ["k", "v"]
method = "forward"

[limits]"""


def test_the_form_of_a_submission_is_read(tmp_path: Path) -> None:
    form = load_assignment(write(tmp_path, {"assignment.toml": MANIFEST.replace("[limits]", FORMS, 1)}))
    assert form.returns == Returns(("output", "weights"), 1)
    assert form.class_form == ClassForm("Attention", ("k", "v"), "forward", ("q", "k", "v"))
    assert form.lesson == "many-heads"
    assert assignment_from_texts(form.files) == form


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('lesson = "many-heads"', 'lesson = "Many Heads"', 8, '"many-heads"'),
        ('"weights?"', '"weights", "weights?"', 9, "a name twice"),
        ('["output", "weights?"]', '["output?", "weights"]', 9, "only the last may be left out"),
        ('["output", "weights?"]', '["output?"]', 9, "only the last may be left out"),
        ('["output", "weights?"]', "[]", 9, '"returns" is empty'),
        ('["output", "weights?"]', '"output"', 9, "must be a list of names"),
        ('["output", "weights?"]', '["two words"]', 9, "no name as in Python"),
        ('["output", "weights?"]', str([f"n{i}" for i in range(9)]), 9, "more than 8 arrays"),
        ('name = "Attention"', 'name = "attention"', 12, "Give the class its own"),
        ('name = "Attention"\n', "", 11, 'no "name"'),
        ('method = "forward"', 'method = "for ward"', 14, "no name as in Python"),
        ('init = ["k", "v"]', 'init = ["k", "values"]', 13, "no parameter"),
        ('init = ["k", "v"]', 'init = ["k"]\nmake = 1', 14, "unknown key"),
        ('signature = "attention(q, k, v)"', 'signature = "attention(q, k, v"', 11, "needs a"),
    ],
)
def test_what_is_wrong_with_the_form_is_told_at_its_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    text = MANIFEST.replace("[limits]", FORMS, 1)
    assert old in text
    found = problems(write(tmp_path, {"assignment.toml": text.replace(old, new, 1)}))
    assert any(problem.line == line and said in problem.sentence for problem in found), found


def test_a_check_may_be_timed(tmp_path: Path) -> None:
    timed = MANIFEST.replace('visibility = "public"', 'visibility = "public"\ntimed = true')
    whole = load_assignment(write(tmp_path, {"assignment.toml": timed}))
    assert [check.timed for check in whole.checks] == [True, False]
    copy = assignment_from_texts(students_copy(whole))
    assert [check.timed for check in copy.checks] == [True]
    [problem] = told(tmp_path, 'visibility = "public"', 'visibility = "public"\ntimed = "yes"')
    assert problem.startswith("assignment.toml:")
    assert '"timed" must be true or false, not' in problem


def test_points_are_exact(tmp_path: Path) -> None:
    thirds = MANIFEST.replace("points = 10", "points = 0.3").replace("2.5", "0.1").replace("7.5", "0.2")
    assert load_assignment(write(tmp_path, {"assignment.toml": thirds})).points == Decimal("0.3")


def test_what_does_not_belong_is_left_alone(tmp_path: Path, loaded: Assignment) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "mistakes" / "__pycache__").mkdir()
    (tmp_path / ".hidden.py").write_text("x")
    (tmp_path / "mistakes" / "__init__.py").write_text("")
    assert load_assignment(tmp_path) == loaded


def test_public_checks_come_first(tmp_path: Path) -> None:
    """A submission could keep what a hidden check gave it, and say it in a public one."""
    swapped = MANIFEST.replace('"public"', '"never"').replace('"after_due"', '"public"')
    with pytest.raises(AssignmentError) as refused:
        load_assignment(write(tmp_path, {"assignment.toml": swapped}))
    (problem,) = refused.value.problems
    assert (problem.file, problem.line) == ("assignment.toml", 18)
    assert "far-below-zero" in problem.sentence
    assert "Put public checks first" in problem.sentence


def test_hidden_checks_need_no_file_where_there_are_none(tmp_path: Path) -> None:
    write(tmp_path, {"assignment.toml": MANIFEST.replace("after_due", "public"), "checks/hidden.py": None})
    assert "checks/hidden.py" not in load_assignment(tmp_path).files


def test_version_ignores_line_ends_and_the_byte_order_mark(tmp_path: Path) -> None:
    unix, windows = tmp_path / "unix", tmp_path / "windows"
    write(unix)
    write(
        windows, {path: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() for path, text in FILES.items()}
    )
    assert load_assignment(unix) == load_assignment(windows)


def test_its_texts_are_enough_to_make_it_again(loaded: Assignment) -> None:
    again = assignment_from_texts(loaded.files)
    assert again == loaded
    assert digest_of(again.files).startswith(again.version)


def test_texts_are_read_as_strictly_as_a_folder() -> None:
    with pytest.raises(AssignmentError, match=r"prompt\.md: This file is missing"):
        assignment_from_texts({path: text for path, text in FILES.items() if path != "prompt.md"})


@pytest.mark.parametrize("path", sorted(FILES))
def test_version_changes_with_every_file(path: str, tmp_path: Path, loaded: Assignment) -> None:
    (tmp_path / path).write_text(FILES[path] + "# \n")
    changed = load_assignment(tmp_path)
    assert changed.version != loaded.version
    assert len(changed.version) == 12


def test_being_the_same_goes_both_ways_and_along_chains(tmp_path: Path) -> None:
    names = ["a", "b", "c", "d"]
    same = {"a": '["b"]', "c": '["b"]'}
    entries = "".join(f'[[mistakes]]\nid = "{n}"\nhint = "h"\nsame_as = {same.get(n, "[]")}\n' for n in names)
    files: dict[str, str | bytes | None] = {f"mistakes/{name}.py": "x = 1" for name in names}
    gone: dict[str, str | bytes | None] = {"mistakes/scale-by-d.py": None, "mistakes/scale-missing.py": None}
    manifest = MANIFEST.split("[[mistakes]]")[0] + entries
    found = load_assignment(write(tmp_path, {**files, **gone, "assignment.toml": manifest})).mistakes
    assert {mistake.id: "".join(sorted(mistake.same_as)) for mistake in found} == {
        "a": "bc",
        "b": "ac",
        "c": "ab",
        "d": "",
    }


def test_code_is_neither_run_nor_parsed(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\n" + "(" * 100_000
    write(tmp_path, {path: trap for path in FILES if path.endswith(".py")})
    load_assignment(tmp_path)
    assert not (tmp_path / "ran").exists()


# What is wrong in the manifest


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("points = 10", "points = 9", 6, "add up to 10, but the assignment is worth 9."),
        ('slug = "scaled-dot-product"', 'slug = "Scaled_Dot"', 1, 'For example "scaled-dot".'),
        ('slug = "scaled-dot-product"\n', "", None, 'has no "slug"'),
        ("summary", "sumary", 3, 'unknown key "sumary". Did you mean "summary"?'),
        ('title = "Scaled dot-product attention"', "title = 3", 2, "must be text in quotes, not a number"),
        ('title = "Scaled dot-product attention"', 'title = " "', 2, "is empty"),
        ('title = "Scaled dot-product attention"', r'title = "a\nb"', 2, "must be on one line"),
        ('title = "Scaled dot-product attention"', r'title = "a\u001b[31mb"', 2, "control character"),
        ('title = "Scaled dot-product attention"', f'title = "{"x" * 121}"', 2, "at most 120 are allowed"),
        ('function = "attention"', 'function = "class"', 4, "cannot be the name of a Python function"),
        ('function = "attention"', 'function = "my attention"', 4, "cannot be the name"),
        ('signature = "attention(', 'signature = "atention(', 5, "must show how attention is called"),
        ("call_seconds = 1.5", "call_seconds = 0.001", 9, "must be from 0.05 to 60 seconds"),
        ("call_seconds = 1.5", "call_seconds = nan", 9, "not a number that can be used"),
        ("call_seconds = 1.5", "call_seconds = 50", 9, "all together only 10"),
        ("call_seconds = 1.5", 'call_seconds = "1"', 9, "a number without quotes"),
        ("call_seconds = 1.5", "call_second = 1.5", 9, 'Did you mean "call_seconds"?'),
        ("memory_mb = 256", "memory_mb = 1e9", 10, "must be from 64 to 8192 megabytes"),
        ("memory_mb = 256", "memory_mb = 99.5", 10, "must be a whole number"),
        ("memory_mb = 256", "points = 10", 10, "belongs at the top of the file"),
        ("points = 2.5", "points = -2.5", 15, "must be from 0 to 1000"),
        ("points = 2.5", "points = true", 15, "must be a number, not true or false"),
        ("points = 2.5", "points = 2.5000001", 15, "more than three decimal places"),
        ("points = 2.5", f"points = {'9' * 4000}", 15, "far too large"),
        ("points = 2.5", "points = 1e99999999999999999999", 15, "not a number that can be used"),
        ('"public"', '"publik"', 16, 'Did you mean "public"?'),
        ('"public"', '"xyz"', 16, "It may be public, after_due, never."),
        ('id = "far-below-zero"', 'id = "worked-example"', 19, "is there twice"),
        ('id = "worked-example"', 'id = "worked--example"', 13, 'For example "worked-example".'),
        ('id = "worked-example"\n', "", 12, 'Check 1 has no "id"'),
        (
            'hint = "You divide by d."',
            'same_as = ["scale-mising"]\nhint = "x"',
            26,
            'Did you mean "scale-missing"?',
        ),
        ('hint = "You divide by d."', 'same_as = ["scale-by-d"]\nhint = "x"', 26, "names the mistake itself"),
        ('hint = "You divide by d."', 'same_as = "scale-missing"\nhint = "x"', 26, "must be a list of ids"),
        ('hint = "You divide by d."', 'hnt = "x"', 26, 'Did you mean "hint"?'),
        ("[limits]", "[[limits]]", 8, "must be a table, written [limits], not a list"),
        ("[limits]", "[limit]", 8, 'Did you mean "limits"?'),
    ],
)
def test_a_fault_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, line: int | None, words: str
) -> None:
    place = "assignment.toml" if line is None else f"assignment.toml:{line}"
    found = told(tmp_path, old, new)
    assert any(problem.startswith(f"{place}: ") and words in problem for problem in found), found


@pytest.mark.parametrize(
    ("manifest", "line", "words"),
    [
        ("slug = ", 1, "not valid TOML"),
        ("slug = 'a'\ntitle 'b'\n", 2, "not valid TOML"),
        ("slug = 'a'\nslug = 'b'\n", 2, "not valid TOML"),
        ("x = " + "[" * 20_000, None, "nested far too deep"),
        ("x = " + "9" * 5000, None, "not valid TOML"),
        ("a." * 20_000 + "a = 1", 1, "more than 500 dots"),
        ("# " + "x" * 70_000, None, "longer than 65536 characters"),
        (b"slug = 'a'\n# \xff\n", 2, "not UTF-8 text: byte 0xff"),
        ("slug = 'a'\n".encode("utf-16"), None, "saved as UTF-16"),
        ("checks = 3\n", 1, "must be tables, each written [[checks]], not a number"),
        ("checks = [1]\n", 1, "not a list of something else"),
        ("", None, "This file is empty."),
    ],
)
def test_a_manifest_that_cannot_be_read(
    tmp_path: Path, manifest: str | bytes, line: int | None, words: str
) -> None:
    found = problems(write(tmp_path, {"assignment.toml": manifest}))
    assert any(words in problem.sentence and problem.line == line for problem in found), found


def test_no_checks_at_all(tmp_path: Path) -> None:
    head, _, rest = MANIFEST.partition("[[checks]]")
    manifest = head + "[[mistakes]]" + rest.partition("[[mistakes]]")[2]
    found = problems(write(tmp_path, {"assignment.toml": manifest}))
    assert [problem.sentence for problem in found] == [
        "The assignment has no checks. Add at least one [[checks]]."
    ]


def test_all_is_told_at_once_and_in_order(tmp_path: Path) -> None:
    manifest = MANIFEST.replace("summary", "sumary").replace('"public"', '"all"').replace("1.5", "-1")
    write(
        tmp_path, {"assignment.toml": manifest, "prompt.md": None, "solution.py": b"\xff", "starter.py": "\n"}
    )
    found = problems(tmp_path)
    assert [(problem.file, problem.line) for problem in found] == [
        ("assignment.toml", None),
        ("assignment.toml", 3),
        ("assignment.toml", 9),
        ("assignment.toml", 16),
        ("prompt.md", None),
        ("solution.py", 1),
        ("starter.py", None),
    ]


# What is wrong with the files


@pytest.mark.parametrize("path", sorted(FILES))
def test_each_file_is_missed(tmp_path: Path, path: str) -> None:
    assert any(p.file == path and "missing" in p.sentence for p in problems(write(tmp_path, {path: None})))


def test_a_mistake_under_another_name(tmp_path: Path) -> None:
    write(tmp_path, {"mistakes/scale-by-d.py": None, "mistakes/scale_by_d.py": "x = 1"})
    missing, surplus = problems(tmp_path)
    assert 'Did you mean "scale_by_d"?' in missing.sentence
    assert 'Did you mean "scale-by-d"?' in surplus.sentence


def test_a_mistake_without_an_entry(tmp_path: Path) -> None:
    found = problems(write(tmp_path, {"mistakes/zzz.py": "x = 1"}))
    assert [p.file for p in found] == ["mistakes/zzz.py"]
    assert 'has no [[mistakes]] with the id "zzz"' in found[0].sentence


def test_code_that_nothing_would_read(tmp_path: Path) -> None:
    write(tmp_path, {"checks/publc.py": "x = 1", "common.py": "x = 1"})
    first, second = problems(tmp_path)
    assert 'Did you mean "checks/public.py"?' in first.sentence
    assert "not part of an assignment" in second.sentence


def test_a_folder_misspelt(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "mistakes").rename(tmp_path / "mistake")
    assert any(p.file == "mistake" and 'Did you mean "mistakes"?' in p.sentence for p in problems(tmp_path))


def test_no_folder(tmp_path: Path) -> None:
    assert "no such folder" in problems(tmp_path / "gone")[0].sentence
    assert "This is a file" in problems(write(tmp_path) / "prompt.md")[0].sentence
    assert "cannot be read" in problems(Path("a\0b"))[0].sentence


def test_files_too_large(tmp_path: Path) -> None:
    write(tmp_path, {"prompt.md": "x" * (MAX_FILE_BYTES + 1)})
    assert "larger than 512 KB" in problems(tmp_path)[0].sentence


def test_a_folder_too_large(tmp_path: Path) -> None:
    ids = [f"m{number}" for number in range(9)]
    entries = "".join(f'[[mistakes]]\nid = "{id_}"\nhint = "h"\n' for id_ in ids)
    files: dict[str, str | bytes | None] = {f"mistakes/{id_}.py": "x" * MAX_FILE_BYTES for id_ in ids}
    write(tmp_path, {**files, "assignment.toml": MANIFEST + entries})
    assert any("more than 4 MB together" in problem.sentence for problem in problems(tmp_path))


def test_too_many_files(tmp_path: Path) -> None:
    write(tmp_path)
    for number in range(MAX_ENTRIES + 1):
        (tmp_path / f"{number}.txt").touch()
    assert "more than 400 files" in problems(tmp_path)[0].sentence


def test_nul_characters(tmp_path: Path) -> None:
    assert problems(write(tmp_path, {"solution.py": b"a\nb\0"})) == [
        Problem("solution.py", 2, "This file is not text: it holds a NUL character.")
    ]


def test_links_inside_are_followed_and_those_outward_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("secret = 1")
    folder = write(tmp_path / "folder")
    (folder / "starter.py").unlink()
    (folder / "starter.py").symlink_to("mistakes/scale-by-d.py")
    assert load_assignment(folder).files["starter.py"] == FILES["mistakes/scale-by-d.py"]
    assert load_assignment(_link(tmp_path / "alias", folder)).slug == "scaled-dot-product"

    for path, target in [
        ("solution.py", outside / "secret.py"),
        ("prompt.md", Path("nowhere")),
        ("starter.py", Path("starter.py")),
    ]:
        (folder / path).unlink()
        (folder / path).symlink_to(target)
    sentences = {problem.file: problem.sentence for problem in problems(folder)}
    assert "leads out of the folder" in sentences["solution.py"]
    assert "does not exist" in sentences["prompt.md"]
    assert "cannot be read" in sentences["starter.py"]


def test_a_subfolder_that_leads_out(tmp_path: Path) -> None:
    folder = write(tmp_path / "folder")
    (folder / "checks").rename(tmp_path / "elsewhere")
    _link(folder / "checks", tmp_path / "elsewhere")
    assert any(p.file == "checks" and "leads out" in p.sentence for p in problems(folder))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_what_is_no_file(tmp_path: Path) -> None:
    write(tmp_path, {"prompt.md": None, "starter.py": None, "checks/public.py": None})
    os.mkfifo(tmp_path / "prompt.md")
    (tmp_path / "starter.py").mkdir()
    _link(tmp_path / "checks" / "public.py", Path("/dev/zero"))
    sentences = {problem.file: problem.sentence for problem in problems(tmp_path)}
    assert "not an ordinary file" in sentences["prompt.md"]
    assert "cannot be read" in sentences["starter.py"]
    assert "leads out" in sentences["checks/public.py"]


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may read everything")
def test_what_may_not_be_read(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "prompt.md").chmod(0)
    assert "permission denied" in problems(tmp_path)[0].sentence


def test_odd_names_are_safe_to_print(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "mistakes" / "\x1b[31m\u202e.py").write_text("x = 1")
    with open(os.fsencode(tmp_path / "mistakes") + b"/\xff.py", "w") as file:
        file.write("x = 1")
    with pytest.raises(AssignmentError) as caught:
        load_assignment(tmp_path)
    text = str(caught.value)
    assert text.isprintable() or set(text) - {"\n"} == {c for c in text if c.isprintable()}
    text.encode()


def _link(path: Path, target: Path) -> Path:
    path.symlink_to(target)
    return path


# Whatever is in the manifest, the answer is an assignment or an AssignmentError


def toml(value: Any) -> str:
    """A value written as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            escaped = "".join(f"\\U{ord(character):08x}" for character in value)
            return f'"{escaped}"'
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            return "{" + ", ".join(f"{toml(key)} = {toml(item)}" for key, item in value.items()) + "}"
        case float():
            return repr(value).replace("e+", "e")
        case _:
            return str(value)


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
keys = words | st.sampled_from("slug title summary function signature points limits checks mistakes".split())
scalars = (
    words | st.booleans() | st.integers() | st.floats() | st.sampled_from(["public", "a-b", "attention"])
)
entry = st.dictionaries(
    st.sampled_from("id title points visibility timed hint same_as".split()) | words, scalars, max_size=6
)
values = st.recursive(
    scalars | st.lists(entry, max_size=3) | entry,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@one_folder
@given(st.dictionaries(keys, values, max_size=10))
def test_any_values_give_an_answer(tmp_path: Path, table: dict[str, Any]) -> None:
    text = "\n".join(f"{toml(key)} = {toml(value)}" for key, value in table.items())
    _gives_an_answer(tmp_path, text.encode())


@one_folder
@given(st.data())
def test_one_changed_value_gives_an_answer(tmp_path: Path, data: st.DataObject) -> None:
    lines = MANIFEST.split("\n")
    number = data.draw(
        st.sampled_from([n for n, line in enumerate(lines) if " = " in line and '"""' not in line])
    )
    key = lines[number].split(" = ")[0]
    lines[number] = f"{key} = {toml(data.draw(values))}"
    _gives_an_answer(tmp_path, "\n".join(lines).encode())


@one_folder
@given(st.binary(max_size=200) | st.text(alphabet="[]{}='\"\n.#ab \\", max_size=80).map(str.encode))
@example(b'a = """\n[x]\n"""\n[[x]]\nb.c = 1\n')
def test_any_bytes_give_an_answer(tmp_path: Path, manifest: bytes) -> None:
    _gives_an_answer(tmp_path, manifest)


def _gives_an_answer(folder: Path, manifest: bytes) -> None:
    write(folder, {"assignment.toml": manifest})
    found: tuple[Problem, ...] = ()
    try:
        load_assignment(folder)
    except AssignmentError as error:
        found = error.problems
    last = manifest.count(b"\n") + manifest.count(b"\r") + 1
    for problem in found:
        assert problem.sentence.endswith((".", "?"))
        assert problem.line is None or 1 <= problem.line <= last
        str(problem).encode()
