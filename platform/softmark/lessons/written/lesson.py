"""What a lesson's file says, once it has been read: plain frozen values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from softmark.lessons.written.yaml_values import Located


@dataclass(frozen=True)
class Text:
    """Markdown between directives. line: of its first line in the file."""

    source: str
    line: int


@dataclass(frozen=True)
class Widget:
    """A widget with its values, not yet checked (see widgets.py)."""

    kind: str
    values: Located
    line: int

    @property
    def data(self) -> str:
        """The name of the file beside the lesson that it shows, or nothing."""
        name = self.values.value.get("data")
        return name if isinstance(name, str) else ""

    @property
    def alt(self) -> str:
        text = self.values.value.get("alt")
        return text if isinstance(text, str) else ""


KINDS = ("lesson", "quiz")

Block = Text | Widget
Blocks = tuple[Block, ...]


@dataclass(frozen=True)
class Branch:
    """What is said after the reveal to those who gave this answer, as it is written."""

    answer: str
    blocks: Blocks
    line: int


@dataclass(frozen=True)
class Predict:
    """A stop: its prompt is shown before the commit; its reveal and branches only after."""

    id: str
    values: Located
    prompt: Blocks
    reveal: Blocks
    branches: tuple[Branch, ...]
    line: int

    @property
    def behind(self) -> Iterator[Block]:
        """All that only a commit opens."""
        yield from self.reveal
        for branch in self.branches:
            yield from branch.blocks


@dataclass(frozen=True)
class Part:
    """What is handed over at once: blocks, then the stop that closes it; the last part may have none."""

    blocks: Blocks
    predict: Predict | None


@dataclass(frozen=True)
class Lesson:
    """A lesson, with the files beside it that it names.

    minutes: how long it takes to read, as its author says.
    kind:    what its pages call it: one of KINDS.
    head:    the values at its top, for their lines.
    data:    by name, the bytes of the files of its widgets and images; they travel with their part.
    text:    that of its file, with the line ends \\n and no byte order mark.
    """

    file: str
    id: str
    title: str
    minutes: int
    summary: str
    parts: tuple[Part, ...]
    kind: str = "lesson"
    head: Located = field(default_factory=Located, repr=False, hash=False)
    data: Mapping[str, bytes] = field(default_factory=dict, repr=False, hash=False)
    text: str = field(default="", repr=False)

    @property
    def predicts(self) -> tuple[Predict, ...]:
        return tuple(part.predict for part in self.parts if part.predict is not None)

    @property
    def blocks(self) -> Iterator[Block]:
        """All of them, in the order of the file."""
        for part in self.parts:
            yield from part.blocks
            if part.predict is not None:
                yield from part.predict.prompt
                yield from part.predict.behind
