"""How far off a number may be and still be right."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from softmark.lessons.questions.common import Complain
from softmark.lessons.questions.numerals import shown_number
from softmark.lessons.questions.raw import Raw

MOST_DIGITS = 6  # of a number that somebody could type exactly


@dataclass(frozen=True)
class Tolerance:
    """A number s is right where t is iff abs(s - t) <= max(atol, rtol * abs(t)); both in the decimals typed."""

    atol: Fraction = Fraction(0)
    rtol: Fraction = Fraction(0)

    def allowed(self, t: Fraction) -> Fraction:
        return max(self.atol, self.rtol * abs(t))

    def holds(self, s: Fraction, t: Fraction) -> bool:
        return abs(s - t) <= self.allowed(t)

    def reaches(self, t: Fraction) -> bool:
        """Whether somebody could type the number t, or one near enough."""
        return bool(self.atol or self.rtol) or _digits(t) <= MOST_DIGITS

    def suits(self, t: Fraction, complain: Complain) -> bool:
        """Whether t can be what is right."""
        if t == 0 and self.rtol and not self.atol:
            complain(
                'The answer can be 0, and there a relative tolerance allows nothing: give "atol" as well.'
            )
            return False
        if not self.reaches(t):
            complain(
                f"The answer {shown_number(t)}… has more digits than anybody types, and nothing says how far off is "
                'right: give "atol" or "rtol".'
            )
            return False
        return True


EXACT = Tolerance()


def read_tolerance(raw: Raw) -> Tolerance:
    """From "atol" and "rtol"; where neither is said, only the number itself is right."""
    atol, rtol = raw.number("atol"), raw.number("rtol")
    if rtol is not None and rtol >= 1:
        raw.complain('"rtol" must be less than 1: at 1, everything from 0 to twice the answer is right.')
    return Tolerance(atol or Fraction(0), rtol or Fraction(0))


def _digits(t: Fraction) -> int:
    """Of a number that is not whole, in decimals; a fraction of few digits counts as what it is typed as."""
    if t.denominator == 1:
        return 0
    as_fraction = len(str(abs(t.numerator))) + len(str(t.denominator))
    places = max(t.denominator.bit_length(), 1)
    if 10**places % t.denominator:
        return as_fraction
    return min(as_fraction, len(str(abs(t.numerator) * 10**places // t.denominator).rstrip("0")))
