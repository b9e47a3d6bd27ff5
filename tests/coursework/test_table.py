"""The table mistake x check, as it is shown."""

from __future__ import annotations

from grader.verify import Mark
from softmark.coursework.table import shown_table

KEPT = {
    "checks": ["shape", "scale"],
    "table": [
        {"name": "solution", "marks": ["passed", "passed"], "result": "2 of 2"},
        {"name": "by-d", "marks": ["caught", "named"], "result": "named"},
        {"name": "no-mask", "marks": ["passed", "misnamed"], "result": "misnamed"},
    ],
    "problems": ["One thing."],
    "notes": ["Another."],
}


def test_signs_have_words() -> None:
    table = shown_table(KEPT)
    assert [[cell.words for cell in line.cells] for line in table.lines] == [
        ["passed", "passed"],
        ["caught", "caught and named"],
        ["passed", "taken for another mistake"],
    ]
    assert {cell.words for cell in table.legend} == {
        cell.words for line in table.lines for cell in line.cells
    }
    assert (table.missing, table.notes) == (("One thing.",), ("Another.",))


def test_every_mark_has_a_sign_of_its_own() -> None:
    marks = [str(mark) for mark in Mark]
    [line] = shown_table({"checks": marks, "table": [{"name": "a", "marks": marks, "result": ""}]}).lines
    assert len({cell.sign for cell in line.cells}) == len({cell.words for cell in line.cells}) == len(marks)


def test_what_is_wanting_stands_out() -> None:
    assert [line.name for line in shown_table(KEPT).lines if line.is_wanting] == ["no-mask"]
    faulty = {"checks": [], "table": [{"name": "starter", "marks": [], "result": "fault"}]}
    assert shown_table(faulty).lines[0].is_wanting


def test_what_is_not_graded_yet_has_an_empty_line() -> None:
    *_, last = shown_table(KEPT, ["solution", "by-d", "no-mask", "late-mask"]).lines
    assert (last.name, last.result, [cell.words for cell in last.cells]) == ("late-mask", "", ["", ""])
    assert not last.is_wanting


def test_the_kind_of_a_file_is_said_where_its_name_does_not_say_it() -> None:
    rows = [
        {"name": name, "kind": kind, "marks": [], "result": "0 of 2"}
        for name, kind in (
            ("solution", "solution"),
            ("einsum", "style"),
            ("exits", "hostile"),
            ("x", "new kind"),
        )
    ]
    lines = shown_table({"checks": [], "table": rows}).lines
    assert [line.kind for line in lines] == ["", "another style", "hostile", ""]
    assert not any(line.is_wanting for line in lines)


def test_nothing_kept_is_an_empty_table() -> None:
    """As of a version that came in without one, or of another format."""
    assert shown_table(None).lines == ()
    assert shown_table({"table": [], "mistakes": {"by-d": []}}).lines == ()
    [line] = shown_table(
        {"checks": ["a"], "table": [{"name": "x", "marks": ["new word"], "result": "?"}]}
    ).lines
    assert line.cells[0].words == "no verdict"
