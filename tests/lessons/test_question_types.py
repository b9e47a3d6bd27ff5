"""What holds for every type of question: bad input is no commit, and what was read is kept as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.questions import TYPES, Invalid, Source
from tests.lessons.answering import HOSTILE, SEAL, Question, number_like, posts, question, sealed, texts

OPTIONS = ["a", "b", "c"]
IDEAS = ["one", "two", "three"]

# Of each type a question, with a right answer and a wrong one as a form posts them.
EXAMPLES: dict[str, tuple[Question, list[str], list[str] | None]] = {
    "number": (question("number", 0.5, atol=0.1), ["1/2"], ["0.7"]),
    "vector": (question("vector", [1, 0], shape=2, weights=True), ["1", "0"], ["1", "1"]),
    "matrix": (question("matrix", [[1, 2], [3, 4]], shape=[2, 2]), ["[[1, 2], [3, 4]]"], ["1", "3", "2", "4"]),
    "choice": (question("choice", "b", options=OPTIONS), [*sealed("b")], [*sealed("a")]),
    "choices": (question("choices", ["a", "b"], options=OPTIONS), [*sealed("a", "b")], [*sealed("c")]),
    "order": (question("order", ["a", "b"], items=OPTIONS), [*sealed("a", "b")], [*sealed("b", "a")]),
    "token": (question("token", "b", tokens=OPTIONS), ["1"], ["0"]),
    "output": (question("output", "4", snippet="print(2 + 2)"), ["4\r\n"], ["5"]),
    "free_text": (question("free_text", model="m", ideas=IDEAS, min_length=3), ["because"], None),
}  # fmt: skip
each_type = pytest.mark.parametrize("name", TYPES)


def test_the_types_are_those_of_the_design() -> None:
    assert list(TYPES) == "number vector matrix choice choices order token output free_text".split()
    assert set(EXAMPLES) == set(TYPES)
    assert all(name == type.name for name, type in TYPES.items())


@each_type
def test_right_and_wrong(name: str) -> None:
    asked, right, wrong = EXAMPLES[name]
    mark = asked.mark(*right)
    assert (mark.right, mark.share, mark.error) == (True, 1, None)
    assert mark.source is (Source.SELF if name == "free_text" else Source.RULE)
    if wrong is not None:
        mark = asked.mark(*wrong)
        assert (mark.right, mark.share) == (False, 0)
        assert mark.error is None or mark.error in asked.type.errors(asked.settings)


@each_type
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_read_or_invalid(name: str, text: str) -> None:
    asked = EXAMPLES[name][0]
    for posted in ([text], [text, text], [text, "", "", ""], ["1", text, "1", "1"]):
        told, answer = told_or_read(asked, posted)
        if answer is None:
            assert told.endswith((".", "…"))
            assert len(told.encode()) < 400
        else:
            kept = json.dumps(asked.type.response_to_json(answer))
            assert "\\u0000" not in kept
            kept.encode().decode("unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16")


def told_or_read(asked: Question, posted: list[str]) -> tuple[str, Any]:
    try:
        return "", asked.read(*posted)
    except Invalid as invalid:
        return str(invalid), None


@each_type
@given(posts)
def test_reading_raises_nothing_but_invalid(name: str, posted: list[str]) -> None:
    asked = EXAMPLES[name][0]
    try:
        answer = asked.read(*posted)
    except Invalid:
        return
    mark = asked.type.mark(answer, asked.key, asked.settings)
    assert 0 <= mark.share <= 1
    assert mark.right == (mark.share == 1)
    assert not (mark.right and mark.error)
    shown = asked.type.show_response(answer, asked.settings)
    assert shown.strip()
    assert asked.type.between.join(asked.type.response_texts(answer, asked.settings)) == shown
    assert (
        asked.type.response_from_json(json.loads(json.dumps(asked.type.response_to_json(answer)))) == answer
    )


@each_type
@pytest.mark.parametrize("posted", [[], [""], ["", ""], [" "], ["\n"]])
def test_an_empty_answer_is_no_commit(name: str, posted: list[str]) -> None:
    with pytest.raises(Invalid):
        EXAMPLES[name][0].read(*posted)


@each_type
def test_what_is_kept_comes_back(name: str) -> None:
    asked, right, wrong = EXAMPLES[name]
    for posted in (right, wrong):
        if posted is not None:
            answer = asked.read(*posted)
            kept = json.loads(json.dumps(asked.type.response_to_json(answer), allow_nan=False))
            assert asked.type.response_from_json(kept) == answer
    kept = json.loads(json.dumps(asked.type.key_to_json(asked.key), allow_nan=False))
    assert asked.type.key_from_json(kept) == asked.key


@each_type
def test_keys_of_other_types_are_left_alone(name: str) -> None:
    """What all directives may say, and what none may, is the compiler's business."""
    asked = EXAMPLES[name][0]
    told: list[str] = []
    raw = {"type": name, "given": {}, "spoiler_ok": "reason", "unheard": 1}
    settings = _raw(name)
    assert set(settings) <= asked.type.settings_keys
    assert TYPES[name].settings({**raw, **settings}, told.append) == asked.settings
    assert told == []


def _raw(name: str) -> dict[str, Any]:
    return {
        "number": {"atol": 0.1},
        "vector": {"shape": 2, "weights": True},
        "matrix": {"shape": [2, 2]},
        "choice": {"options": OPTIONS},
        "choices": {"options": OPTIONS},
        "order": {"items": OPTIONS},
        "token": {"tokens": OPTIONS},
        "output": {"snippet": "print(2 + 2)"},
        "free_text": {"model": "m", "ideas": IDEAS, "min_length": 3},
    }[name]


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | number_like,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=8,
)


@each_type
@given(st.data())
def test_no_directive_can_do_more_than_be_complained_of(name: str, data: st.DataObject) -> None:
    told: list[str] = []
    raw = {key: data.draw(junk) for key in sorted(TYPES[name].settings_keys)}
    settings = TYPES[name].settings(raw, told.append)
    assert (settings is None) == bool(told)
    told.clear()
    asked = EXAMPLES[name][0]
    key = asked.type.key(data.draw(junk), asked.settings, told.append)
    assert (key is None) == bool(told)
    for sentence in told:
        sentence.encode()


@each_type
@given(texts)
def test_what_a_reveal_is_for_can_be_anything(name: str, said: str) -> None:
    asked, right, _ = EXAMPLES[name]
    understood = asked.type.understands(said, asked.settings)
    assert not asked.type.matches(said, asked.read(*right), asked.settings) or understood


def test_the_seal_is_asked_for() -> None:
    """Nobody can forget it, and let authors' ids through."""
    asked = EXAMPLES["choice"][0]
    with pytest.raises(TypeError):
        asked.type.read([SEAL("a")], asked.settings)  # type: ignore[call-arg]
