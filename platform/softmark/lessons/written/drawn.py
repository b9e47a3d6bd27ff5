"""A stop as a question: its type, settings and every variant, with the key and the facts of each.

Where something is wrong it is complained of, and reading goes on as far as it can.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.assignment.model import Problems
from grader.assignment.wording import did_you_mean, quoted
from softmark.lessons.questions import TYPES, QuestionType
from softmark.lessons.variants import GENERATORS, MOST_VARIANTS, REFERENCES, Misgiven, Reckoned, all_variants
from softmark.lessons.written.fields import Fields, said
from softmark.lessons.written.lesson import Predict

_KEYS = ("type", "answer", "given", "variants", "spoiler_ok")
_QUOTED = re.compile(r'"([a-z_]+)"')


@dataclass(frozen=True)
class Variant:
    """key: None where nothing is right or wrong, or where it could not be had.

    facts: what a reveal may fill in, {{ key }} included; a prompt only what is `given`.
    """

    given: Mapping[str, Any]
    key: Any
    facts: Mapping[str, Any]
    mistakes: Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """variants: all there are; of a question without variants the only one.

    reckoned: whether they have their keys and facts; not where one could not be had.
    """

    predict: Predict
    type: QuestionType[Any, Any, Any]
    settings: Any
    variants: tuple[Variant, ...]
    reckoned: bool

    @property
    def waived(self) -> bool:
        """Whether its author says why its answer may be read before."""
        return bool(self.predict.values.value.get("spoiler_ok"))


def read_question(predict: Predict, file: str, problems: Problems) -> Question | None:
    """None where the type is unknown; then nothing else can be told of it."""
    if predict.values.unread:
        return None
    fields = Fields(f"The stop {quoted(predict.id)}", file, predict.values, problems)
    name = fields.text("type", 40)
    kind = TYPES.get(name)
    if kind is None:
        if name:
            advice = did_you_mean(name, TYPES) or f" There are: {', '.join(TYPES)}."
            fields.complain(f"there is no type {quoted(name)}.{advice}", "type")
        return None
    fields.refuse_unknown((*_KEYS, *sorted(kind.settings_keys)))
    if fields.has("spoiler_ok"):
        fields.text("spoiler_ok", 300)
    settings = kind.settings(predict.values.value, _placed(fields))
    return Question(predict, kind, settings, *_variants(kind, settings, fields))


def _placed(fields: Fields, *otherwise: str) -> Callable[[str], None]:
    """Takes sentences of a type, which name values in quotes: such a one is told at the line of the first."""

    def complain(sentence: str) -> None:
        named = [name for name in _QUOTED.findall(sentence) if fields.has(name)]
        fields.complain(sentence, *(named[:1] or otherwise))

    return complain


def _variants(
    kind: QuestionType[Any, Any, Any], settings: Any, fields: Fields
) -> tuple[tuple[Variant, ...], bool]:
    """And whether each could be reckoned."""
    given = _given(fields)
    answer = fields.get("answer")
    reference = _reference(answer, fields)
    if kind.takes_answer and not fields.has("answer"):
        fields.complain('there is no "answer": give it, or a reference, {ref: …}.')
    literal = fields.has("answer") and not isinstance(answer, dict)
    if literal and fields.has("variants"):
        fields.complain(
            'the numbers of "variants" change, and this "answer" does not. Name a reference, {ref: …}.',
            "answer",
        )
    all_given = _all_given(given, fields)
    if (isinstance(answer, dict) and reference is None) or (kind.takes_answer and not fields.has("answer")):
        return tuple(Variant(each, None, each, {}) for each in all_given), False
    found: list[Variant] = []
    for number, each in enumerate(all_given, start=1):
        reckoned = _reckoned(reference, answer, each, fields)
        if reckoned is None:
            return tuple(found), False
        key, sound = None, True
        if settings is not None:
            faults: list[str] = []
            key = kind.key(reckoned.key, settings, faults.append)
            sound = not faults
            where = f"In variant {number}: " if len(all_given) > 1 else ""
            for fault in faults:
                _placed(fields, "answer")(where + fault)
        facts = {**each, **reckoned.facts}
        if key is not None:
            facts["key"] = kind.fill_in(key, settings)
        found.append(Variant(each, key, facts, reckoned.mistakes))
        if not sound:  # the others would say the same with other numbers
            return tuple(found), False
    return tuple(found), settings is not None


def _given(fields: Fields) -> Mapping[str, Any]:
    given = fields.get("given")
    if given is None:
        return {}
    if not isinstance(given, dict):
        fields.complain(f'"given" must be a table, not {said(given)}.', "given")
        return {}
    return given


def _reference(answer: Any, fields: Fields) -> Callable[[Mapping[str, Any]], Reckoned] | None:
    if not isinstance(answer, dict):
        return None
    name = answer.get("ref")
    if set(answer) != {"ref"} or not isinstance(name, str):
        fields.complain('"answer" must be what is right, or name a reference: {ref: …}.', "answer")
        return None
    if name not in REFERENCES:
        advice = did_you_mean(name, REFERENCES) or f" There are: {', '.join(REFERENCES)}."
        fields.complain(f"there is no reference {quoted(name)}.{advice}", "answer", "ref")
    return REFERENCES.get(name)


def _all_given(given: Mapping[str, Any], fields: Fields) -> tuple[Mapping[str, Any], ...]:
    if not fields.has("variants"):
        return (given,)
    said = fields.get("variants")
    if not isinstance(said, dict) or set(said) != {"gen", "count"}:
        fields.complain('"variants" must name a generator and how many: {gen: …, count: 20}.', "variants")
        return (given,)
    name, count = said["gen"], said["count"]
    sound = True
    if type(count) is not int or not 2 <= count <= MOST_VARIANTS:
        fields.complain(f'"count" must be a whole number from 2 to {MOST_VARIANTS}.', "variants", "count")
        sound = False
    if not isinstance(name, str) or name not in GENERATORS:
        advice = did_you_mean(str(name), GENERATORS) or f" There are: {', '.join(GENERATORS)}."
        fields.complain(f"there is no generator {quoted(str(name))}.{advice}", "variants", "gen")
        sound = False
    if sound:
        try:
            return tuple(all_variants(name, count, given))
        except Misgiven as misgiven:
            fields.complain(str(misgiven), "given" if fields.has("given") else "variants")
        except (ArithmeticError, LookupError, TypeError, ValueError):
            fields.complain(f'{name} can draw nothing from what is "given".', "given")
    return ()


def _reckoned(
    reference: Callable[[Mapping[str, Any]], Reckoned] | None,
    answer: Any,
    given: Mapping[str, Any],
    fields: Fields,
) -> Reckoned | None:
    if reference is None:
        return Reckoned(answer)
    try:
        return reference(given)
    except Misgiven as misgiven:
        fields.complain(str(misgiven), *(("given",) if fields.has("given") else ("answer",)))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        fields.complain('the reference can compute nothing from what is "given".', "given")
    return None
