"""What `check_lessons` refuses: each with the file, the line and a sentence; and what it leaves alone."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softmark.lessons.variants import REFERENCES, all_variants
from softmark.lessons.written.folder import check_texts
from softmark.lessons.written.spelling import Wanted, numbers_in, plain
from tests.lessons.test_source import DATA, LESSON, PIECES, line_of

NAME = "a.md"


def faults(text: str, data: dict[str, bytes] | None = None) -> list[str]:
    return [str(problem) for problem in check_texts(NAME, text, DATA if data is None else data).problems]


def told(old: str, new: str) -> list[str]:
    """The faults of the small lesson with one piece replaced."""
    assert old in LESSON
    return faults(LESSON.replace(old, new, 1))


def lesson(*stops: str, before: str = "Words.", title: str = "A") -> str:
    return "\n".join(
        ["---", "id: a", f"title: {title}", "minutes: 5", "---", before, *stops, "The end of the lesson.", ""]
    )


def stop(
    values: str,
    prompt: str = "How much?",
    reveal: str = "Because it is so.",
    name: str = "one",
    more: str = "",
) -> str:
    return f"::::{{predict}} {name}\n---\n{values}\n---\n{prompt}\n+++ reveal\n{reveal}\n{more}::::\n"


def number(answer: str, **others: str) -> str:
    return stop(f"type: number\nanswer: {answer}\natol: 0.001", **others)


ATTENDED = "given: {q: [2, 2], keys: {the: [0, 0], river: [2, 0], bank: [1, 1]}, d_k: 4}"
SHARES = f"type: vector\nshape: 3\natol: 0.01\n{ATTENDED}\nanswer: {{ref: shares}}"


def test_the_small_lesson_is_right() -> None:
    assert faults(LESSON) == []


def test_links_name_an_item_of_a_course() -> None:
    stop = number("7", prompt="See [this](item:causal-mask).")
    assert faults(lesson(stop)) == []
    assert faults(lesson(stop, before="Or\n[that](item:Causal_Mask)."))[0].startswith(
        'a.md:7: "Causal_Mask" is no name'
    )
    assert "is no name of an item" in faults(lesson(stop, before="Or [that](item:)."))[0]


# The stops


@pytest.mark.parametrize(
    ("old", "new", "at", "sentence"),
    [
        ("type: token", "type: tokens", "type: token", 'there is no type "tokens". Did you mean "token"?'),
        ("type: token\n", "", "type: token", 'there is no "type"'),
        ("tokens: [the, river, bank]", "token: [the, river]", "tokens: [the", 'Did you mean "tokens"?'),
        ("tokens: [the, river, bank]", "tokens: 7", "tokens: [the", '"tokens" must be a list'),
        ("{ref: least_attended}", "{ref: least_atended}", "answer: {ref", 'Did you mean "least_attended"?'),
        ("{ref: least_attended}", "{fer: x}", "answer: {ref", 'name a reference: {ref: …}'),
        ("{ref: least_attended}", "river", "answer: {ref", 'and this "answer" does not'),
        ("small_integer_keys", "small_integer_key", "variants:", 'Did you mean "small_integer_keys"?'),
        ("count: 20}", "count: 2000}", "variants:", '"count" must be a whole number from 2 to'),
        ("{gen: small_integer_keys, count: 20}", "20", "variants:", "{gen: …, count: 20}"),
        ("given: {q: [2, 2], ", "given: {q: 7, d: [", "given:", "not valid YAML"),
        ("d_k: 4}", "d_k: 5}", "given:", '"d_k" must be a square'),
        ("{gen: small_integer_keys, count: 20}", "{gen: small_integer_keys, count: 3, x: 1}", "variants:", "{gen: …"),
        ("answer: 131072", "spoiler_ok: ''\nanswer: 131072", "answer: 131072", '"spoiler_ok" is empty'),
        ("answer: 131072\n", "", "type: number", 'there is no "answer"'),
        ("atol: 0", "rtol: 2", "atol: 0", '"rtol" must be less than 1'),
        ("+++ if answer=most-attended", "+++ if answer=rivre", "+++ if", 'Nobody can answer "rivre"'),
        ("{{ scores }}: **", "{{ scroes }}: **", "The scores are", "No reference gives it here. Did you"),
        ("{{ river.score }}", "{{ river.scoer }}", "{{ river.score }}", 'Did you mean "river.score"?'),
        ("{{ river.score }}", "{{ river score }}", "{{ river.score }}", "is no name of a fact"),
        ("{{ q }}", "{{ scores }}", "The query is", 'A prompt fills in only what is "given".'),
        ("{{ q }}", "{{ qq }}", "The query is", 'There is no fact "qq"'),
        ("That is all", "{{ q }}", "That is all", "Facts are filled in at a stop only"),
        ("::::{predict} cost-of-a-token", "::::{predict} bank-least", "::::{predict} cost", '"bank-least", too'),
    ],
)  # fmt: skip
def test_a_stop_that_is_wrong(old: str, new: str, at: str, sentence: str) -> None:
    found = told(old, new)
    line = line_of(at)
    assert any(fault.startswith(f"{NAME}:{line}: ") and sentence in fault for fault in found), found


def test_a_key_that_is_not_unique_over_the_variants() -> None:
    """A choice has one right option; where a generator draws ties, a reference gives two."""
    values = (
        "type: choice\noptions: {the: the, river: river, bank: bank}\nanswer: {ref: most_attended}\n"
        "variants: {gen: tied_integer_keys, count: 5}"
    )
    found = faults(lesson(stop(values)))
    assert any(
        f.startswith("a.md:11: ") and "In variant 1: A choice has one right option" in f for f in found
    ), found


def test_a_relative_tolerance_alone_where_the_key_can_be_0() -> None:
    values = f"type: vector\nshape: 3\nrtol: 0.01\n{ATTENDED}\nanswer: {{ref: scores}}"
    assert any("a relative tolerance allows nothing" in fault for fault in faults(lesson(stop(values))))


BRANCHED = "+++ if answer={}\nNot this one.\n"
VARIED = f"{ATTENDED}\nvariants: {{gen: small_integer_keys, count: 20}}"
THREE = "[the, river, bank]"


@pytest.mark.parametrize(
    ("values", "answer", "instead"),
    [
        (f"type: token\ntokens: {THREE}\n{VARIED}\nanswer: {{ref: least_attended}}", "river", "most-attended"),
        (f"type: choice\noptions: {THREE}\n{VARIED}\nanswer: {{ref: least_attended}}", "river", "most-attended"),
        (f"type: choices\noptions: {THREE}\n{VARIED}\nanswer: {{ref: least_attended}}", "river", "most-attended"),
        ("type: number\nvariants: {gen: sequence_length, count: 38}\nanswer: {ref: hidden_pairs}", "6", "half-of-all"),
        ("type: number\natol: 1.5\nanswer: 10", "12", ""),
        ("type: number\natol: 1.5\nanswer: 10", "13", ""),
        ("type: number\nrtol: 0.1\nanswer: 100", "85", ""),
        ("type: token\ntokens: [a, dog, and, a, cat]\nanswer: 3", "a", ""),
    ],
)  # fmt: skip
def test_a_text_for_an_answer_that_is_right_for_some_only(values: str, answer: str, instead: str) -> None:
    text = lesson(stop(values, more=BRANCHED.format(answer)))
    (fault,) = faults(text)
    assert "some are right" in fault
    assert fault.startswith(f"a.md:{line_of('+++ if', text)}: ")
    assert f'"{answer}"' in fault
    assert instead in fault


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        (f"type: token\ntokens: {THREE}\n{VARIED}\nanswer: {{ref: least_attended}}", "most-attended"),
        (f"type: token\ntokens: [a, the, river, bank]\n{VARIED}\nanswer: {{ref: least_attended}}", "a"),
        (f"type: token\ntokens: {THREE}\n{ATTENDED}\nanswer: {{ref: most_attended}}", "river"),  # of a tie
        (f"type: token\ntokens: {THREE}\n{ATTENDED}\nanswer: {{ref: most_attended}}", "the"),
        (f"type: choice\noptions: [a, the, river, bank]\n{VARIED}\nanswer: {{ref: least_attended}}", "a"),
        ("type: number\nvariants: {gen: sequence_length, count: 38}\nanswer: {ref: hidden_pairs}", "-1"),
        ("type: number\natol: 1.5\nanswer: 10", "13.1"),
        ("type: number\natol: 1.5\nanswer: 10", "11.5"),  # is right itself
        ("type: number\nanswer: 10", "11"),
        ("type: token\ntokens: [a, dog, and, a, cat]\nanswer: [0, 3]", "a"),
    ],
)
def test_a_text_for_an_answer_that_is_right_for_all_or_none(values: str, answer: str) -> None:
    assert faults(lesson(stop(values, more=BRANCHED.format(answer)))) == []


SCORES = "given: {scores: [[0, 4], [0, 0]], position: 1}\nanswer: {ref: causal_row}"


def test_a_text_for_a_mistake_that_nobody_could_make() -> None:
    """A mistake counts where its answer can be given; one that only breaks a rule for right answers can."""
    masked = BRANCHED.format("masked-after-softmax")
    rounded = f"type: vector\nshape: 2\natol: 0.01\nweights: true\n{SCORES}"
    assert faults(lesson(stop(rounded, more=masked))) == []
    (fault,) = faults(lesson(stop(f"type: vector\nshape: 2\n{SCORES}", more=masked)))  # 0.0179862 exactly
    assert 'Nobody can answer "masked-after-softmax"' in fault


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ("type: [free_text", "not valid YAML"),
        ("type: free_text\nideas: [One of them, Another of them, A third of them]", 'there is no "model".'),
        ("type: output\nanswer: x", 'there is no "snippet".'),
        ("type: output\nanswer: x\nsnippet:", '"snippet" is empty.'),
    ],
)
def test_values_that_lack_something_are_told_once(values: str, sentence: str) -> None:
    (fault,) = faults(lesson(stop(values)))
    assert sentence in fault


def test_a_widget_whose_values_cannot_be_read_is_told_once() -> None:
    assert len(told("model: llama-3.1-8b", "model: [llama")) == 1


def test_many_variants_tell_their_fault_once() -> None:
    values = (
        f"type: vector\nshape: 4\natol: 0.01\n{ATTENDED}\nanswer: {{ref: shares}}\n"
        "variants: {gen: small_integer_keys, count: 20}"
    )
    assert len(faults(lesson(stop(values)))) == 1


# Pictures, headings, formulas


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("![](river.svg)", "has no text. Say in words what it shows"),
        ("![Words.](https://example.org/a.png)", "is not taken: name a file beside the lesson"),
        ("![Words.](../a.png)", "is not taken"),
        ("![Words.](data:image/png;base64,AAAA)", "is not taken"),
        ("![Words.](none.png)", "There is no file none.png with this lesson"),
        ("# Title", "A heading has two or more #"),
        ("$\\fraction{1}{2}$", "A formula in this text cannot be read"),
    ],
)
def test_a_text_that_is_wrong(text: str, sentence: str) -> None:
    found = told("That is all.", f"First.\n\n{text}")
    line = line_of("That is all.") + (0 if "formula" in sentence else 2)
    assert any(fault.startswith(f"{NAME}:{line}: ") and sentence in fault for fault in found), found


HTML = "HTML is not read here; it would be shown as it is. Take it out, or write it as code."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<!-- the answer\nis seven -->", 8), ("<div>", 8), ("One,\nand <b>two</b>", 9), ("## A <i>b</i>", 8),
        ("| a |\n|---|\n| b<br>c |", 10), ("- a\n- <em>b</em>", 9), ("![a <b>](river.svg)", 8),
    ],
)  # fmt: skip
def test_html_is_refused(text: str, line: int) -> None:
    assert f"a.md:{line}: {HTML}" in faults(lesson(number("5"), before=f"First.\n\n{text}"))
    assert any(fault.endswith(HTML) for fault in faults(lesson(number("5", reveal=text))))


def test_html_in_options_is_refused() -> None:
    offered = "options: {a: A <b>bold</b> one, b: Another}\nanswer: a"
    assert f"a.md:10: {HTML}" in faults(lesson(stop(f"type: choice\n{offered}")))


@pytest.mark.parametrize(
    "text", ["a < b and c > d", "2 <3", "`<b>`", "```\n<b>\n```", "$a<b>c$", "$$\na<b>c\n$$", "&lt;b&gt; \\<b>",
             "<https://example.org>", "<- so ->", "<s> and <pad> are tokens", "<eos>\n\nends a text", "x <y and z> 3"],
)  # fmt: skip
def test_signs_that_are_no_html(text: str) -> None:
    assert not faults(lesson(number("5"), before=text))


SVG = '<svg xmlns="http://www.w3.org/2000/svg">'


@pytest.mark.parametrize(
    ("name", "data", "fault"),
    [
        ("a.png", b"hello", "a.png: This file is no PNG picture."),
        ("a.png", b"\xff\xd8\xff\xe0", "a.png: This file is no PNG picture, but JPEG."),
        ("a.png", b"\x89PNG\r\n\x1a\n", ""),
        ("a.jpg", b"\xff\xd8\xff\xe0", ""),
        ("a.gif", b"GIF89a", ""),
        ("a.webp", b"RIFF\n\0\0\0WEBP", ""),
        ("a.svg", f"{SVG}\n<a></svg>".encode(), "a.svg:2: This is no SVG picture that can be read: mismatched tag."),
        ("a.svg", b"", "a.svg:1: This is no SVG picture that can be read: no element found."),
        ("a.svg", f"{SVG}</svg>".encode("utf-16"), "a.svg: This file is not text in UTF-8."),
        ("a.svg", b"<svg></svg>", f"a.svg: An SVG picture begins with {SVG}, or no browser shows it."),
        ("a.svg", f'<!DOCTYPE svg [\n<!ENTITY a "b">]>{SVG}&a;</svg>'.encode(),
         "a.svg:2: An SVG picture may declare no entities."),
        ("a.svg", f'<?xml version="1.0"?><!DOCTYPE svg SYSTEM "x.dtd">{SVG}</svg>'.encode(), ""),
    ],
)  # fmt: skip
def test_a_picture_that_none_could_see(name: str, data: bytes, fault: str) -> None:
    found = faults(lesson(number("5"), before=f"![A picture.]({name})"), {name: data})
    assert found == ([fault] if fault else [])


# Widgets


@pytest.mark.parametrize(
    ("old", "new", "at", "sentence"),
    [
        (":::{widget} arcs", ":::{widget} arc", ":::{widget} arcs", 'no widget "arc". Did you mean "arcs"?'),
        ("alt: The table by hand, with a row for each token.\n", "", "tokens: [the, river, bank]\nq:", 'no "alt"'),
        ("alt: The cost of a context against its length.", "alt: ''", "alt: The cost", '"alt" is empty'),
        ("alt: The cost of a context against its length.", "alt: Cost", "alt: The cost", "must say in words"),
        ("grouped: true", "groupd: true", "grouped: true", 'Did you mean "grouped"?'),
        ("grouped: true", "grouped: perhaps", "grouped: true", "must be true or false"),
        ("model: llama-3.1-8b", "model: llama-3.1-8", "model: llama", 'Did you mean "llama-3.1-8b"?'),
        ("tokens: 8192", "tokens: 100", "tokens: 8192", "from 512 to 1000000"),
        ("select: it", "select: cat", "select: it", 'which "sentence" does not hold'),
        ("select: it\n", "", "sentence:", 'there is no "select"'),
        ("{tired|wide}", "{tired|wide|red}", "sentence:", "has two sides"),
        ("{tired|wide}", "{tired}", "sentence:", "may have one switch"),
        ("data: tired-wide.json", "data: ../x.json", "data: tired", "must be the name of a file beside"),
        ("data: tired-wide.json", "data: other.json", "data: tired", "There is no file other.json"),
        ("  bank: [1, 1]", "  bnak: [1, 1]", "  bank: [1, 1]", 'Did you mean "bank"?'),
        ("  bank: [1, 1]", "  bank: [1, 1, 1]", "  bank: [1, 1]", "has 3 numbers, and the query 2"),
        ("  bank: [1, 1]", "  bank: [x]", "  bank: [1, 1]", "must be a list of numbers"),
        ("columns: [score, scaled]", "columns: [scored, scaled]", "columns:", 'Did you mean "score"?'),
        ("columns: [score, scaled]", "columns: [scaled]", "typed:", 'which "columns" leaves out'),
        ("columns: [score, scaled]", "columns: [score, blend]", "columns:", 'needs "values"'),
        ("  bank: [1, 1]", "  bank: [1, 1e300]", "keys:\n", "none of them larger than a million"),
        ("q: [2, 2]\nkeys", "q: [1e300, 2]\nkeys", "q: [2, 2]\nkeys", "none of them larger than a million"),
        ("d_k: 4\ncolumns", "d_k: 1\ncolumns", "d_k: 4\ncolumns", '"d_k" must be'),
        ("  bank: [1, 1]", "  bank: [1, 1e-301]", "  bank: [1, 1]", "must be a list of numbers"),
        ("q: [2, 2]\nkeys", "q: [1e-301, 2]\nkeys", "q: [2, 2]\nkeys", '"q" must be a list of 1 to 16 numbers'),
        ("q: [2, 2]\nkeys", "q: [1.0e+301, 2]\nkeys", "q: [2, 2]\nkeys", '"q" must be a list of 1 to 16 numbers'),
        ("d_k: 4\ncolumns", "d_k: 1e-320\ncolumns", "d_k: 4\ncolumns", '"d_k" must be a whole number'),
        ("tokens: 8192", "tokens: 1e-320", "tokens: 8192", "from 512 to 1000000"),
        ("tokens: 8192", "tokens: 1e301", "tokens: 8192", "from 512 to 1000000"),
        ("tokens: 8192", "tokens: true", "tokens: 8192", "from 512 to 1000000"),
        ("tokens: 8192", "tokens: [8192]", "tokens: 8192", "from 512 to 1000000"),
        ("tokens: 8192", "tokens: -0.5", "tokens: 8192", "from 512 to 1000000"),
    ],
)  # fmt: skip
def test_a_widget_that_is_wrong(old: str, new: str, at: str, sentence: str) -> None:
    found = told(old, new)
    line = line_of(at)
    assert any(fault.startswith(f"{NAME}:{line}: ") and sentence in fault for fault in found), found


TIRED = DATA["tired-wide.json"].decode()


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        (TIRED, "{", 1, "This is not valid JSON"),
        (TIRED, "[" * 30 + "]" * 30, None, "nested more than 12 deep"),
        (TIRED, "[]", None, 'must be a table with "provenance" and "states"'),
        ('"provenance"', '"provenence"', None, 'Did you mean "provenance"?'),
        ('"head": 1', '"head": 1.5', None, '"head" must be a whole number'),
        ('"head": 1', '"haed": 1', None, "a table with model, layer and head"),
        ('"wide":', '"tired":', None, 'A table names "tired" twice'),
        ('"wide":', '"wild":', None, '"states" must be those of the switch: tired, wide'),
        ('"tired"], ', '"sleepy"], ', None, '"tired", which is a side of the switch, is not among the tokens'),
        ("0.68", "1.68", None, 'the weights of "it" must be numbers from 0 to 1'),
        ("0.68", "-0.1", None, 'the weights of "it" must be numbers from 0 to 1'),
        ("0.68", "NaN", None, "NaN is no number that can be drawn"),
        ("0.68", "1e999", None, "1e999 is too large"),
        ("0.68", "0.98", None, 'the weights of "it" sum to 1.30'),
        ("[1, 0, 0]", "[1]", None, "must have a row for each token"),
        ('"it", ', '"cat", ', None, '"it", which is selected, is not among the tokens'),
        ('["animal", "it", "tired"]', json.dumps([f"t{n}" for n in range(41)]), None, "has 41 tokens; 1 to 40"),
        ('["animal", "it", "tired"]', "7", None, '"tokens" must be a list of short texts'),
        ('"animal"', r'"\uD83D"', None, "half a character"),
        ('"states"', r'"\uDC00"', None, "half a character"),
        ('"a small encoder"', r'"a \uD83D\uDE00\uDE00"', None, "half a character"),
    ],
)  # fmt: skip
def test_a_data_file_that_is_wrong(old: str, new: str, line: int | None, sentence: str) -> None:
    assert old in TIRED
    found = faults(LESSON, DATA | {"tired-wide.json": TIRED.replace(old, new, 1).encode()})
    place = "tired-wide.json" + (f":{line}" if line else "")
    assert any(fault.startswith(f"{place}: ") and sentence in fault for fault in found), found


def test_both_halves_of_a_character_are_one() -> None:
    said = TIRED.replace('"a small encoder"', r'"a \uD83D\uDE00"')
    assert faults(LESSON, DATA | {"tired-wide.json": said.encode()}) == []


def test_illustrative_data_say_so() -> None:
    said = TIRED.replace('{"model": "a small encoder", "layer": 3, "head": 1}', '"illustrative"')
    assert faults(LESSON, DATA | {"tired-wide.json": said.encode()}) == []


# Spoilers


def spoilt(text: str, data: dict[str, bytes] | None = None) -> list[str]:
    return [fault for fault in faults(text, data) if "can be read" in fault]


@pytest.mark.parametrize(
    "spelling",
    [
        "131072", "131,072", "131 072", "131\u202f072", "131_072", "131'072", "131072.0", "1.31e5", "1.31072E+05",
        "1.31 × 10⁵", "$1.31 \\times 10^{5}$", "$131{,}072$", "$131\\,072$", "13107200 %", "262144/2", "１３１０７２",
        "131000", "-131072", "\u2212131072", "13**1072**", "131&#48;72", "131\u200b072", "`131072`", "[x](131072.html)",
        '[x](y.html "131072")', "![about 131072](river.svg)", "$\\frac{262144}{2}$", "| a |\n|---|\n| 131072 |",
        "```\n131072\n```", "n=131072;", "1,31e5",
    ],
)  # fmt: skip
def test_a_number_in_any_usual_spelling(spelling: str) -> None:
    text = lesson(number("131072"), before=f"First.\n\n{spelling}")
    found = spoilt(text)
    assert len(found) == 1, found
    assert found[0].startswith(("a.md:8: ", "a.md:6: ", "a.md:10: ", "a.md:9: ")), found
    assert 'the answer of the stop "one", before it is committed' in found[0]


def test_a_power_that_ends_on_the_next_line_is_read() -> None:
    assert spoilt(lesson(number("0.131"), before="So 1.31 × 10^-\n1 or 10^+\t5"))


@pytest.mark.parametrize(
    "text", ["130000", "1.3e5", "13", "131", "1310720", "131.072.000", "2024", "0.131", "131073", "13 1072 x"]
)
def test_another_number_is_none(text: str) -> None:
    assert not [
        f for f in spoilt(lesson(number("131072"), before=text)) if "131072" in f.split("Here")[1][:12]
    ]


def test_a_short_key_is_left_to_its_author() -> None:
    assert not spoilt(lesson(number("0.47"), before="0.47 and 47 % and 0.470"))
    assert not spoilt(lesson(number("4"), before="4.00"))


def test_a_number_rounded_at_three_digits() -> None:
    values = f"type: number\natol: 0.01\n{ATTENDED[:-1]}, token: bank}}\nanswer: {{ref: share_of}}"
    assert spoilt(lesson(stop(values), before="It is 0.468 of it."))
    assert spoilt(lesson(stop(values), before="It is 46.8 % of it."))
    assert not spoilt(lesson(stop(values), before="It is 0.47 of it."))


@pytest.mark.parametrize("share", ["0.468", ".0634", "[0.0634, 0.468, 0.468]"])
def test_a_long_number_of_a_vector(share: str) -> None:
    assert spoilt(lesson(stop(SHARES), before=f"So {share}."))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("0, 4, 4", True),
        ("$\\begin{bmatrix} 0 & 4 & 4 \\end{bmatrix}$", True),
        ("| a | b | c |\n|---|---|---|\n| 0 | 4 | 4 |", True),
        ("```\n[0. 4. 4.]\n```", True),
        ("0, then 4, then 4", True),
        ("0 for *the*, 4 for *river* and 4 for *bank*", True),
        ("4, 4, 0", False),
        ("[0, 4]", False),
        ("0 × 4 = 4", False),
        ("0 + 4 = 4", False),
        ("[1, 0], river [4, 4]", False),
        ("0 is what it begins with, 4 comes next, and 4 after all of that", False),
        ("At 0 it is 4. Is 4 enough?", True),
        ("Is it 0? Or 4, or 4?", False),
    ],
)
def test_short_numbers_are_a_vector_together(text: str, is_one: bool) -> None:
    values = f"type: vector\nshape: 3\natol: 0.1\n{ATTENDED}\nanswer: {{ref: scores}}"
    assert bool(spoilt(lesson(stop(values), before=text))) is is_one


COLUMN = "| token | score | share |\n|---|---|---|\n| *the* | 0 | 0.06 |\n| *river* | 4 | 0.47 |\n| *bank* | 4 | 0.47 |"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("The shares will be 0.06, 0.47 and 0.47.", True),
        ("[0.06, 0.47, 0.47]", True),
        ("0.06 / 0.47 / 0.47", True),
        ("the 0.06, river 0.47, bank 0.47", True),
        ("6 %, 47 % and 47 %", True),
        ("6, 47 and 47 per cent", True),
        ("0,06; 0,47; 0,47", True),
        ("1/16, 8/17, 8/17", True),
        ("1. 0.06\n2. 0.47\n3. 0.47", True),
        ("$w_1 = 0.06$, $w_{2} = 0.47$, $w_3 = 0.47$", True),
        ("- *the*: 0.06\n- *river*: 0.47\n- *bank*: 0.47", True),
        ("| the | 0.06 |\n|---|---|\n| river | 0.47 |\n| bank | 0.47 |", True),
        (COLUMN, True),
        ("0.065, 0.4651, .465", True),  # each near enough to count as right
        ("0.06, 0.47 and 0.45", False),
        ("6, 47, 47", False),
        ("0.06 and 0.47", False),
    ],
)
def test_a_vector_as_it_would_be_taken_as_right(text: str, is_one: bool) -> None:
    found = spoilt(lesson(stop(SHARES.replace("0.01", "0.005")), before=text))
    assert bool(found) is is_one, found


def test_a_matrix_is_said_row_by_row() -> None:
    values = "type: matrix\nshape: [2, 2]\natol: 0\nanswer: [[1, 0], [0.4, 0.6]]"
    assert spoilt(lesson(stop(values), before="- the: [1, 0]\n- river: [0.4, 0.6]"))


@pytest.mark.parametrize(
    ("key", "tolerance", "text", "is_one"),
    [
        ("53248", "rtol: 0.01", "some 53,000 tokens", True),
        ("53248", "rtol: 0.01", "some 54,000 tokens", False),
        ("0.471", "atol: 0.001", "0.4706", True),
        ("0.123", "atol: 0", "0.123456", True),
        ("0.123", "atol: 0", "0.124", False),
        ("1024", "rtol: 0.1", "1000 tokens", False),  # round numbers are everywhere
        ("0.47", "atol: 0.01", "0.468", False),  # a short key is left to its author
    ],
)
def test_a_number_as_it_would_be_taken_as_right(key: str, tolerance: str, text: str, is_one: bool) -> None:
    values = f"type: number\nanswer: {key}\n{tolerance}"
    assert bool(spoilt(lesson(stop(values), before=text))) is is_one


def test_the_names_of_a_lesson_and_of_a_stop_stand_in_addresses() -> None:
    stop = number("131072", name="why-131072")
    assert spoilt(lesson(stop))[0].startswith("a.md:7: ")
    assert spoilt(lesson(number("131072")).replace("id: a", "id: the-131072-bytes"))[0].startswith("a.md:2: ")
    assert not spoilt(lesson(number("131072"), number("7", name="why-131072", reveal="So."))), "not yet read"


@pytest.mark.parametrize(
    ("answer", "text", "is_one"),
    [
        ("'(128, 64)'", "It prints (128,  64) then.", True),
        ("'(2, 3)'", "Like (2, 3).", False),
        ("'True'", "True.", False),
        ("'hello attention'", "Say hello attention to it.", True),
        ("'0.4706'", "About 47.06 %.", True),
    ],
)
def test_what_a_snippet_prints(answer: str, text: str, is_one: bool) -> None:
    values = f"type: output\nsnippet: print(x)\nanswer: {answer}"
    assert bool(spoilt(lesson(stop(values), before=text))) is is_one


def test_a_sentence_of_a_reveal() -> None:
    said = "The largest share goes to the river, since its score is largest."
    shown = "Look: **the largest share** goes to the *river*,\nsince its score is largest!"
    found = spoilt(lesson(number("5", reveal=f"Well. {said}"), before=shown))
    assert len(found) == 1
    assert found[0].startswith("a.md:6: This can be read before the stop")
    assert spoilt(lesson(number("5", prompt=shown, reveal=said)))
    assert spoilt(lesson(number("5", more=f"+++ if answer=6\n{said}\n"), before=shown))
    assert not spoilt(lesson(number("5", reveal="It is so. Well."), before="It is so. Well."))


def test_a_model_answer_is_behind_the_stop() -> None:
    said = "Each word looks for the words that tell its meaning"
    values = f"type: free_text\nmodel: {said}\nideas: [It looks around, It takes a share, It sums them up]"
    assert spoilt(lesson(stop(values), before=f"{said}."))
    assert not spoilt(lesson(stop(values)))


WIDGET = ":::{{widget}} arcs\n---\nsentence: it was {}\nselect: it\ndata: d.json\nalt: {}\n---\n:::\n"
STATE = '{{"provenance": "illustrative", "states": {{"a": {{"tokens": ["it", "b"], "weights": [[{}, 0], [0, 1]]}}}}}}'


@pytest.mark.parametrize(
    ("text", "data", "place"),
    [
        ("Words.", {}, None),
        (WIDGET.format("so", "about 0.512 of it"), {"d.json": STATE.format("0.1")}, "a.md:11"),
        (WIDGET.format("0.512", "some words"), {"d.json": STATE.format("0.1")}, "a.md:8"),
        (WIDGET.format("so", "some words"), {"d.json": STATE.format("0.512")}, "d.json"),
        (WIDGET.format("so", "some words"), {"d.json": STATE.format("0.1")}, None),
        ("![A picture.](d.svg)", {"d.svg": f"{SVG}<text>&#48;.512</text></svg>"}, "d.svg"),
    ],
)
def test_widgets_and_data_files_are_read_too(text: str, data: dict[str, str], place: str | None) -> None:
    found = spoilt(
        lesson(number("0.512"), before=text), {name: content.encode() for name, content in data.items()}
    )
    assert [fault.split(": ")[0] for fault in found] == ([place] if place else [])


BY_HAND = """
:::{widget} numbers
---
tokens: [the, river, bank]
q: [2, 2]
keys: {the: [0, 0], river: [2, 0], bank: [1, 1]}
d_k: 4
alt: The table by hand.
---
:::
"""
COST = ":::{widget} cost\n---\nmodel: llama-3.1-8b\ntokens: 8192\nalt: How costs grow.\n---\n:::\n"


@pytest.mark.parametrize(
    ("widget", "key", "is_there"),
    [
        (BY_HAND, "0.468310530833", True),  # the page holds it unrounded, as what a script reckons with
        (BY_HAND, "0.512", False),
        (COST, "131072", True),  # bytes for each token, in the table
        (COST, "1.07", True),  # GB in all
        (COST, "53248", True),  # where both cost the same
        (COST, "36864", True),  # of the model that a switch away shows
        (COST, "53250", False),
    ],
)
def test_what_a_widget_works_out_is_read_too(widget: str, key: str, is_there: bool) -> None:
    assert bool(spoilt(lesson(number(key), before=widget))) is is_there


def test_the_title_and_the_summary_are_read_first() -> None:
    assert spoilt(lesson(number("0.512"), title="Why 0.512"))[0].startswith("a.md:3: ")


def test_an_earlier_reveal_is_read_by_then_and_a_later_one_is_not() -> None:
    first = number("7", reveal="And 0.512 is next.")
    second = number("0.512", name="two")
    assert len(spoilt(lesson(first, second))) == 1
    assert not spoilt(lesson(second, first))
    assert not spoilt(lesson(number("0.512", reveal="It is 0.512 then.")))


def test_each_variant_is_looked_at() -> None:
    """The numbers of a prompt are those of its own variant; those of an earlier stop may be any."""
    values = f"{SHARES}\nvariants: {{gen: small_integer_keys, count: 10}}"
    assert not faults(lesson(stop(values, prompt="{{ q }} and {{ keys.river }}")))
    given = {"q": [2, 2], "keys": {"the": [0, 0], "river": [2, 0], "bank": [1, 1]}, "d_k": 4}
    last = all_variants("small_integer_keys", 10, given)[-1]
    share = max(REFERENCES["shares"](last).key)
    assert spoilt(lesson(stop(values), before=f"At most {share:.5f}."))


def test_options_of_the_question_itself_are_none_but_those_of_an_earlier_one_are() -> None:
    said = "The dot product of a query with a key grows with their length"
    values = f"type: choice\noptions: {{a: {said}, b: Nothing}}\nanswer: a"
    assert not spoilt(lesson(stop(values, reveal=f"{said}.")))
    assert spoilt(lesson(stop(values, reveal="So."), number("5", name="two", reveal=f"{said}.")))


IDEA = "A query is compared with each of the keys"
FREE = "type: free_text\nmodel: It listens.\nideas: [A first one, It takes a share, It sums them up]"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (number("0.512"), number("0.512", name="two", reveal="So.")),
        (stop("type: output\nsnippet: print(x)\nanswer: '(128, 64)'"),
         stop("type: output\nsnippet: print(y)\nanswer: '(128, 64)'", name="two", reveal="So.")),
        (stop(SHARES.replace("0.01", "0.001")), number("0.4683", name="two", reveal="So.")),
        (stop(FREE.replace("A first one", IDEA)), number("5", name="two", reveal=f"{IDEA}.")),
        (stop(FREE.replace("It listens.", IDEA)), number("5", name="two", reveal=f"{IDEA}.")),
    ],
)  # fmt: skip
def test_what_an_earlier_commit_opened_is_read_by_then(earlier: str, later: str) -> None:
    found = spoilt(lesson(earlier, later))
    assert len(found) == 1, found
    assert found[0].startswith(("a.md:10: ", "a.md:11: ", "a.md:12: ", "a.md:13: ")), "within the earlier one"
    assert 'the stop "two"' in found[0]
    assert not spoilt(lesson(earlier))


def test_of_an_earlier_stop_every_key_is_looked_at() -> None:
    given = {"q": [2, 2], "keys": {"the": [0, 0], "river": [2, 0], "bank": [1, 1]}, "d_k": 4}
    finely = SHARES.replace("0.01", "0.001")
    earlier = stop(f"{finely}\nvariants: {{gen: small_integer_keys, count: 10}}")
    for variant in all_variants("small_integer_keys", 10, given):
        share = max(REFERENCES["shares"](variant).key)
        assert spoilt(lesson(earlier, number(f"{share:.5f}", name="two", reveal="So.")))


def test_a_reason_waives_it() -> None:
    text = lesson(number("131072"), before="131072")
    assert spoilt(text)
    assert not faults(text.replace("answer:", "spoiler_ok: the number is asked back\nanswer:"))


@settings(max_examples=200)
@given(st.decimals(min_value="0.001", max_value="999999", places=3), st.integers(3, 8))
def test_every_rounding_says_the_number(value: Decimal, digits: int) -> None:
    wanted = Wanted(Fraction(value))
    for written in (f"{value:.{digits - 1}e}", f"{value:,}", f"{100 * value} %"):
        shown = written.split("e")[0].translate(dict.fromkeys(map(ord, ".,% "))).lstrip("0")
        said = list(wanted.said_in(numbers_in(plain(f"so {written} then"))))
        assert bool(said) is (wanted.is_long and len(shown) >= 3), written


VALUES = [
    "type: choice", "type: vector", "type: number", "type: free_text", "shape: [2, 2]", "given: {q: [x], keys: 3}",
    "given: {keys: {a: [1e300]}, q: [1e300]}", "answer: {ref: shares}", "answer: [[1], 2]", "answer: {ref: [1]}",
    "variants: {gen: easy_blend, count: 3}", "options: {a: b, c: 4}", "spoiler_ok: [1]", "rtol: -1", "shape: {a: 1}",
    "q: {a: 1}", "keys: [1]", "columns: [[1]]", "typed: {a: 1}", "select: [it]", "sentence: 7", "data: river.svg",
    "data: tired-wide.json", "model: [1]", "sentence: a {b|c}", "![](river.svg)", "{{ a.b }}", "$\\frac{1}$",
]  # fmt: skip


@settings(max_examples=200)
@given(st.lists(st.sampled_from([*PIECES, *VALUES]), max_size=8), st.lists(st.sampled_from(VALUES), max_size=6),
       st.lists(st.sampled_from([*PIECES, *VALUES]), max_size=8))  # fmt: skip
def test_any_values_are_looked_at(before: list[str], values: list[str], after: list[str]) -> None:
    faults(lesson(stop("\n".join(values), more="\n".join([*after, ""])), before="\n".join(before)))
    widgets = [
        f":::{{widget}} {kind}\n---\n" + "\n".join(values) + "\n---\n:::"
        for kind in ("numbers", "arcs", "cost")
    ]
    faults(lesson(number("5"), before="\n".join(widgets)))
