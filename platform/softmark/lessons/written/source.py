"""A lesson's file, cut into parts before anything is rendered, with every fault told at once.

A line that begins with ::: or +++ is a directive or a fault, wherever it stands: also in a block of code, where
Markdown would show it. So no slip of the author's makes a stop into text, with all that stands behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.assignment.model import Problems
from grader.assignment.wording import did_you_mean, quoted
from grader.report import printable
from softmark.lessons.written.fields import ID, Fields
from softmark.lessons.written.lesson import KINDS, Block, Blocks, Branch, Lesson, Part, Predict, Text, Widget
from softmark.lessons.written.yaml_values import Located, read_yaml

MAX_CHARACTERS = 200_000
MAX_DIRECTIVES = 100
MAX_BRANCHES = 12
MAX_MINUTES = 120
MAX_ANSWER = 200

_DIRECTIVES = ("predict", "widget")
_HEAD_KEYS = ("id", "title", "minutes", "summary", "kind")
_COLONS = re.compile(r"\s*(:{2,})(.*)")
_OPEN = re.compile(r"\s*\{\s*([^{}\s]*)\s*\}\s*(.*?)\s*")
# Where a directive stands that would not be one there: in a list, a quotation, or with its colons forgotten.
_MISPLACED = re.compile(r":{3,}\s*\{|(?<!`)\{(?:predict|widget)\}")
_SECTION = re.compile(r"\s*\+{2,}(.*)")
_BRANCH = re.compile(r"if\s+answer\s*=\s*(.+)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


@dataclass(frozen=True)
class _Line:
    """A line with its number, from 1, and what it is: text, open, close or section."""

    number: int
    text: str
    kind: str = "text"
    colons: int = 0
    name: str = ""  # of a directive; or what stands behind +++
    argument: str = ""


def read_lesson(file: str, text: str, problems: Problems) -> Lesson | None:
    """The lesson in a file's text, without its data. With problems it may lack things, or be None: never show it."""
    if len(text) > MAX_CHARACTERS:
        problems.add(file, None, f"This file is longer than {MAX_CHARACTERS} characters, the most allowed.")
        return None
    return _Reader(file, text.removeprefix("\ufeff").replace("\r\n", "\n"), problems).lesson()


class _Reader:
    def __init__(self, file: str, text: str, problems: Problems) -> None:
        self._file = file
        self._source = text
        self._lines = text.split("\n")
        self._problems = problems
        self._directives = 0

    def lesson(self) -> Lesson | None:
        raw = self._lines
        for number, line in enumerate(raw, start=1):
            if printable(line) != line:
                self._complain(number, "This line holds a control character, which cannot be shown.")
        head, after = self._head(raw)
        code = frozenset(_in_code(raw, after))
        for number in code:
            if raw[number - 1].lstrip().startswith((":::", "+++")):
                self._complain(
                    number,
                    "A line that begins with ::: or +++ is read as a directive, also in a block of code. Put something "
                    "before it.",
                )
        lines = [
            _Line(number, raw[number - 1]) if number in code else self._classify(number, raw[number - 1])
            for number in range(after, len(raw) + 1)
        ]
        if self._directives > MAX_DIRECTIVES:
            self._complain(None, f"This lesson has more than {MAX_DIRECTIVES} directives, the most allowed.")
            return None
        parts = self._parts(_outdented(lines))
        if all(part.predict is None for part in parts):
            self._complain(None, "This lesson has no stop. Add at least one ::::{predict}.")
        return replace(head, parts=tuple(parts), text=self._source)

    def _complain(self, line: int | None, sentence: str) -> None:
        self._problems.add(self._file, line, sentence)

    # -- the front matter

    def _head(self, raw: list[str]) -> tuple[Lesson, int]:
        """What the front matter says, and the number of the first line after it."""
        values, after = Located(), 1
        if raw[0].rstrip() != "---":
            self._complain(
                1, "A lesson begins with a line ---, then its id, title and minutes, then a line ---."
            )
        else:
            end = next((number for number, line in enumerate(raw[1:], 2) if line.rstrip() == "---"), None)
            if end is None:
                self._complain(1, "The --- that ends the values at the top is missing.")
            else:
                values = read_yaml("\n".join(raw[1 : end - 1]), self._file, 2, self._problems) or values
                after = end + 1
                if values.lines:
                    return self._front(values), after
        return Lesson(self._file, "", "", 0, "", ()), after

    def _front(self, values: Located) -> Lesson:
        top = Fields("The lesson", self._file, values, self._problems)
        top.refuse_unknown(_HEAD_KEYS)
        summary = top.text("summary", 300) if top.has("summary") else ""
        kind = top.one_of("kind", KINDS) if top.has("kind") else KINDS[0]
        return Lesson(
            self._file, top.id("id"), top.text("title", 120), top.whole("minutes", 1, MAX_MINUTES), summary, (), kind,
            values,
        )  # fmt: skip

    # -- lines

    def _classify(self, number: int, text: str) -> _Line:
        if section := _SECTION.fullmatch(text):
            return _Line(number, text, "section", name=section[1].strip())
        if found := _COLONS.fullmatch(text):
            colons, rest = len(found[1]), found[2]
            if not rest.strip():
                return _Line(number, text, "close", colons)
            opened = _OPEN.fullmatch(rest)
            if opened is None:
                self._complain(
                    number, "This is no directive. Write for example ::::{predict} name-of-the-stop."
                )
                return _Line(number, text, "open", colons)
            if colons < 3 or text[0] != ":":
                self._complain(
                    number, "A directive begins with three or more colons, without a space before them."
                )
            self._directives += 1
            return _Line(number, text, "open", colons, opened[1], opened[2])
        if _MISPLACED.search(text):
            self._complain(number, "A directive stands on a line of its own, and begins with its colons.")
        return _Line(number, text)

    # -- parts

    def _parts(self, lines: list[_Line]) -> list[Part]:
        parts: list[Part] = []
        begin = at = 0
        while at < len(lines):
            line = lines[at]
            if line.kind == "open" and line.name == "predict":
                blocks = self._blocks(lines[begin:at])
                end = self._end_of_predict(lines, at)
                parts.append(Part(blocks, self._predict(line, lines[at + 1 : end])))
                closed = end < len(lines) and lines[end].kind == "close"
                begin = at = end + 1 if closed else end
            else:
                at += 1
        rest = self._blocks(lines[begin:])
        if rest or not parts:
            parts.append(Part(rest, None))
        return parts

    def _end_of_predict(self, lines: list[_Line], start: int) -> int:
        opening = lines[start]
        for at in range(start + 1, len(lines)):
            line = lines[at]
            if line.kind == "close" and line.colons == opening.colons:
                return at
            if line.kind == "open" and line.name == "predict":
                self._complain(
                    opening.number,
                    f"This stop is not closed before the next, in line {line.number}. "
                    f"End it with a line {':' * opening.colons}",
                )
                return at
            if line.kind == "open" and line.colons >= opening.colons:
                self._complain(
                    line.number,
                    "A directive in a stop has fewer colons than the stop. Give the stop one more.",
                )
        self._complain(opening.number, f"This stop is not closed. End it with a line {':' * opening.colons}")
        return len(lines)

    def _predict(self, opening: _Line, lines: list[_Line]) -> Predict:
        identity = opening.argument
        if not ID.fullmatch(identity):
            self._complain(
                opening.number,
                "A stop needs a name of small letters, digits and single hyphens, like ::::{predict} "
                "bank-least." if not identity else
                f"A stop cannot be called {quoted(identity)}: only small letters a to z, digits and single "
                "hyphens between words.",
            )  # fmt: skip
        values, lines = self._values("stop", opening, lines)
        marks = [at for at, line in enumerate(lines) if line.kind == "section"]
        prompt = self._blocks(lines[: marks[0]] if marks else lines)
        if not prompt:
            self._complain(opening.number, "This stop asks nothing: its prompt is empty.")
        reveal: Blocks | None = None
        branches: list[Branch] = []
        for at, until in pairwise([*marks, len(lines)]):
            mark, blocks = lines[at], self._blocks(lines[at + 1 : until])
            branch = _BRANCH.fullmatch(mark.name)
            if not blocks:
                self._complain(mark.number, f"Nothing stands under {quoted(mark.text.strip())}.")
            if mark.text[:4] != "+++ ":
                self._complain(
                    mark.number, "A line of this kind is +++ reveal or +++ if answer=…, with three +."
                )
            elif branch and len(branch[1]) <= MAX_ANSWER:
                if any(other.answer == branch[1] for other in branches):
                    self._complain(
                        mark.number, f"There is a text for the answer {quoted(branch[1])} already."
                    )
                branches.append(Branch(branch[1], blocks, mark.number))
            elif mark.name != "reveal":
                self._complain(mark.number, "After +++ comes reveal, or if answer=… with an answer.")
            elif reveal is not None:
                self._complain(mark.number, "This stop has two reveals.")
            else:
                reveal = blocks
                if branches:
                    self._complain(mark.number, "+++ reveal comes before the texts for certain answers.")
        if reveal is None:
            self._complain(opening.number, "This stop has no reveal. Write it under a line +++ reveal.")
        if len(branches) > MAX_BRANCHES:
            self._complain(opening.number, f"This stop has texts for more than {MAX_BRANCHES} answers.")
        return Predict(identity, values, prompt, reveal or (), tuple(branches), opening.number)

    def _values(self, called: str, opening: _Line, lines: list[_Line]) -> tuple[Located, list[_Line]]:
        """The values between the --- lines that a directive begins with, and the lines after them."""
        nothing = Located({}, {(): opening.number}, unread=True)
        start = next((at for at, line in enumerate(lines) if line.text.strip()), None)
        if start is None or lines[start].text.rstrip() != "---":
            self._complain(
                opening.number, f"This {called} has no values. Put them between two lines --- below."
            )
            return nothing, lines
        end = start + 1
        while end < len(lines) and lines[end].kind == "text" and lines[end].text.rstrip() != "---":
            end += 1
        if end == len(lines) or lines[end].kind != "text":
            self._complain(lines[start].number, "The --- that ends these values is missing.")
            return nothing, lines[end:]
        text = "\n".join(line.text for line in lines[start + 1 : end])
        read = read_yaml(text, self._file, lines[start].number + 1, self._problems)
        return read or nothing, lines[end + 1 :]

    # -- what stands between the stops

    def _blocks(self, lines: list[_Line]) -> Blocks:
        found: list[Block] = []
        begin = at = 0
        while at < len(lines):
            line = lines[at]
            if line.kind == "text":
                at += 1
                continue
            found += self._text(lines[begin:at])
            at += 1
            if line.kind == "open" and line.name == "widget":
                end = self._end_of_widget(lines, at, line)
                found += self._widget(line, lines[at:end])
                at = end + 1 if end < len(lines) and lines[end].kind == "close" else end
            elif line.kind == "open":
                if line.name:
                    advice = did_you_mean(line.name, _DIRECTIVES) or " There are predict and widget."
                    self._complain(line.number, f"No directive is called {quoted(line.name)}.{advice}")
            elif line.kind == "close":
                self._complain(line.number, "These colons close nothing that is open.")
            elif line.kind == "section":
                self._complain(line.number, "A line of this kind (+++) has its place in a stop only.")
            begin = at
        return (*found, *self._text(lines[begin:]))

    def _end_of_widget(self, lines: list[_Line], start: int, opening: _Line) -> int:
        for at in range(start, len(lines)):
            line = lines[at]
            if line.kind == "close" and line.colons == opening.colons:
                return at
            if line.kind in ("open", "section"):
                break
        else:
            at = len(lines)
        self._complain(
            opening.number, f"This widget is not closed. End it with a line {':' * opening.colons}"
        )
        return at

    def _widget(self, opening: _Line, lines: list[_Line]) -> Iterable[Widget]:
        values, rest = self._values("widget", opening, lines)
        for line in rest:
            if line.text.strip():
                self._complain(line.number, "A widget holds nothing but values. Put text before or after it.")
                break
        return [Widget(opening.argument, values, opening.number)]

    def _text(self, lines: list[_Line]) -> Iterable[Text]:
        """What stands there, if anything."""
        texts = [line.text for line in lines]
        written = [at for at, text in enumerate(texts) if text.strip()]
        if not written:
            return []
        fence, begun = "", 0
        for line in lines:
            before, fence = fence, _fence(fence, line.text)
            begun = line.number if fence and not before else begun
        if fence:
            self._complain(
                begun,
                f"The block of code that begins here is not closed before line {lines[-1].number + 1}.",
            )
        first, last = written[0], written[-1]
        return [Text("\n".join(texts[first : last + 1]), lines[first].number)]


def _fence(fence: str, text: str) -> str:
    """The marks that began the block of code which is open after this line, if any is; fence: those before it."""
    mark = _FENCE.fullmatch(text)
    if mark is None:
        return fence
    if not fence:
        return "" if mark[1][0] == "`" and "`" in mark[2] else mark[1]
    return "" if mark[1].startswith(fence) and not mark[2].strip() else fence


def _in_code(raw: list[str], first: int) -> list[int]:
    """The numbers of lines in blocks of code that would be directives.

    Not where a block holds a whole stop: then its end was forgotten, which is told of it.
    """
    found: list[int] = []
    at = first - 1
    while at < len(raw):
        colons, fence = _COLONS.fullmatch(raw[at]), _fence("", raw[at])
        if not fence:
            at = _after_values(raw, at + 1) if colons and _OPEN.fullmatch(colons[2]) else at + 1
            continue
        end = next((n for n in range(at + 1, len(raw)) if not _fence(fence, raw[n])), None)
        if end is None:
            break
        sections = [n for n in range(at + 1, end) if _SECTION.fullmatch(raw[n])]
        others = [n for n in range(at + 1, end) if _COLONS.fullmatch(raw[n])]
        if not (sections and any("{" in raw[n] for n in others)):
            found += [n + 1 for n in (*sections, *others)]
        at = end + 1
    return found


def _after_values(raw: list[str], at: int) -> int:
    """Behind the values that begin there, in which nothing begins a block of code."""
    begin = next((n for n in range(at, len(raw)) if raw[n].strip()), at)
    if begin < len(raw) and raw[begin].strip() == "---":
        return next((n + 1 for n in range(begin + 1, len(raw)) if raw[n].rstrip() == raw[begin].rstrip()), at)
    return at


def _outdented(lines: list[_Line]) -> list[_Line]:
    """A directive that is indented, which is told of its first line, is read on as if it were not."""
    lines = list(lines)
    for at, line in enumerate(lines):
        indent = len(line.text) - len(line.text.lstrip())
        if line.kind != "open" or not indent:
            continue
        end = next(
            (n for n in range(at, len(lines)) if lines[n].kind == "close" and lines[n].colons == line.colons),
            at,
        )
        for n in range(at, end + 1):
            text = lines[n].text
            lines[n] = replace(lines[n], text=text[:indent].lstrip() + text[indent:])
    return lines
