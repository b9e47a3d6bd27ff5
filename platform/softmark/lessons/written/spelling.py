"""Numbers as they can be read in a text: in every usual spelling, and whether one says another.

A long number says another by its digits: 0.4706, 47.06 % and 4.706e-1 are "4706" at one place; or by being near enough
to count as right. Short ones say something together, in a run. Signs do not count, since a text may put "minus" in
words.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from softmark.lessons.questions.tolerance import EXACT, Tolerance

ENOUGH = 3  # significant digits: what is shorter is read everywhere
_EXACT = Context(prec=17)
_MOST = 60  # characters of a number that is compared
_MOST_POWER = 300
_NOTHING = 1e-9  # of a number: what reckoning with floats may be off

Digits = tuple[str, int]  # significant digits without zeros at the end, and the power of ten of the first

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED = re.compile("[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LATEX = (
    (re.compile(r"\{([,.])\}"), r"\1"), (re.compile(r"\\[,;: !]"), " "), (re.compile(r"\\([%_.])"), r"\1"),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\[dt]?frac\s*\{\s*(\d{1,30})\s*\}\s*\{\s*(\d{1,30})\s*\}"), r" \1/\2 "),
)  # fmt: skip
_POWER = (
    r"(?:[eE](?P<e>[+-]?\d{1,3})(?!\d)"
    r"|\s?[×·*x]\s?10\s?(?:\^|\*\*)\s?[({]?\s?(?P<p>[+-]?\s?\d{1,3})(?!\d)[)}]?)?"
    r"(?P<percent>\s?(?:%|per ?cent\b))?"
)
_PLAIN = re.compile(r"(?P<n>\d+(?:\.\d+)?|\.\d+)" + _POWER)
_GROUPED = re.compile(r"(?<!\d)(?P<n>\d{1,3}(?:(?P<s>[,_' ])\d{3})(?:(?P=s)\d{3})*(?!\d)(?:\.\d+)?)" + _POWER)
_COMMA = re.compile(r"(?<![\d.,])(?P<n>\d+,\d+)(?![\d,])" + _POWER)
_FRACTION = re.compile(r"(?<![\d/.])(\d{1,30})\s?[/⁄∕]\s?(\d{1,30})(?![\d/])")
_LABEL = re.compile(r"(?:[^\W\d]|[_^]\{)\Z")  # what stands before it makes a number part of a name: w_2, h1
_WORD = re.compile(r"\w+(?:['-]\w+)*")
_JOINING = frozenset({"and", "or", "then"})
_MOST_WORDS, _MOST_BETWEEN = 2, 60
_RECKONS = frozenset("×·÷^<>!?§")  # between two numbers of a run stands none of these,
_EQUALS = frozenset("=*")  # and of these only with a word: river = 0.47;
_BRACKETS = frozenset("[]")  # "[0, 0], river [2, 0]" are two vectors, or two rows of a matrix


@dataclass(frozen=True)
class Spelled:
    """A number in a text, without its sign.

    written: its significant digits as written, zeros at the end included. half: of what the last digit counts that is
    told; 0 where so few are that it rounds nothing. way: how it is read. hundredths: what is written before a percent.
    """

    value: Decimal
    written: int
    half: float
    way: str
    text: str
    start: int
    end: int
    percent: bool = False
    hundredths: bool = False

    @property
    def digits(self) -> Digits:
        return digits_of(self.value)

    @cached_property
    def size(self) -> float:
        return float(self.value)


def plain(text: str) -> str:
    """The text with every digit, minus and space as ASCII has them, and without signs that nobody sees."""
    text = _RAISED.sub(lambda found: "^" + found[0].translate(_SUPERSCRIPTS), text)
    text = unicodedata.normalize("NFKC", text)
    kept = []
    for letter in text:
        if letter.isascii():
            kept.append(letter)
        elif unicodedata.category(letter) == "Cf":
            continue
        elif letter in "−–‐‑":
            kept.append("-")
        elif letter.isspace():
            kept.append(" ")
        elif letter in "’ʼ":
            kept.append("'")
        else:
            digit = unicodedata.decimal(letter, None)
            kept.append(letter if digit is None else str(digit))
    text = "".join(kept)
    for wanted, instead in _LATEX:
        text = wanted.sub(instead, text)
    return text


def spelled(text: str) -> Iterator[Spelled]:
    """Every number that the text, made plain, can be read to hold; one text may be read as several."""
    for way, pattern, dropped in (
        ("plain", _PLAIN, ""),
        ("grouped", _GROUPED, ",_' "),
        ("comma", _COMMA, ""),
    ):
        for found in pattern.finditer(text):
            said = (
                found["n"].translate(dict.fromkeys(map(ord, dropped)))
                if dropped
                else found["n"].replace(",", ".")
            )
            power = int("".join((found["e"] or found["p"] or "0").split()))
            if len(said) <= _MOST and abs(power) <= _MOST_POWER:
                yield from _read(Decimal(said), power, way, found)
    for found in _FRACTION.finditer(text):
        if int(found[2]):
            value = _EXACT.divide(Decimal(found[1]), Decimal(found[2]))
            yield Spelled(value, ENOUGH, 0, "fraction", found[0], *found.span())


def _read(said: Decimal, power: int, way: str, found: re.Match[str]) -> Iterator[Spelled]:
    digits, exponent = said.as_tuple().digits, int(said.as_tuple().exponent)
    written = len("".join(map(str, digits)).lstrip("0")) or 1
    if exponent == 0 and said:  # zeros at the end may be told, or only fill up
        kept = "".join(map(str, digits)).strip("0")
        exponent = len(str(said)) - len(str(said).rstrip("0")) if len(kept) > 1 else -_MOST_POWER
    half = float(Decimal(f"5e{exponent + power - 1}")) if said else 0.0
    percent = bool(found["percent"])
    value = said.scaleb(power)
    yield Spelled(value, written, half, way, found[0].strip(), *found.span(), percent)
    if percent:
        yield Spelled(
            value.scaleb(-2), written, half / 100, way, found[0].strip(), *found.span(), percent, True
        )


def digits_of(value: Decimal) -> Digits:
    """Zero is no digits at the place 0."""
    value = abs(value).normalize(_EXACT)
    if not value:
        return "", 0
    return "".join(map(str, value.as_tuple().digits)), value.adjusted()


@dataclass(frozen=True)
class Numbers:
    """The numbers of a text.

    long: how those of enough digits are written, by their digits. sizes: the same from small to large, but for those
    like 1000, which a wide tolerance would find everywhere.
    rows: all in their order, for each way in which the text can be read.
    """

    text: str
    long: Mapping[Digits, str]
    sizes: tuple[tuple[float, str], ...]
    rows: tuple[tuple[Spelled, ...], ...]


def numbers_in(text: str) -> Numbers:
    """Of a text that was made plain."""
    found = list(spelled(text))
    long = {each.digits: each for each in reversed(found) if each.written >= ENOUGH}
    return Numbers(
        text,
        {digits: each.text for digits, each in long.items()},
        tuple(sorted((each.size, each.text) for each in long.values() if len(each.digits[0]) > 1)),
        tuple(dict.fromkeys(_row(found, ways, text) for ways in _READINGS)),
    )


# At each place the first way that fits.
_READINGS = (("plain",), ("fraction", "grouped", "plain"), ("comma", "plain"))


def _row(found: Iterable[Spelled], ways: Sequence[str], text: str) -> tuple[Spelled, ...]:
    fitting = [each for each in found if each.way in ways and not each.hundredths]
    row: list[Spelled] = []
    end = 0
    for each in sorted(fitting, key=lambda each: (each.start, ways.index(each.way))):
        if each.start >= end and not _LABEL.search(text, max(each.start - 2, 0), each.start):
            row.append(each)
            end = each.end
    return tuple(row)


class Wanted:
    """A number that must not be readable: itself, or rounded at three digits or more, or what counts as right."""

    def __init__(self, value: Fraction, tolerance: Tolerance = EXACT) -> None:
        self._exact = abs(_EXACT.divide(Decimal(value.numerator), Decimal(value.denominator)))
        self._size = float(self._exact)
        self._allowed = max(float(tolerance.allowed(value)), _NOTHING * self._size)
        self.digits = digits_of(self._exact)
        self.is_long = len(self.digits[0]) >= ENOUGH
        self._spellings = frozenset(self._roundings()) if self.is_long else frozenset()

    def _roundings(self) -> Iterable[Digits]:
        for count in range(ENOUGH, 18):
            for way in (ROUND_HALF_EVEN, ROUND_HALF_UP):
                yield digits_of(Context(prec=count, rounding=way).plus(self._exact))

    def said_in(self, numbers: Numbers) -> Iterator[str]:
        """How the text writes it, where it does; what is short is not looked for."""
        if not self.is_long:
            return
        yield from (numbers.long[each] for each in self._spellings if each in numbers.long)
        # it may itself be a rounding of what the text says
        places = -int(self._exact.normalize().as_tuple().exponent)
        near = max(self._allowed, 0.5 * 10**-places if 0 <= places < 17 else 0)
        first = bisect_left(numbers.sizes, (self._size - near,))
        for size, text in numbers.sizes[first:]:
            if size > self._size + near:
                break
            yield text

    def is_told_by(self, said: Spelled, share: float) -> bool:
        """Whether a number of a run says it: would be right, or is it rounded. share: of what is written there."""
        off = abs(said.size * share - self._size)
        return off <= self._allowed or off <= said.half * share


def find_run(wanted: Sequence[Wanted], numbers: Numbers, *, in_rows: bool) -> str | None:
    """Where the text has just these numbers, one after the other with only signs and a few words between them.

    Those of few digits say little, so together they must have enough. in_rows: whether they are a matrix.
    """
    for row in numbers.rows:
        for first in range(len(row) - len(wanted) + 1):
            if not any(wanted[0].is_told_by(row[first], share) for share in (1.0, 0.01)):
                continue  # nearly all of them
            run = row[first : first + len(wanted)]
            for share in (1.0, 0.01) if run[-1].percent else (1.0,):
                if (
                    all(each.is_told_by(said, share) for said, each in zip(run, wanted, strict=True))
                    and sum(len(said.digits[0]) or 1 for said in run) >= ENOUGH
                    and all(_is_between(numbers.text[a.end : b.start], in_rows) for a, b in pairwise(run))
                ):
                    return numbers.text[run[0].start : run[-1].end].strip()
    return None


def _is_between(text: str, in_rows: bool) -> bool:
    words = [word for word in _WORD.findall(text) if word.casefold() not in _JOINING]
    signs = set(text)
    return (
        len(text) <= _MOST_BETWEEN
        and len(words) <= _MOST_WORDS
        and not _RECKONS & signs
        and not (_EQUALS & signs and not words)
        and (in_rows or not (words and signs >= _BRACKETS))
    )
