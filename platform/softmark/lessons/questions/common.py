"""What every type of question offers: reading an answer, grading it, keeping it, and showing it.

An answer is read before it is graded, and reading raises `Invalid` where nothing can be graded: that is no commit,
and costs nothing. What was read is plain data that knows neither the key nor the database.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

Complain: TypeAlias = Callable[[str], None]
"""Takes one sentence about what is wrong with a directive."""

Seal: TypeAlias = Callable[[str], str]
"""From the id that an author gave an option to the opaque one under which it travels in one draw."""

Json: TypeAlias = dict[str, Any]

Settings = TypeVar("Settings")
Response = TypeVar("Response")
Key = TypeVar("Key")


class Invalid(Exception):
    """An answer that cannot be taken as one. Its text tells the learner what to type."""


class Source(StrEnum):
    """Where a mark comes from."""

    RULE = "rule"
    SELF = "self"
    TA = "ta"


@dataclass(frozen=True)
class Mark:
    """share: of the credit, from 0 to 1. right: all of it. error: which well-known wrong answer it is, by name.

    A mark of source SELF is for having written something: nobody has judged it.
    """

    share: Fraction
    error: str | None = None
    source: Source = Source.RULE

    @property
    def right(self) -> bool:
        return self.share == 1


RIGHT = Mark(Fraction(1))


def wrong(error: str | None = None) -> Mark:
    """No credit."""
    return Mark(Fraction(0), error)


class QuestionType(ABC, Generic[Settings, Response, Key]):
    """One type of question. It holds nothing itself: settings come from a directive, keys from it or a reference.

    settings_keys: what a directive of this type may say beside what all may say (type, given, answer, ...).
    secret_keys:   which of these must not be seen before the commit.
    takes_answer:  whether a directive must say what is right.
    between:       what stands between the texts of an answer where they are written as one.
    """

    name: ClassVar[str]
    settings_keys: ClassVar[frozenset[str]]
    secret_keys: ClassVar[frozenset[str]] = frozenset()
    takes_answer: ClassVar[bool] = True
    between: ClassVar[str] = ""

    @abstractmethod
    def settings(self, raw: Mapping[str, Any], complain: Complain) -> Settings | None:
        """The settings in a directive's YAML, of which keys that are not this type's are left alone.

        Complains of everything that is wrong, and is None then.
        """

    @abstractmethod
    def key(self, value: Any, settings: Settings, complain: Complain) -> Key | None:
        """What is right: as an author wrote it, or as a reference computed it. Complains, and is None, as above."""

    def mistake(self, value: Any, settings: Settings) -> Key | None:
        """What a well-known mistake gives, which may break rules that hold for a right answer only.

        None where nobody could answer it.
        """
        return self.key(value, settings, lambda _: None)

    @abstractmethod
    def read(self, posted: Sequence[str], settings: Settings, seal: Seal) -> Response:
        """The answer in what a form posted under the question's name. Raises Invalid, and nothing else."""

    @abstractmethod
    def grade(self, response: Response, key: Key, settings: Settings) -> Mark:
        """How right an answer is."""

    def mark(
        self, response: Response, key: Key, settings: Settings, mistakes: Mapping[str, Key] | None = None
    ) -> Mark:
        """As `grade`, and names the first of the mistakes that gives just this answer: by name, what it would give.

        They say more than the names that `grade` gives, so they come first.
        """
        mark = self.grade(response, key, settings)
        if mark.right:
            return mark
        for name, given in (mistakes or {}).items():
            if self.grade(response, given, settings).right:
                return replace(mark, error=name)
        return mark

    def errors(self, settings: Settings) -> frozenset[str]:
        """The names that `grade` may give to a wrong answer."""
        return frozenset()

    def understands(self, said: str, settings: Settings) -> bool:
        """Whether a reveal's text can be for the answer `said`, as in "if answer=river"."""
        return False

    def matches(self, said: str, response: Response, settings: Settings) -> bool:
        """Whether the answer is the one `said`; False wherever it is not understood."""
        return False

    def all_right(self, said: str, key: Key, settings: Settings) -> bool | None:
        """Whether all whose answer is the one `said` are right; None where some are and some are not."""
        return False

    @abstractmethod
    def response_texts(self, response: Response, settings: Settings) -> tuple[str, ...]:
        """The answer as pages show it: texts of which each is read by itself, since any may hold signs and Markdown."""

    @abstractmethod
    def key_texts(self, key: Key, settings: Settings) -> tuple[str, ...]:
        """What is right, in the same way."""

    def show_response(self, response: Response, settings: Settings) -> str:
        """The answer as one text, as a file for spreadsheets has it."""
        return self.between.join(self.response_texts(response, settings))

    def show_key(self, key: Key, settings: Settings) -> str:
        """What is right, as one text."""
        return self.between.join(self.key_texts(key, settings))

    def fill_in(self, key: Key, settings: Settings) -> str:
        """What is right, as a reveal fills it in: in a formula, too."""
        return self.show_key(key, settings)

    @abstractmethod
    def response_to_json(self, response: Response) -> Json: ...

    @abstractmethod
    def response_from_json(self, kept: Json) -> Response: ...

    @abstractmethod
    def key_to_json(self, key: Key) -> Json: ...

    @abstractmethod
    def key_from_json(self, kept: Json) -> Key: ...


def the_only(posted: Sequence[str], ask: str) -> str:
    """The one text that a form posted. Raises Invalid: with what to do, `ask`, where there is none."""
    if not posted or not any(text.strip() for text in posted[:2]):
        raise Invalid(ask)
    if len(posted) > 1:
        raise Invalid(f"One answer is asked for, and {len(posted):,} came. {ask}")
    return posted[0]
