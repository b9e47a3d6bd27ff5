"""assignment.toml: from its text to checks, mistakes and limits, with every fault told at once."""

from __future__ import annotations

import keyword
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from grader.assignment.folder import MANIFEST
from grader.assignment.lines import TOP, Lines
from grader.assignment.model import CheckSpec, Limits, MistakeSpec, Problems
from grader.assignment.section import Section
from grader.assignment.wording import did_you_mean, kind, quoted
from grader.interface import ONE_ARRAY, ClassForm, Device, Returns, parameters_of
from grader.report import Visibility, shown_points

MAX_MANIFEST_CHARACTERS = 64 * 1024
MAX_CHECKS = 100
MAX_MISTAKES = 200
MAX_RETURNED = 8
CUDA_LOAD_SECONDS = 40.0  # by default: a fresh process has to import CuPy and to start the GPU
# tomllib needs quadratic time for a key of many dotted parts: 60,000 of them took a minute and a half.
MAX_DOTS_IN_A_LINE = 500

_TOP_KEYS = (
    "slug", "title", "summary", "lesson", "function", "signature", "returns", "points", "device", "class", "limits",
    "checks", "mistakes", "public_only",
)  # fmt: skip
_CLASS_KEYS = ("name", "init", "method")
_CHECK_KEYS = ("id", "title", "points", "visibility", "timed")
_MISTAKE_KEYS = ("id", "hint", "same_as")
_LIMIT_KEYS = ("call_seconds", "load_seconds", "total_seconds", "memory_mb")


@dataclass(frozen=True)
class Manifest:
    """What the manifest says. A value that is missing or wrong is empty or 0, and a problem."""

    slug: str
    title: str
    summary: str
    function: str
    signature: str
    points: Decimal
    limits: Limits
    checks: tuple[CheckSpec, ...]
    mistakes: tuple[MistakeSpec, ...]
    announced_mistakes: frozenset[str]  # every id that was written, also of entries with a fault
    returns: Returns
    class_form: ClassForm | None
    device: Device
    lesson: str
    public_only: bool


def read_manifest(text: str, problems: Problems) -> Manifest | None:
    """None where the text is not TOML at all."""
    data = _parse(text, problems)
    if data is None:
        return None
    lines = Lines(text)
    top = Section("The assignment", TOP, data, lines, problems)
    top.refuse_unknown(_TOP_KEYS)
    slug = top.id("slug")
    title, summary = top.text("title", 120), top.text("summary", 300)
    function, signature = _function(top)
    points = top.points("points", least=Decimal("0.001"))
    lesson = top.id("lesson") if top.has("lesson") else ""
    device = (top.one_of("device", Device) if top.has("device") else None) or Device.CPU
    limits = _limits(data, device, lines, problems)
    checks = _checks(top, data, lines, problems)
    mistakes = _mistakes(top, data, lines, problems)
    _compare_points(top, points, checks, _count(data, "checks"))
    announced = frozenset(_ids(data, "mistakes"))
    total = points or Decimal(0)
    return Manifest(
        slug, title, summary, function, signature, total, limits, checks, mistakes, announced, _returns(top),
        _class_form(data, function, signature, lines, problems), device, lesson,
        top.flag("public_only"),
    )  # fmt: skip


def _parse(text: str, problems: Problems) -> dict[str, Any] | None:
    if len(text) > MAX_MANIFEST_CHARACTERS:
        problems.add(
            MANIFEST,
            None,
            f"This file is longer than {MAX_MANIFEST_CHARACTERS} characters, the most allowed.",
        )
        return None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MAX_DOTS_IN_A_LINE:
            problems.add(
                MANIFEST, number, f"This line has more than {MAX_DOTS_IN_A_LINE} dots. Break it into several."
            )
            return None
    try:
        return tomllib.loads(text, parse_float=_exact)
    except RecursionError:
        problems.add(MANIFEST, None, "Lists or tables are nested far too deep in this file.")
    except ValueError as error:  # tomllib's own error is one; so is a number with thousands of digits
        message = str(error).rstrip(".")
        place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
        reason = message[: place.start()] if place else message
        at = int(place[1]) if place and place[1] else None
        if place and at is None:
            at = text.rstrip().count("\n") + 1
        problems.add(
            MANIFEST,
            at,
            f"This is not valid TOML, so the rest was not looked at. {quoted(reason, 200)[1:-1]}.",
        )
    return None


def _exact(digits: str) -> Decimal:
    try:
        return Decimal(digits)
    except ArithmeticError:  # an exponent beyond what decimals can hold
        return Decimal("nan")


def _function(top: Section) -> tuple[str, str]:
    name, signature = top.text("function", 80), top.text("signature", 300)
    if name and not _is_name(name):
        top.complain(
            f'"function" is {quoted(name)}, which cannot be the name of a Python function.', "function"
        )
        return "", signature
    if name and signature and f"{name}(" not in signature:
        top.complain(f'"signature" must show how {name} is called, like "{name}(…)".', "signature")
        return name, ""
    return name, signature


def _returns(top: Section) -> Returns:
    """One array, or the names of those in a tuple: ["output", "weights?"]; what has a question mark may be left out."""
    names = top.texts("returns", 40)
    if not names:
        return ONE_ARRAY
    plain = tuple(name.removesuffix("?") for name in names)
    optional = [name.endswith("?") for name in names]
    if len(names) > MAX_RETURNED:
        top.complain(f'"returns" names more than {MAX_RETURNED} arrays, the most allowed.', "returns")
    elif wrong := [name for name in plain if not _is_name(name)]:
        top.complain(f'"returns" holds {quoted(wrong[0])}, which is no name as in Python.', "returns")
    elif len(set(plain)) < len(plain):
        top.complain('"returns" has a name twice.', "returns")
    elif optional != sorted(optional) or optional[0]:
        top.complain('"returns": only the last may be left out ("?"), and not the first.', "returns")
    else:
        return Returns(plain, optional.count(False))
    return ONE_ARRAY


def _class_form(
    data: dict[str, Any], function: str, signature: str, lines: Lines, problems: Problems
) -> ClassForm | None:
    """The class that a submission may define instead of the function."""
    table = data.get("class")
    if table is None:
        return None
    if not isinstance(table, dict):
        problems.add(
            MANIFEST, lines.of(TOP, "class"), f'"class" must be a table, written [class], not {kind(table)}.'
        )
        return None
    section = Section("[class]", ("class", 0), table, lines, problems)
    section.refuse_unknown(_CLASS_KEYS, elsewhere=_TOP_KEYS)
    name, method = section.text("name", 80), section.text("method", 80)
    init = section.texts("init", 80)
    for key, value in (("name", name), ("method", method)):
        if value and not _is_name(value):
            section.complain(f'[class]: "{key}" is {quoted(value)}, which is no name as in Python.', key)
            return None
    if name and name == function:
        section.complain('[class]: "name" is that of the function. Give the class its own.', "name")
        return None
    parameters = parameters_of(signature) if signature else ()
    if parameters is None:
        section.complain(f'A [class] needs a "signature" that reads like "{function}(q, k=None)".')
        return None
    for each in init:
        if signature and each not in parameters:
            advice = did_you_mean(each, parameters) or f" It has: {', '.join(parameters)}."
            section.complain(f"[class]: the signature has no parameter {quoted(each)}.{advice}", "init")
            return None
    return ClassForm(name, init, method, parameters) if name and method else None


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier() and not keyword.iskeyword(text)


def _limits(data: dict[str, Any], device: Device, lines: Lines, problems: Problems) -> Limits:
    usual = replace(Limits(), load_seconds=CUDA_LOAD_SECONDS) if device is Device.CUDA else Limits()
    table = data.get("limits", {})
    if not isinstance(table, dict):
        problems.add(
            MANIFEST,
            lines.of(TOP, "limits"),
            f'"limits" must be a table, written [limits], not {kind(table)}.',
        )
        return usual
    section = Section("[limits]", ("limits", 0), table, lines, problems)
    section.refuse_unknown(_LIMIT_KEYS, elsewhere=_TOP_KEYS)
    limits = Limits(
        call_seconds=section.limit("call_seconds", usual.call_seconds, 0.05, 60, "seconds"),
        load_seconds=section.limit("load_seconds", usual.load_seconds, 0.5, 60, "seconds"),
        total_seconds=section.limit("total_seconds", usual.total_seconds, 0.5, 300, "seconds"),
        memory_mb=int(section.limit("memory_mb", usual.memory_mb, 64, 8192, "megabytes", whole=True)),
    )
    if limits.call_seconds > limits.total_seconds:
        section.complain(
            f'[limits]: one call may take {limits.call_seconds:g} seconds ("call_seconds"), '
            f'but all together only {limits.total_seconds:g} ("total_seconds").',
            "call_seconds",
        )
    return limits


def _checks(top: Section, data: dict[str, Any], lines: Lines, problems: Problems) -> tuple[CheckSpec, ...]:
    checks, hidden = [], ""
    for section in _sections("checks", "check", data, lines, problems):
        section.refuse_unknown(_CHECK_KEYS, elsewhere=_TOP_KEYS)
        identity, title = section.id(), section.text("title", 160)
        points = section.points("points", least=Decimal(0))
        visibility, timed = section.one_of("visibility", Visibility), section.flag("timed")
        if visibility is Visibility.PUBLIC and hidden:
            # What a submission keeps from a hidden check it can say in a public one, which shows its words.
            section.complain(
                f"{section.called} is public and stands after {hidden}. Put public checks first."
            )
        if visibility in (Visibility.AFTER_DUE, Visibility.NEVER) and not hidden:
            hidden = f"{section.called[:1].lower()}{section.called[1:]}, which is not"
        if identity and title and points is not None and visibility:
            checks.append(CheckSpec(identity, title, points, visibility, timed))
    if _count(data, "checks") == 0:
        top.complain("The assignment has no checks. Add at least one [[checks]].", "checks")
    elif _count(data, "checks") > MAX_CHECKS:
        top.complain(f"The assignment has more than {MAX_CHECKS} checks, the most allowed.", "checks")
    return tuple(checks)


def _mistakes(
    top: Section, data: dict[str, Any], lines: Lines, problems: Problems
) -> tuple[MistakeSpec, ...]:
    ids = _ids(data, "mistakes")
    found: list[tuple[str, str]] = []
    alike: dict[str, set[str]] = {}
    for section in _sections("mistakes", "mistake", data, lines, problems):
        section.refuse_unknown(_MISTAKE_KEYS, elsewhere=_TOP_KEYS)
        identity, hint = section.id(), section.text("hint", 1000, one_line=False)
        for other in section.ids("same_as"):
            if other == identity:
                section.complain(f'{section.called}: "same_as" names the mistake itself.', "same_as")
            elif other not in ids:
                advice = did_you_mean(other, ids) or " List only ids of other [[mistakes]]."
                section.complain(
                    f'{section.called}: "same_as" names {quoted(other)}, which is unknown.{advice}', "same_as"
                )
            elif identity:
                _join(alike, identity, other)
        if identity and hint:
            found.append((identity, hint))
    if _count(data, "mistakes") > MAX_MISTAKES:
        top.complain(f"The assignment has more than {MAX_MISTAKES} mistakes, the most allowed.", "mistakes")
    return tuple(MistakeSpec(id, hint, frozenset(alike.get(id, {id}) - {id})) for id, hint in found)


def _join(alike: dict[str, set[str]], one: str, other: str) -> None:
    """Being the same goes both ways and along chains, so it is enough that one mistake says it."""
    together = alike.get(one, {one}) | alike.get(other, {other})
    for member in together:
        alike[member] = together


def _compare_points(
    top: Section, total: Decimal | None, checks: tuple[CheckSpec, ...], announced: int
) -> None:
    # With a check left out for another fault, the sum would only confuse.
    if total is None or not checks or len(checks) != announced:
        return
    added = sum((check.points for check in checks), Decimal(0))
    if added != total:
        top.complain(
            f"The points of the checks add up to {shown_points(added)}, "
            f"but the assignment is worth {shown_points(total)}. Make them equal.",
            "points",
        )


def _sections(
    name: str, called: str, data: dict[str, Any], lines: Lines, problems: Problems
) -> Iterator[Section]:
    """A section for each [[name]], and a problem for each id that comes twice."""
    entries = data.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        wrong = kind(entries) if not isinstance(entries, list) else "a list of something else"
        problems.add(
            MANIFEST, lines.of((name, 0)), f'"{name}" must be tables, each written [[{name}]], not {wrong}.'
        )
        return
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        id_ = entry.get("id")
        label = (
            f"The {called} {quoted(id_)}"
            if isinstance(id_, str) and id_.strip()
            else f"{called.title()} {index + 1}"
        )
        section = Section(label, (name, index), entry, lines, problems)
        if isinstance(id_, str):
            if id_ in seen:
                section.complain(f"{label} is there twice. Give each its own id.", "id")
            seen.add(id_)
        yield section


def _ids(data: dict[str, Any], name: str) -> set[str]:
    entries = data.get(name)
    tables = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return {table["id"] for table in tables if isinstance(table.get("id"), str)}


def _count(data: dict[str, Any], name: str) -> int:
    """How many entries the manifest has, right or wrong; -1 where the key is not a list at all."""
    entries = data.get(name, [])
    return len(entries) if isinstance(entries, list) else -1
