"""Numbers as people type them and as pages show them. Exact: what was typed as 0.1 is a tenth.

Nothing is converted before its length is known, so no text can take long.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from softmark.lessons.questions.common import Invalid
from softmark.lessons.questions.wording import quoted, storable

MOST = 64  # characters of a number
LARGEST = Fraction(10) ** 300
SMALLEST = 1 / LARGEST
NARROW = "\N{NARROW NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
HOW = "Type it like 0.25, -1.5, 3/2 or 1e3."

_MINUSES = "\N{MINUS SIGN}\N{EN DASH}\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{SMALL HYPHEN-MINUS}"
_INVISIBLE = "\N{ZERO WIDTH SPACE}\N{WORD JOINER}\N{ZERO WIDTH NO-BREAK SPACE}\N{LEFT-TO-RIGHT MARK}"
_PLAIN = str.maketrans(dict.fromkeys(_MINUSES, "-") | dict.fromkeys(_INVISIBLE, ""))
_FULL_WIDTH = range(0xFF01, 0xFF5F)  # of ! to ~, 0xFEE0 above them
_DECIMAL = re.compile(
    r"(?P<sign>[+-]?) ?(?P<whole>[0-9]{1,3}(?: [0-9]{3})+|[0-9]*)(?:\.(?P<part>[0-9]*))?"
    r"(?:[eE](?P<exponent>[+-]?[0-9]+))?"
)
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3},[0-9]{3}(?:\.[0-9]*)?")


@dataclass(frozen=True)
class Numeral:
    """A number, and how it was typed, but for spaces around it."""

    raw: str
    value: Fraction


def read_number(text: str) -> Numeral:
    """Raises Invalid with how to type it."""
    if len(text) > MOST:
        raise Invalid(f"That is {len(text):,} characters long; a number has at most {MOST}. {HOW}")
    text = text.strip()
    plain = " ".join(_in_ascii(text).split())
    if not plain:
        raise Invalid(f"Nothing is typed yet. {HOW}")
    if not storable(text):
        raise Invalid(f"{quoted(text)} is not a number. {HOW}")
    if "%" in plain:
        raise Invalid(
            f"{quoted(text)}: type a share as a number without a percent sign, like 0.25 for a quarter."
        )
    if "," in plain:
        raise Invalid(_about_commas(text, plain))
    if plain.count("/") > 1:
        raise Invalid(f"{quoted(text)} is divided twice: type one fraction, like 3/2, or a decimal number.")
    numbers = [_decimal(part.strip(), text) for part in plain.split("/")]
    if len(numbers) == 2 and numbers[1] == 0:
        raise Invalid(f"{quoted(text)} divides by 0, which gives no number. {HOW}")
    value = numbers[0] / numbers[1] if len(numbers) == 2 else numbers[0]
    return Numeral(text, _within_reach(value, text))


def number_in(text: str) -> Fraction | None:
    """None where it is no number."""
    try:
        return read_number(text).value
    except Invalid:
        return None


def _in_ascii(text: str) -> str:
    """Digits of any script, full-width signs and the ways to write a minus, as plain ones."""
    return "".join(_ascii(letter) for letter in text.translate(_PLAIN))


def _ascii(letter: str) -> str:
    if letter.isascii():
        return letter
    digit = unicodedata.decimal(letter, None)
    if digit is not None:
        return str(digit)
    return chr(ord(letter) - 0xFEE0) if ord(letter) in _FULL_WIDTH else letter


def _about_commas(text: str, plain: str) -> str:
    if _THOUSANDS.fullmatch(plain) and "." not in plain:
        return (
            f"{quoted(text)} can be read in two ways: type {plain.replace(',', '')} for the whole number, or "
            f"{plain.replace(',', '.')} with a decimal point."
        )
    return f"{quoted(text)}: type thousands without commas, and decimals with a point, like 1234.5."


def _decimal(plain: str, text: str) -> Fraction:
    found = _DECIMAL.fullmatch(plain)
    if not found or not (found["whole"] or found["part"]):
        raise Invalid(f"{quoted(text)} is not a number. {HOW}")
    part = found["part"] or ""
    digits = int(found["whole"].replace(" ", "") + part)
    if digits == 0:
        return Fraction(0)
    exponent = found["exponent"] or "0"
    size = exponent.lstrip("+-0") or "0"
    if len(size) > 3:  # before it is raised to any power
        raise Invalid(_too(small=exponent.startswith("-"), text=text))
    power = int(size) * (-1 if exponent.startswith("-") else 1) - len(part)
    value = digits * Fraction(10) ** power
    return -_within_reach(value, text) if found["sign"] == "-" else _within_reach(value, text)


def _within_reach(value: Fraction, text: str) -> Fraction:
    if value and not SMALLEST <= abs(value) <= LARGEST:
        raise Invalid(_too(small=abs(value) < 1, text=text))
    return value


def _too(*, small: bool, text: str) -> str:
    return f"{quoted(text)} is too {'close to 0' if small else 'large'} to be the answer here. {HOW}"


def exact(value: int | float) -> Fraction | None:
    """The number that a literal stands for, to its last decimal: of 0.1 a tenth. None where nobody could type it."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        number = Fraction(repr(float(value)))  # of a numpy number, too
    else:
        number = Fraction(value)
    return number if number == 0 or SMALLEST <= abs(number) <= LARGEST else None


def number_to_json(value: Fraction) -> int | float | str:
    """The plainest that loses nothing: 3, 0.1, and "1/3" as text."""
    if value.denominator == 1 and abs(value) < 10**16:
        return int(value)
    nearest = float(value)
    return nearest if exact(nearest) == value else str(value)


def number_from_json(kept: int | float | str) -> Fraction:
    return Fraction(repr(kept)) if isinstance(kept, float) else Fraction(kept)


def shown_number(value: Fraction | int | float, allowed: Fraction | None = None) -> str:
    """As a page shows it, and `read_number` reads it: two decimals, or two digits where that would be next to 0.

    allowed: how far off the shown number may be; 0 for not at all. Without it, it is as close as its two decimals.
    Raises ValueError for one that nobody could type, see `exact`.
    """
    number = value if isinstance(value, Fraction) else exact(value)
    if number is None:
        raise ValueError(f"{value} cannot be shown")
    for text, shown in _roundings(abs(number)):
        if allowed is None or abs(shown - abs(number)) <= allowed:
            return f"{MINUS}{text}" if number < 0 and shown else text
    return f"{MINUS if number < 0 else ''}{abs(number)}"  # a fraction like 1/3, or all digits


def _roundings(value: Fraction) -> Iterator[tuple[str, Fraction]]:
    """Ways to write a number of 0 or more, from coarse to fine."""
    if value and not Fraction(1, 10**4) <= value < 10**18:
        for digits in range(3, 18):
            text = _without_padding(f"{float(value):.{digits - 1}e}")
            yield text, Fraction(text)
        return
    first = 2
    if value * 100 < Fraction(1, 2):  # 0.05 is shown as 0.05, and 0.004 not as 0.00
        while value and value * 10**first < 10:
            first += 1
    for places in range(first, first + 20):
        unit = 10**places
        rounded = Fraction(math.floor(value * unit + Fraction(1, 2)), unit)
        yield _written(rounded, places, trimmed=rounded == value), rounded


def _written(value: Fraction, places: int, *, trimmed: bool) -> str:
    """value times 10^places is whole. trimmed: without zeros at the end, which say how far it is known."""
    whole, rest = divmod(int(value * 10**places), 10**places)
    part = f"{rest:0{places}d}"
    if trimmed:
        part = part.rstrip("0")
    shown = f"{whole:,}".replace(",", NARROW) if whole >= 10_000 else str(whole)
    return f"{shown}.{part}" if part else shown


def _without_padding(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent)}"
