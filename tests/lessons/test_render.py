"""A lesson on a page: nothing in it acts, and nothing behind a stop is in what comes before."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from grader.assignment.model import Problems
from softmark.lessons.written.drawn import read_question
from softmark.lessons.written.lesson import Lesson, Part
from softmark.lessons.written.render import named_in, shown, text_html
from softmark.lessons.written.source import read_lesson
from tests.lessons.test_source import DATA, LESSON, PIECES, read

FACTS: dict[str, Any] = {
    "scores": [0, 4, -4.5], "river": {"score": 4, "share": 0.46831}, "word": "a <b>*c*</b> [d](javascript:e)",
    "large": 131072, "grid": [[1, 2], [3, 4]], "nan": float("nan"),
}  # fmt: skip


# What is written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{q}", '<span class="query">q</span>'),
        ("{k}[the key]", '<span class="key">the key<sup>k</sup></span>'),
        ("a {v}[x < y] b", '<span class="value">x &lt; y<sup>v</sup></span>'),
        ("{w}", '<span class="weight">w</span>'),
        ("{v}[value of *it*]", '<span class="value">value of <em>it</em><sup>v</sup></span>'),
        ("{k}[{{ river.score }} *a] b*", '<span class="key">4 *a<sup>k</sup></span> b*</p>'),
        ("{x}", "<p>{x}</p>"),
        (r"\{q}", "<p>{q}</p>"),
        ("`{q}`", "<code>{q}</code>"),
        ("{{ scores }}", "<p>0, 4, −4.5</p>"),
        ("{{river.score}}", "<p>4</p>"),
        ("**{{ river.share }}**", "<strong>0.47</strong>"),
        ("{{ large }}", "<p>131\u202f072</p>"),
        ("`n = {{ large }}`", "<code>n = 131072</code>"),
        ("```python\nn = {{ scores }}\n```", '<span class="o">-</span><span class="mf">4.5</span>'),
        ("{{ grid.2 }}", "<p>3, 4</p>"),
        ('a "word" isn\'t `"a"`', '<p>a “word” isn’t <code>"a"</code>'),
        ("{{ grid }}", "<p>[1, 2], [3, 4]</p>"),
        ("{{ nan }}", "<p>nan</p>"),
        ("{{ unknown }}", "<p>{{ unknown }}</p>"),
        (r"\{{ large }}", "<p>{{ large }}</p>"),
        ("$x_{1} + {{ river.score }}$", "<mn>4</mn>"),
        ("![river {{ large }}](river.svg)", '<img src="data:image/svg+xml;base64,'),
        ("![river {{ large }}](river.svg)", 'alt="river 131\u202f072"'),
        ("![a *word* {q}](other.svg)", "<em>a word q</em>"),
        ("# Title", "<h2>Title</h2>"),
        ("### Small", "<h3>Small</h3>"),
        ("[a](https://example.org)", 'rel="noopener noreferrer"'),
        ("| a |\n|--:|\n| {q} |", '<td class="align-right"><span class="query">'),
        ("| a |\n|--:|\n| [{{ scores }}] |", '<td class="nowrap align-right">[0, 4, −4.5]</td>'),
        ("| a |\n|---|\n| 4 of them |", "<td>4 of them</td>"),
    ],
)
def test_what_is_written_comes_out(text: str, expected: str) -> None:
    assert expected in text_html(text, FACTS, DATA)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[the *mask*](item:mask)",
            '<p><a href="/there/" rel="noopener noreferrer">the <em>mask</em></a></p>',
        ),
        ("[the *other*](item:other) and [this](ITEM:mask)", 'the <em>other</em> and <a href="/there/"'),
        ("- [one][1]\n\n[1]: item:mask", '<li><a href="/there/"'),
        ("[{{ word }}](item:mask)", '<a href="/there/" rel="noopener noreferrer">a &lt;b&gt;'),
        ("[elsewhere](https://example.org/item:mask)", '<a href="https://example.org/item:mask"'),
        ("[both](item:mask/../other)", "<p>both</p>"),
    ],
)
def test_links_to_items_lead_where_the_reader_may_go(text: str, expected: str) -> None:
    rendered = text_html(text, FACTS, links={"mask": "/there/"})
    assert expected in rendered
    assert "item:other" not in rendered
    assert "/there/" not in text_html(text, FACTS)


def test_the_names_in_a_text_have_their_lines() -> None:
    text = "# A\n\nb\n{{ c }} ![d](e.png)\n\n```\n{{ f }}\n```\n\n$$\n{{ g }}\n$$\n"
    found = [(each.kind, each.name.strip(), each.line) for each in named_in(text)]
    assert found == [
        ("title", "", 0), ("fact", "c", 3), ("picture", "e.png", 3), ("fact", "f", 6), ("fact", "g", 10),
    ]  # fmt: skip


# What must not act

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](data:image/png;base64,AAAA)",
    "[x]( \x01data:image/svg+xml;base64,AAAA)",
    "![x](javascript:alert(1))",
    "![x](https://example.org/x.png)",
    "![x](//example.org/x.png)",
    "![x](../../secret.png)",
    "![x](data:image/png;base64,AAAA)",
    '![x" onerror="alert(1)](river.svg)',
    '![x](river.svg "t\\" onload=\\"alert(1)")',
    "{q}[<script>alert(1)</script>]",
    '{q}[" onclick="alert(1)]',
    "{q}[{{ hostile }}]",
    "{{ hostile }}",
    "{{ <script>alert(1)</script> }}",
    "`{{ hostile }}`",
    "```html\n{{ hostile }}\n```",
    "$\\text{ {{ hostile }} }$",
    "$$\\href{javascript:alert(1)}{x}$$",
    '![{{ hostile }}](river.svg)',
    "<http://x onclick=alert(1)>",
    "# <svg/onload=alert(1)>",
    "| <script> |\n|---|\n| {{ hostile }} |",
    "<!-- {{ hostile }} -->",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_acts(text: str) -> None:
    for hostile in (
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "[x](javascript:alert(1))",
    ):
        rendered = text_html(text, {"hostile": hostile}, DATA)
        assert_harmless(rendered)


def assert_harmless(rendered: str) -> None:
    tags = re.findall(r"<[^>]*>", rendered)
    for tag in tags:
        assert not re.match(r"</?(script|style|iframe|object|embed|form|input|svg)\b", tag, re.IGNORECASE), (
            tag
        )
        unquoted = re.sub(r'"[^"]*"', '""', tag)
        assert not re.search(r"\bon\w+\s*=|\bstyle\s*=", unquoted, re.IGNORECASE), tag
        for name, value in re.findall(r'\b(href|src)="([^"]*)"', tag):
            if name == "src":
                assert value.startswith("data:image/svg+xml;base64,"), tag
            else:
                assert re.match(r"(https?:|mailto:|[^:]*$)", value), tag


@settings(max_examples=200)
@given(st.text(max_size=200), st.text(max_size=60))
@example("{{ hostile }}", "\x00")
@example("{q}[\ud800]", "x")
def test_any_text_renders_and_nothing_acts(text: str, hostile: str) -> None:
    assert_harmless(text_html(text.encode("utf-8", "replace").decode(), {"hostile": hostile}, DATA))


def test_a_widgets_text_is_text() -> None:
    lesson, _ = read(LESSON.replace("The table by hand, with", "'<script>alert(1)</script> <b>and'", 1))
    assert lesson is not None
    assert lesson.predicts[0].prompt
    lesson, _ = read(
        LESSON.replace("alt: The table by hand", 'alt: "<script>alert(1)</script> The table"\nx: b', 1)
    )
    assert lesson is not None
    *_, widget = shown(lesson.predicts[0].prompt)
    assert widget.widget is not None
    assert "&lt;script&gt;" in widget.html


# The rule nothing may break


def page_before(part: Part, lesson: Lesson) -> str:
    """All that a page may hold before this part's stop is answered, widgets with their values and data included."""
    said = [lesson.title, lesson.summary]
    prompt = part.predict.prompt if part.predict else ()
    for each in (*shown(part.blocks, {}, lesson.data), *shown(prompt, {}, lesson.data)):
        said.append(str(each.html))
        if each.widget is not None:
            said.append(repr(each.widget.values.value))
    if part.predict is not None:
        said.append(part.predict.id)
    return "\n".join(said)


def test_the_small_lesson_keeps_what_stands_behind_its_stops() -> None:
    lesson, _ = read(LESSON)
    assert lesson is not None
    first, second, last = (page_before(part, lesson) for part in lesson.parts)
    for later in (
        "gets the smallest",
        "is not the smallest of",
        "What stands out",
        "too {tired",
        "131072",
        "all is",
        "bytes",
    ):
        assert later not in first
    assert "What stands out" in second
    for later in ("eight heads", "131072", "That is all", "llama"):
        assert later not in second
    assert "That is all" in last


def test_a_variants_reveal_is_filled_in() -> None:
    lesson, _ = read(LESSON)
    assert lesson is not None
    problems = Problems()
    question = read_question(lesson.predicts[0], "a.md", problems)
    assert question is not None
    assert not problems
    assert len(question.variants) == 20
    for variant in question.variants:
        (reveal,) = shown(question.predict.reveal, variant.facts)
        assert "{{" not in reveal.html
        assert f"<strong>{variant.facts['key']}</strong>" in reveal.html


TRAPS = [
    "Text", "", "", "<!--", "-->", "<div>", "[x]: http://example.org", "[x]", "[x][y]", "[a", "](b)", "$$", "$", "`",
    "- item", "  - inner", "1. one", "> quoted", "    code", "| a |", "|---|", "***", "---", "===", "\\", "## Heading",
    "{{ key }}", "{q}[", "![", "![x](river.svg)", "Text  ", "\t", "**", "*", "``", "&lt;",
]  # fmt: skip
ANY_LINES = st.one_of(*[st.sampled_from(TRAPS)] * 60, st.sampled_from(PIECES))


@st.composite
def lessons_with_canaries(draw: st.DrawFn) -> str:
    """Lines from a pool of traps, in the frame of a lesson, every one that is not a mark with a canary of its line."""
    body = draw(st.lists(ANY_LINES, max_size=12))
    stops = draw(st.integers(1, 3))
    lines = [
        "---",
        "id: a",
        "title: A",
        "minutes: 5",
        "---",
        *draw(st.lists(ANY_LINES, max_size=4)),
    ]
    for number in range(stops):
        lines += [
            "Text.", f"::::{{predict}} stop-{number}", "---", "type: token", "tokens: [a, b]", "answer: a", "---",
            "Prompt.", *draw(st.lists(ANY_LINES, max_size=5)), "+++ reveal", "Reveal.",
            *draw(st.lists(ANY_LINES, max_size=5)), "::::",
        ]  # fmt: skip
    lines += body
    return "\n".join(
        f"{line} canary{number}x" if re.match(r"[A-Z\[<]|\{predict|    ", line) else line
        for number, line in enumerate(lines, start=1)
    )


@settings(max_examples=200)
@given(lessons_with_canaries())
def test_nothing_behind_a_stop_is_in_an_earlier_part(text: str) -> None:
    """Told by the lines of the text alone: each canary stands before or behind a stop's own line of +++."""
    problems = Problems()
    lesson = read_lesson("a.md", text, problems)
    assume(lesson is not None and not problems)
    assert lesson is not None
    lines = text.split("\n")
    stops = [number for number, line in enumerate(lines, start=1) if line.startswith("::::{predict}")]
    assert [predict.line for predict in lesson.predicts] == stops
    for part in lesson.parts:
        if part.predict is None:
            continue
        opens = next(n for n in range(part.predict.line, len(lines)) if lines[n].startswith("+++"))
        page = page_before(part, lesson)
        behind = [f"canary{number}x" for number in range(opens + 1, len(lines) + 1)]
        assert not [canary for canary in behind if canary in page]


def test_every_canary_of_the_frame_is_found_once_its_part_is_open() -> None:
    """The property above would hold of empty pages, too."""
    text = LESSON.replace("Keys and values of eight", "canaryA Keys of eight").replace(
        "That is all", "canaryB"
    )
    lesson, faults = read(text)
    assert lesson is not None
    assert not faults
    opened = "".join(str(each.html) for each in shown(tuple(lesson.predicts[1].behind)))
    assert "canaryA" in opened
    assert "canaryB" in page_before(lesson.parts[2], lesson)
