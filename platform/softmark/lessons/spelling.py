"""Numbers as they can be read in a text: in every usual spelling, and whether one says another.

Two numbers are compared by their digits: 0.4706, 47.06 % and 4.706e-1 are "4706" at one place. Signs do not count,
since a text may put "minus" in words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import pairwise

ENOUGH = 3  # significant digits: what is shorter is read everywhere
_EXACT = Context(prec=17)
_MOST = 60  # characters of a number that is compared

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
_TIGHT = re.compile(r"[\s.,;|&\[\](){}\\:+-]*")


@dataclass(frozen=True)
class Spelled:
    """A number in a text. written: its significant digits as written, zeros at the end included."""

    digits: Digits
    written: int
    text: str


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
    for pattern, dropped in ((_PLAIN, ""), (_GROUPED, ",_' "), (_COMMA, "")):
        for found in pattern.finditer(text):
            said = (
                found["n"].translate(dict.fromkeys(map(ord, dropped)))
                if dropped
                else found["n"].replace(",", ".")
            )
            if len(said) > _MOST:
                continue
            power = int((found["e"] or found["p"] or "0").replace(" ", ""))
            yield from _read(Decimal(said).scaleb(power), said, found, percent=bool(found["percent"]))
    for found in _FRACTION.finditer(text):
        if int(found[2]):
            value = _EXACT.divide(Decimal(found[1]), Decimal(found[2]))
            yield Spelled(digits_of(value), ENOUGH, found[0])


def _read(value: Decimal, said: str, found: re.Match[str], *, percent: bool) -> Iterator[Spelled]:
    written = len(said.replace(".", "").lstrip("0")) or 1
    for each in (value, value.scaleb(-2)) if percent else (value,):
        yield Spelled(digits_of(each), written, found[0].strip())


def digits_of(value: Decimal) -> Digits:
    """Zero is no digits at the place 0."""
    value = abs(value).normalize(_EXACT)
    if not value:
        return "", 0
    return "".join(map(str, value.as_tuple().digits)), value.adjusted()


@dataclass(frozen=True)
class Numbers:
    """The numbers of a text. long: how those of enough digits are written, by their digits; row: all, in order."""

    text: str
    long: Mapping[Digits, str]
    row: tuple[tuple[Digits, int, int], ...]


def numbers_in(text: str) -> Numbers:
    """Of a text that was made plain."""
    long: dict[Digits, str] = {}
    for each in spelled(text):
        if each.written >= ENOUGH:
            long.setdefault(each.digits, each.text)
    row = [
        (digits_of(Decimal(found["n"])), found.start("n"), found.end("n"))
        for found in _PLAIN.finditer(text)
        if len(found["n"]) <= _MOST
    ]
    return Numbers(text, long, tuple(row))


class Wanted:
    """A number that must not be readable: itself, or rounded at three digits or more."""

    def __init__(self, value: Fraction) -> None:
        self._exact = _EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
        self.digits = digits_of(self._exact)
        self.is_long = len(self.digits[0]) >= ENOUGH
        self.spellings = frozenset(self._roundings()) if self.is_long else frozenset({self.digits})

    def _roundings(self) -> Iterable[Digits]:
        for count in range(ENOUGH, 18):
            for way in (ROUND_HALF_EVEN, ROUND_HALF_UP):
                yield digits_of(Context(prec=count, rounding=way).plus(self._exact))

    def said_in(self, numbers: Numbers) -> Iterator[str]:
        """How the text writes it, where it does; what is short is not looked for."""
        if self.is_long:
            yield from (numbers.long[each] for each in self.spellings if each in numbers.long)


def find_run(wanted: Sequence[Wanted], numbers: Numbers) -> str | None:
    """Where the text has just these numbers, one after the other with only signs between them."""
    row, text = numbers.row, numbers.text
    for first in range(len(row) - len(wanted) + 1):
        run = row[first : first + len(wanted)]
        if not all(digits in each.spellings for (digits, _, _), each in zip(run, wanted, strict=True)):
            continue
        if all(_TIGHT.fullmatch(text, end, start) for (_, _, end), (_, start, _) in pairwise(run)):
            return text[run[0][1] : run[-1][2]]
    return None
