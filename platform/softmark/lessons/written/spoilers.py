"""Whether what stands behind a stop can be read before it: its key, or a sentence of its reveal.

Read is all that a page holds by then, in every variant: text as written and as shown, the texts of pictures, the values
of widgets and the files of their data; of earlier stops also their keys and model answers. What is short cannot be told
from other text, and is left to its author.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

from grader.assignment.model import Problems
from grader.assignment.wording import quoted
from softmark.lessons.questions import Invalid
from softmark.lessons.questions.numerals import read_number
from softmark.lessons.questions.tolerance import EXACT
from softmark.lessons.written.drawn import Question, Variant
from softmark.lessons.written.figures import figure_of
from softmark.lessons.written.lesson import Block, Lesson, Predict, Text, Widget
from softmark.lessons.written.render import named_in, text_html
from softmark.lessons.written.spelling import ENOUGH, Numbers, Wanted, find_run, numbers_in, plain

_SENTENCE_WORDS, _SENTENCE_LETTERS = 4, 16
_OUTPUT_LETTERS = 8
_ENDS = re.compile(r"(?<=[.!?:;…])[\s\"'”’)*_]+|\n")
_INLINE = frozenset("a code em strong span sup sub math mrow mi mn mo mstyle mtext msup msub".split())
_OPTIONS = frozenset({"options", "items"})  # among these the right one stands by necessity


@dataclass(frozen=True)
class Readable:
    """Something that can be read, and where it stands. source: as it is written there."""

    file: str
    line: int | None
    source: str = field(repr=False)
    words: str = field(repr=False)
    numbers: Numbers = field(repr=False)

    def line_of(self, said: str) -> int | None:
        """The line where it is said, if that can be found in the source; else where the text begins."""
        at = self.source.find(said)
        return self.line if at < 0 or self.line is None else self.line + self.source.count("\n", 0, at)


def readable(file: str, line: int | None, source: str, shown: str = "") -> Readable:
    text = plain(source if not shown or shown == source else f"{source}\n§\n{shown}")
    return Readable(file, line, source, _words(shown or source), numbers_in(text))


def find_spoilers(lesson: Lesson, questions: Mapping[int, Question], problems: Problems) -> None:
    """questions: by the line of their stop, those that could be read."""
    before = [*_head(lesson)]
    for part in lesson.parts:
        before += _of_blocks(part.blocks, ({},), lesson)
        if part.predict is None:
            continue
        predict, question = part.predict, questions.get(part.predict.line)
        before.append(readable(lesson.file, predict.line, predict.id))  # as its address says it
        variants = question.variants if question else ()
        prompts = {
            number: [
                *_of_blocks(predict.prompt, (variant.given,), lesson),
                *_of_settings(predict, question, lesson.file, own=True),
            ]
            for number, variant in enumerate(variants)
        }
        if question is not None and not question.waived:
            _look(question, before, prompts, problems)
        facts = [variant.given for variant in variants] or [{}]
        before += _of_blocks(predict.prompt, facts, lesson)
        before += _of_settings(predict, question, lesson.file, own=False)
        before += _of_keys(predict, question, lesson.file)
        facts = [variant.facts for variant in variants] or [{}]
        before += _of_blocks(tuple(predict.behind), facts, lesson)


# -- what can be read


def _head(lesson: Lesson) -> Iterator[Readable]:
    for name, text in (("id", lesson.id), ("title", lesson.title), ("summary", lesson.summary)):
        if text:
            yield readable(lesson.file, lesson.head.line(name), text)


def _of_blocks(
    blocks: Sequence[Block], all_facts: Sequence[Mapping[str, Any]], lesson: Lesson
) -> Iterator[Readable]:
    for block in blocks:
        if isinstance(block, Widget):
            yield from _of_widget(block, lesson)
            continue
        for name in {each.name for each in named_in(block.source) if each.kind == "picture"}:
            if name.endswith(".svg") and name in lesson.data:
                yield readable(name, None, html.unescape(lesson.data[name].decode(errors="replace")))
        seen: set[str] = set()
        for facts in all_facts if "{{" in block.source else all_facts[:1]:
            shown = read_html(text_html(block.source, facts), down=True)
            if shown not in seen:
                seen.add(shown)
                yield readable(lesson.file, block.line, block.source, shown)


def _of_widget(widget: Widget, lesson: Lesson) -> Iterator[Readable]:
    for name, value in widget.values.value.items():
        if name != "data":
            yield readable(lesson.file, widget.values.line(name), _leaves(value))
    if not widget.data:
        figure = figure_of(widget, {})
        tables = [
            "\n".join((table.title, *map(" ".join, zip(*(cells for _, cells in table.rows), strict=True))))
            for table in figure.tables
        ]
        yield readable(lesson.file, widget.line, "", "\n\n".join((*tables, _leaves(figure.values))))
    elif widget.data in lesson.data:
        text = lesson.data[widget.data].decode(errors="replace")
        try:
            text = _leaves(json.loads(text))
        except (ValueError, RecursionError):  # told where it is read
            pass
        yield readable(widget.data, None, text)


def _of_settings(predict: Predict, question: Question | None, file: str, *, own: bool) -> Iterator[Readable]:
    """What the question shows beside its prompt; of an earlier one also what its commit opened.

    Of the one that is asked, its options are no spoiler.
    """
    if question is None:
        return
    kind = question.type
    seen = kind.settings_keys - (kind.secret_keys | _OPTIONS if own else frozenset())
    for name, value in predict.values.value.items():
        if name in seen and not isinstance(value, (int, float)):
            yield readable(file, predict.values.line(name), _leaves(value))


def _of_keys(predict: Predict, question: Question | None, file: str) -> Iterator[Readable]:
    """What was right, in every variant, which each commit opens. A free text's model is among its settings."""
    if question is None or not question.type.takes_answer or question.settings is None:
        return
    keys = [each.key for each in question.variants if each.key is not None]
    for shown in dict.fromkeys(question.type.show_key(key, question.settings) for key in keys):
        yield readable(file, predict.values.line("answer"), shown)


def _leaves(value: Any) -> str:
    """Texts as they are, lists of numbers in one line, tables by their names."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n\n".join(f"{name}: {_leaves(each)}" for name, each in value.items())
    if isinstance(value, (list, tuple)) and any(
        isinstance(each, (str, Mapping, list, tuple)) for each in value
    ):
        return "\n\n".join(_leaves(each) for each in value)
    return json.dumps(value)


class _Reader(HTMLParser):
    """columns: those of the tables."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []
        self.columns: list[str] = []
        self._rows: list[list[str]] = []
        self._cell = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._cell = len(self.said)
        if tag not in _INLINE:
            self.said.append("\n" if tag != "mtd" else " ")
        # a picture's own bytes are no text
        self.said += [f"\n{value}\n" for name, value in attrs if name in ("alt", "title", "href") and value]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._rows[-1].append("".join(self.said[self._cell :]).strip())
        elif tag == "table":
            self.columns += map(", ".join, zip(*self._rows, strict=False))
        if tag not in _INLINE:
            self.said.append("\n" if tag != "mtd" else " ")

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def read_html(text: str, *, down: bool = False) -> str:
    """What a reader reads of HTML, the texts of pictures and links included, with a line for each block.

    down: tables by their columns as well.
    """
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return "\n§\n".join(("".join(reader.said), *(reader.columns if down else ())))


def _words(text: str) -> str:
    """Its words without anything between them, so that other signs and line ends make no difference."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return f" {' '.join(words)} "


# -- what must not be read


def _look(
    question: Question,
    before: Sequence[Readable],
    prompts: Mapping[int, Sequence[Readable]],
    problems: Problems,
) -> None:
    called = f"the stop {quoted(question.predict.id)}"
    told: set[tuple[str, int | None]] = set()

    def tell(place: Readable, said: str, sentence: str) -> None:
        line = place.line_of(said)
        if (place.file, line) not in told:
            told.add((place.file, line))
            problems.add(place.file, line, sentence)

    for number, variant in enumerate(question.variants):
        wanted, in_rows = _wanted(question, variant), question.type.name == "matrix"
        outputs = _outputs(question, variant)
        sentences = _sentences(question, variant)
        for place in (*before, *prompts.get(number, ())):
            for said in (*_said(wanted, place, in_rows), *_said_output(outputs, place)):
                tell(
                    place,
                    said,
                    f"Here {quoted(said)} can be read, the answer of {called}, before it is committed.",
                )
            for sentence, words in sentences.items():
                if words in place.words:
                    tell(
                        place,
                        sentence,
                        f"This can be read before {called} is answered, and its reveal says it: {quoted(sentence)}.",
                    )


def _wanted(question: Question, variant: Variant) -> tuple[Wanted, ...]:
    numbers: Iterable[Fraction] = getattr(variant.key, "numbers", ())
    if question.type.name == "output" and variant.key is not None and len(variant.key.lines) == 1:
        with suppress(Invalid):
            numbers = (read_number(variant.key.lines[0]).value,)
    tolerance = getattr(question.settings, "tolerance", EXACT)
    return tuple(Wanted(number, tolerance) for number in numbers)


def _said(wanted: Sequence[Wanted], place: Readable, in_rows: bool) -> Iterator[str]:
    """A long number by itself; short ones where all stand together."""
    for each in wanted:
        yield from each.said_in(place.numbers)
    if len(wanted) > 1 and (run := find_run(wanted, place.numbers, in_rows=in_rows)):
        yield run


def _outputs(question: Question, variant: Variant) -> tuple[str, ...]:
    """Each line of what is printed that is long enough to be told."""
    if variant.key is None or question.type.name != "output":
        return ()
    lines = [" ".join(plain(line).split()) for line in variant.key.lines]
    return tuple(
        line
        for line in lines
        if sum(letter.isdigit() for letter in line) >= ENOUGH
        or sum(letter.isalnum() for letter in line) >= _OUTPUT_LETTERS
    )


def _said_output(lines: Sequence[str], place: Readable) -> Iterator[str]:
    text = " ".join(place.numbers.text.split()) if lines else ""
    for line in lines:
        if re.search(rf"(?<!\w){re.escape(line)}(?!\w)", text):
            yield line


def _sentences(question: Question, variant: Variant) -> dict[str, str]:
    """With their words, those of the reveal, of its branches and of a model answer that are long enough to be told."""
    secret = [
        _leaves(value)
        for name, value in question.predict.values.value.items()
        if name in question.type.secret_keys
    ]
    secret += [
        read_html(text_html(block.source, variant.facts)) if isinstance(block, Text) else block.alt
        for block in question.predict.behind
    ]
    found = (" ".join(sentence.split()) for text in secret for sentence in _ENDS.split(text))
    with_words = {sentence: _words(sentence) for sentence in found}
    return {
        sentence: words
        for sentence, words in with_words.items()
        if len(words.split()) >= _SENTENCE_WORDS and len(words) > _SENTENCE_LETTERS
    }
