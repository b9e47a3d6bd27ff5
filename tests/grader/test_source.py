"""Reading what a student hands in: it comes through as written, or is refused in a sentence."""

from __future__ import annotations

import ast
import codecs
import io
import json
import os
import tokenize
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.source import (
    MAX_CODE_BYTES,
    MAX_NOTEBOOK_BYTES,
    Source,
    SourceError,
    parse_source,
    read_source,
    where,
)
from grader.source.notebook import MAX_PARTS

CODE = "def attention(q, k, v):\n    return v\n"


def refused(name: str, data: bytes) -> str:
    with pytest.raises(SourceError) as caught:
        parse_source(name, data)
    return caught.value.sentence


def cell(*source: Any, kind: str = "code") -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": source[0] if len(source) == 1 else list(source)}


def notebook(*cells: Any, **more: Any) -> bytes:
    return json.dumps(
        {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}
    ).encode()


def read(*cells: Any) -> Source:
    return parse_source("a.ipynb", notebook(*cells))


# .py files


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (CODE.encode(), CODE),
        (codecs.BOM_UTF8 + CODE.encode(), CODE),
        (CODE.replace("\n", "\r\n").encode(), CODE),
        (CODE.replace("\n", "\r").encode(), CODE),
        ("x = '🦊 é \u2028 \x85'\f\n".encode(), "x = '🦊 é \u2028 \x85'\f\n"),
        (b"# coding: utf-8\nx = 1", "# coding: utf-8\nx = 1"),
        (b"# -*- coding: utf-8-unix -*-\nx = 1", "# -*- coding: utf-8-unix -*-\nx = 1"),
        (codecs.BOM_UTF8 + "# coding: latin-1\nx = 'é'".encode(), "# coding: utf-8\nx = 'é'"),
        (b"x = '" + b"y" * 900_000 + b"'", "x = '" + "y" * 900_000 + "'"),
    ],
)
def test_python_comes_through(data: bytes, text: str) -> None:
    assert parse_source("answer.PY", data) == Source(text)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "# -*- coding: utf-8 -*-\nx = 'é'\n"),
        ("#!/bin/python\n# vim: fileencoding=cp1252\nx = '€'".encode("cp1252"), None),
        ("# coding=shift_jis\nx = '注意'".encode("shift_jis"), "# coding=utf-8\nx = '注意'"),
        ("# coding: gb18030\nx = '注意🦊'".encode("gb18030"), "# coding: utf-8\nx = '注意🦊'"),
        ("\n# coding: koi8-r\nx = 'ж'".encode("koi8-r"), "\n# coding: utf-8\nx = 'ж'"),
        (b"# coding: ascii\nx = 1", "# coding: utf-8\nx = 1"),
    ],
)
def test_other_encodings_are_obeyed_once(data: bytes, text: str | None) -> None:
    source = parse_source("a.py", data)
    assert source.text == (text or "#!/bin/python\n# vim: fileencoding=utf-8\nx = '€'")
    assert "UTF-8 is the safer choice" in source.notes[0]
    # Written to a file and read by Python, it is still the same.
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source.text.encode()).readline)
    assert source.text.encode().decode(encoding) == source.text


def test_a_declaration_inside_of_a_string_stays() -> None:
    source = parse_source("a.ipynb", notebook(cell('"""\n# coding: latin-1"""\n')))
    assert source.text == '"""\n# coding: latin-1"""\n'


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "a.py is empty."),
        (b" \n\t\r\n", "is empty"),
        (codecs.BOM_UTF8, "is empty"),
        (b"x = '\xe9'\n", "is not UTF-8 text: line 1 holds the byte 0xe9"),
        (b"x = 1\ny = 2\nz = '\xe9'\n", "line 3"),
        (b"# coding: ascii\nx = '\xe9'\n", "is not ascii text: line 2"),
        (b"x = 1\n\0", "a NUL character in line 2"),
        (CODE.encode("utf-16"), "saved as UTF-16"),
        (b"PK\x03\x04....", "a ZIP archive"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\x89PNG\r\n", "an image"),
        (b"# coding: klingon\nx = 1", "is written in klingon, which is not accepted"),
        (b"# coding: utf-7\nx = 1", "is written in utf-7, which is not accepted"),
        (b"# coding: rot13\nk = 1", "written in rot13"),
        (b"# coding: idna\nk = 1", "not accepted"),
        (b"# coding: zlib\nk = 1", "not accepted"),
        (b"x" * (MAX_CODE_BYTES + 1), "larger than 1 MB"),
        (b"x" * (5 * MAX_CODE_BYTES), "larger than 1 MB"),
        (notebook(cell("x = 1")), "is a notebook. Let its name end in .ipynb"),
    ],
)
def test_python_refused(data: bytes, words: str) -> None:
    assert words in refused("a.py", data)


@pytest.mark.parametrize("name", ["answer.txt", "answer", "answer.py.zip", ".py", "a.ip\x1bynb"])
def test_other_endings(name: str) -> None:
    sentence = refused(name, b"x = 1")
    assert "only Python files (.py) and notebooks (.ipynb)" in sentence
    assert sentence.isprintable()


# Files on the disk


def test_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(CODE.encode())
    (tmp_path / "b.ipynb").write_bytes(notebook(cell(CODE)))
    (tmp_path / "link.py").symlink_to("a.py")
    assert [read_source(tmp_path / name).text for name in ("a.py", "b.ipynb", "link.py")] == [CODE] * 3


def test_no_file(tmp_path: Path) -> None:
    for path, words in [
        (tmp_path / "gone.py", "There is no file"),
        (tmp_path, "is a folder"),
        (tmp_path / "a\0b.py", "cannot be read"),
        (Path("/dev/null"), "not an ordinary file"),
    ]:
        with pytest.raises(SourceError, match=words):
            read_source(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    with pytest.raises(SourceError, match="not an ordinary file"):
        read_source(tmp_path / "a.py")


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "a.py").chmod(0)
    with pytest.raises(SourceError, match="cannot be read: Permission denied"):
        read_source(tmp_path / "a.py")


# Notebooks


def test_code_cells_in_their_order() -> None:
    source = read(
        cell("# Title", kind="markdown"),
        cell("import numpy as np\n", "x = 1"),
        cell("raw", kind="raw"),
        cell(""),
        cell("def attention(q, k, v):\r\n    return v\n"),
    )
    assert source == Source("import numpy as np\nx = 1\n\n" + CODE, (), (1, 3, 4))
    assert [where(line, source.cells) for line in (1, 2, 3, 4, 5)] == [
        "cell 1, line 1",
        "cell 1, line 2",
        "cell 2, line 1",
        "cell 3, line 1",
        "cell 3, line 2",
    ]
    assert where(7, ()) == "line 7"


def test_notebook_commands_are_left_out_and_lines_stay() -> None:
    source = read(
        cell("%matplotlib inline\n!pip install \\\n  torch\nx = 1\nx?\n?x\nfiles = !ls"),
        cell("if x:\n    %time f(x)\nelse:\n    !ls {x}"),
        cell("\n%%bash\nrm -rf /\necho done"),
        cell("%%time\nx = 2"),
    )
    assert source.text.split("\n") == [
        *("pass", "pass", "", "x = 1", "pass", "pass", "pass"),
        *("if x:", "    pass", "else:", "    pass"),
        *("", "", "", ""),
        *("", "x = 2"),
        "",
    ]
    assert source.cells == (1, 8, 12, 16)
    assert source.notes == (
        "Cell 1, line 1 was left out: it is a notebook command, which is not Python (%matplotlib inline).",
        "Cell 1, line 2 was left out: it is a notebook command, which is not Python (!pip install \\).",
        "Cell 1, line 5 was left out: it is a notebook command, which is not Python (x?).",
        "Cell 1, line 6 was left out: it is a notebook command, which is not Python (?x).",
        "Cell 1, line 7 was left out: it is a notebook command, which is not Python (files = !ls).",
        "Cell 2, line 2 was left out: it is a notebook command, which is not Python (%time f(x)).",
        "Cell 2, line 4 was left out: it is a notebook command, which is not Python (!ls {x}).",
        "Cell 3 was left out: it starts with a notebook command, which is not Python (%%bash).",
        "Cell 4, line 1 was left out: it is a notebook command, which is not Python (%%time).",
    )
    ast.parse(source.text)


@pytest.mark.parametrize(
    "text",
    [
        "x = (a\n     % b)\n",
        "x = a \\\n  % b\n",
        "x = '''\n%d items\n!\nwhat?\n'''\n",
        'x = """a\\"""\n%b\n"""\n',
        "x = [  # ](\n%b]\n".replace("%b", "% b, 1"),
        "x = 'it''s'\ny = \"'''\"\n",
        "x = a != b\ny = a % b\n",
        "print('why?')\n# really?\n",
        "x = {\n  'a': '}',\n  # )\n  'b': 5\n  % 3,\n}\n",
        "x = 'a\\\n%b'\n",
        "x = rb'\\'\n",
    ],
)
def test_python_that_looks_like_a_command_stays(text: str) -> None:
    source = read(cell(text))
    assert source == Source(text, (), (1,))


def test_an_unclosed_string_costs_only_its_line() -> None:
    source = read(cell("x = 'oops\n%matplotlib inline\n"))
    assert source.text == "x = 'oops\npass\n"


def test_notes_are_short_few_and_safe() -> None:
    source = read(cell("%x \x1b[31m" + "y" * 500 + "\n" + "%ls\n" * 100 + "x = 1"))
    assert len(source.notes) == 21
    assert source.notes[-1] == "81 more commands were left out in the same way."
    assert all(note.isprintable() and len(note) < 200 for note in source.notes)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"x = 1\n", "line 1 is not JSON"),
        (b'{"cells": [\n\n', "line 3 is not JSON"),
        (b"\xff\xfe{", "not UTF-8"),
        (b"[1]", "is not a notebook"),
        (b"{}", "no list of cells"),
        (b'{"cells": 3}', "no list of cells"),
        (b'{"worksheets": [], "nbformat": 3}', "from before 2014"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"cells": ' + b"9" * 5000 + b"}", "a number that cannot be read"),
        (b"[],[" * MAX_PARTS, "far too many parts"),
        (b" " * (MAX_NOTEBOOK_BYTES) + b"{}", "larger than 20 MB"),
        (notebook(), "holds no Python code"),
        (notebook(cell("text", kind="markdown"), 3, {"cell_type": "code"}), "holds no Python code"),
        (notebook(cell("%%bash\nls")), "holds no Python code"),
        (notebook(cell("x = 1"), cell(["a", 3])), "code of cell 2 is not text"),
        (notebook(cell({"a": 1})), "code of cell 1 is not text"),
        (notebook(cell("x = 1"), cell("y = 2\nx = '\ud83d'")), "Cell 2, line 2 holds half of a character"),
        (notebook(cell("x\0")), "Cell 1, line 1 holds a NUL character"),
        (notebook(cell("x" * (MAX_CODE_BYTES + 1))), "larger than 1 MB"),
        (notebook(*[cell("#" * 1000)] * 1001), "larger than 1 MB"),
        (notebook(cell("x <- 1"), metadata={"language_info": {"name": "R"}}), "is written in R"),
        (notebook(cell("x = 1"), metadata={"kernelspec": {"language": "julia"}}), "is written in julia"),
    ],
)
def test_notebooks_refused(data: bytes, words: str) -> None:
    assert words in refused("a.ipynb", data)


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        None,
        [],
        {"language_info": 3},
        {"language_info": {"name": "Python"}},
        {"kernelspec": {"language": "ipython3"}},
    ],
)
def test_notebooks_in_python_or_unsaid(metadata: Any) -> None:
    assert parse_source("a.ipynb", notebook(cell("x = 1"), metadata=metadata)).text == "x = 1\n"


def test_a_byte_order_mark_and_large_outputs() -> None:
    outputs = [{"output_type": "display_data", "data": {"image/png": "A" * 5_000_000}}]
    data = codecs.BOM_UTF8 + notebook({**cell("x = '🦊'"), "outputs": outputs})
    assert parse_source("a.ipynb", data).text == "x = '🦊'\n"


# Anything at all


@given(st.binary(max_size=300), st.sampled_from(["a.py", "a.ipynb"]))
@example(b"# coding: \xff", "a.py")
@example(b"#\xff\n", "a.py")
@example(b"# coding: ..", "a.py")
@example(b"\xef\xbb", "a.py")
def test_any_bytes_give_an_answer(data: bytes, name: str) -> None:
    source = _read_or_refuse(name, data)
    if source:
        source.text.encode()
        assert "\0" not in source.text
        assert "\r" not in source.text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")))
def test_text_comes_through_a_file(text: str) -> None:
    text = "# \n#\n" + text  # so that a declaration is none, and the file not empty
    assert parse_source("a.py", text.encode()) == Source(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["cells", "metadata", "nbformat", "worksheets"]), json_values))
def test_any_json_gives_an_answer(table: dict[str, Any]) -> None:
    _read_or_refuse("a.ipynb", json.dumps(table).encode())


@given(
    st.lists(
        st.fixed_dictionaries({"cell_type": st.just("code") | json_values, "source": st.text() | json_values})
        | json_values
    )
)
def test_any_cells_give_an_answer(cells: list[Any]) -> None:
    _read_or_refuse("a.ipynb", notebook(*cells))


def _read_or_refuse(name: str, data: bytes) -> Source | None:
    """What came of it; a refusal is one sentence or more that can be shown."""
    sentence = "As it should be."
    source = None
    try:
        source = parse_source(name, data)
    except SourceError as error:
        sentence = error.sentence
    assert sentence.isprintable()
    assert sentence.endswith(".")
    return source


fragments = st.sampled_from(
    ["%", "%%", "!", "?", "\n", "x", "=", " ", "'", '"""', "(", ")", "\\", "#", "time", "]"]
)


@given(st.lists(st.lists(fragments, max_size=20).map("".join), min_size=1, max_size=4))
def test_lines_keep_their_places(cells: list[str]) -> None:
    """Each line of the text is that line of its cell, or was taken out of it and left a line behind."""
    try:
        source = read(*map(cell, cells))
    except SourceError:
        return
    lines = source.text.split("\n")
    assert len(source.cells) == len(cells)
    for start, raw in zip(source.cells, cells, strict=True):
        for offset, line in enumerate(raw.rstrip("\n").split("\n")):
            assert lines[start - 1 + offset] in (line, "", line[: len(line) - len(line.lstrip())] + "pass")


@given(st.lists(st.text(alphabet="xy =\n", min_size=1), min_size=1, max_size=5))
def test_where_finds_every_line(cells: list[str]) -> None:
    try:
        source = read(*map(cell, cells))
    except SourceError:
        return
    seen = [where(line, source.cells) for line in range(1, source.text.count("\n") + 1)]
    assert len(set(seen)) == len(seen)
    assert seen[0] == "cell 1, line 1"
