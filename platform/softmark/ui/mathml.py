"""LaTeX to MathML that browsers draw and screen readers read."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

from latex2mathml.converter import convert

_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
_CHILDREN = {
    "mfrac": 2, "mover": 2, "mroot": 2, "msub": 2, "msubsup": 3, "msup": 2, "munder": 2, "munderover": 3,
}  # fmt: skip
# Widths that MathML 3 had names for; browsers take lengths only.
_WIDTHS = {
    "veryverythinmathspace": "0.0556em", "verythinmathspace": "0.1111em", "thinmathspace": "0.1667em",
    "mediummathspace": "0.2222em", "thickmathspace": "0.2778em", "verythickmathspace": "0.3333em",
    "veryverythickmathspace": "0.3889em",
}  # fmt: skip
_SIGNS = ("\N{MINUS SIGN}", "-", "+")
_BEFORE_SIGNS = tuple("([{,;:=<>≤≥≈+-−·⋅×/")


class NotMath(ValueError):
    """A formula that cannot be read; the message says what is wrong with it."""


def render(source: str, *, block: bool) -> str:
    """The <math> element for a formula. Raises NotMath."""
    try:
        text = convert(source, display="block" if block else "inline").replace(_NAMESPACE, "", 1)
        root = ElementTree.fromstring(text)
    except Exception as error:  # the converter raises whatever the source leads it into
        raise NotMath("it cannot be read") from error
    for element in root.iter():
        _check(element)
        _join_words(element)
        _mark_letter(element)
        _use_length(element)
        _name_infinity(element)
        _mark_signs(element)
    return ElementTree.tostring(root, encoding="unicode")


def _check(element: ElementTree.Element) -> None:
    unknown = re.match(r"\\\S+", element.text or "")
    if unknown and element.tag != "mtext":
        raise NotMath(f"{unknown[0]} is not known")
    if element.tag == "mi" and element.text in ("{", "}"):
        raise NotMath("its braces do not match")
    if len(element) != _CHILDREN.get(element.tag, len(element)):
        raise NotMath("something in it is left empty")


def _join_words(parent: ElementTree.Element) -> None:
    r"""\mathrm{softmax} comes as seven letters; one <mi> holds them as a word, upright by itself."""
    children = list(parent)
    if len(children) > 1 and all(c.tag == "mi" and c.get("mathvariant") == "normal" for c in children):
        word = "".join(c.text or "" for c in children)
        for child in children:
            parent.remove(child)
        ElementTree.SubElement(parent, "mi").text = word


def _mark_letter(element: ElementTree.Element) -> None:
    """A single letter is set in the italic of the text around, which has it; other signs in a face for formulas."""
    if (
        element.tag == "mi"
        and re.fullmatch("[A-Za-z]", element.text or "")
        and not element.get("mathvariant")
    ):
        element.set("class", "letter")


def _use_length(element: ElementTree.Element) -> None:
    width = element.get("width", "")
    length = _WIDTHS.get(width.removeprefix("negative"))
    if length:
        element.set("width", f"-{length}" if width.startswith("negative") else length)


def _name_infinity(element: ElementTree.Element) -> None:
    """It comes as an operator, with the spaces of one around it."""
    if element.tag == "mo" and element.text == "∞":
        element.tag = "mi"


def _mark_signs(parent: ElementTree.Element) -> None:
    """A minus at the start, or after a bracket or an operator, is a sign, with no space behind it."""
    first = next(iter(parent), None)
    if first is not None and first.tag == "mo" and first.text in _SIGNS and len(parent) > 1:
        first.set("form", "prefix")
    for before, element in pairwise(parent):
        if element.tag == before.tag == "mo" and element.text in _SIGNS and before.text in _BEFORE_SIGNS:
            element.set("form", "prefix")
