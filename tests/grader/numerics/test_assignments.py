"""The two assignments: right code of any style passes, every known mistake is caught and named as itself."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.checks import Failed, LocalStudent
from grader.mistakes import KnownMistakes
from grader.report import Verdict, Visibility
from tests.grader.numerics import harness
from tests.grader.numerics.harness import SLUGS, Loaded
from tests.grader.numerics.right_styles import STYLES, softmax, visible

LOADED = {slug: Loaded(slug) for slug in SLUGS}
MISTAKES = [(slug, id) for slug, loaded in LOADED.items() for id in loaded.mistakes]


def test_the_folder_fits_its_description(assignment: Loaded) -> None:
    config = assignment.config
    assert config["slug"] == assignment.folder.name
    checks = config["checks"]
    assert sum(Decimal(str(check["points"])) for check in checks) == config["points"] >= 10
    for check in checks:
        public = check["visibility"] == Visibility.PUBLIC
        assert check["id"] in assignment.by_file["public" if public else "hidden"]
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", check["id"])
    assert {check["id"] for check in checks} == {*assignment.by_file["public"], *assignment.by_file["hidden"]}
    assert not {*assignment.by_file["public"]} & {*assignment.by_file["hidden"]}
    assert checks[0]["id"] == "worked-example"
    files = {file.stem for file in (assignment.folder / "mistakes").glob("*.py")}
    assert files == {*assignment.mistakes}
    assert len({mistake["hint"] for mistake in config["mistakes"]}) == len(files)


def test_what_students_get_imports_nothing_hidden(assignment: Loaded) -> None:
    for file in ("checks/public.py", "starter.py"):
        tree = ast.parse((assignment.folder / file).read_text())
        modules = {
            name.split(".")[0]
            for node in ast.walk(tree)
            for name in (
                [alias.name for alias in node.names] if isinstance(node, ast.Import)
                else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            )
        }  # fmt: skip
        assert modules <= {"math", "numpy", "grader"}


def test_the_starter_asks_to_be_filled_in(assignment: Loaded) -> None:
    for outcome in assignment.grade(assignment.function("starter.py")).values():
        assert outcome.verdict is Verdict.EXCEPTION
        assert outcome.failure is not None
        assert "NotImplementedError" in outcome.failure.message


@given(seed=st.integers(0, 2**63))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_solution_passes(assignment: Loaded, seed: int) -> None:
    missed = {id: o.failure for id, o in assignment.grade(assignment.function("solution.py"), seed).items()}
    assert not any(missed.values()), missed


@pytest.mark.parametrize("style", sorted(STYLES))
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_right_style_passes(assignment: Loaded, style: str, seed: int) -> None:
    outcomes = assignment.grade(STYLES[style], seed)
    assert not {id: str(outcome.failure) for id, outcome in outcomes.items() if outcome.failure}


@pytest.mark.parametrize("seed", [0, 2**62])
@pytest.mark.parametrize(("slug", "id"), MISTAKES)
def test_every_mistake_is_caught_and_named_as_itself(slug: str, id: str, seed: int) -> None:
    loaded = LOADED[slug]
    outcomes = loaded.grade(loaded.mistakes[id], seed)
    assert any(outcome.failure for outcome in outcomes.values())
    assert {outcome.mistake for outcome in outcomes.values()} - {None} == {id}
    assert Verdict.CRASHED not in {outcome.verdict for outcome in outcomes.values()}


@pytest.mark.parametrize(("slug", "id"), MISTAKES)
def test_every_mistake_is_otherwise_careful(slug: str, id: str) -> None:
    """It keeps the dtype, at least of float64, and changes no input: it is wrong in one way only."""
    random = np.random.default_rng(0)
    arrays = [random.standard_normal((5, 5, 5, 5)).astype(np.float32) for _ in range(3)]
    copies = [array.copy() for array in arrays]
    with np.errstate(all="ignore"):
        result = LOADED[slug].mistakes[id](*arrays)
    assert all(map(np.array_equal, arrays, copies))
    if id not in ("returns-float64", "returns-weights-too", "returns-nothing"):
        assert result.dtype == np.float32
        assert result.shape == (5, 5, 5, 5)


def transposed(x: np.ndarray) -> np.ndarray:
    return np.swapaxes(x, -1, -2)


def scaled(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("...qd,...kd->...qk", q, k) * q.dtype.type(q.shape[-1] ** -0.5))


def masked(q: np.ndarray, k: np.ndarray, mask: Any, causal: bool) -> np.ndarray:
    return np.where(visible(q, k, mask, causal), scaled(q, k), -np.inf)


# The same mistakes, made by people with other habits.
OTHER_HANDS: dict[str, Callable[..., Any]] = {
    "scale-by-d": lambda q, k, v, mask=None, causal=False: (
        softmax(np.where(visible(q, k, mask, causal), (q / q.shape[-1]) @ transposed(k), -np.inf)) @ v
    ),
    "scale-missing": lambda q, k, v, mask=None, causal=False: (
        softmax(np.where(visible(q, k, mask, causal), np.einsum("...qd,...kd->...qk", q, k), -np.inf)) @ v
    ),
    "softmax-over-queries": lambda q, k, v, mask=None, causal=False: (
        transposed(softmax(transposed(masked(q, k, mask, causal)))) @ v
    ),
    "weights-transposed": lambda q, k, v, mask=None, causal=False: np.einsum(
        "...kq,...kv->...qv", softmax(masked(q, k, mask, causal)), v
    ),
    "keys-as-values": lambda q, k, v, mask=None, causal=False: np.einsum(
        "...qk,...kv->...qv", softmax(masked(q, k, mask, causal)), k
    ),
    "residual-added": lambda q, k, v, mask=None, causal=False: softmax(masked(q, k, mask, causal)) @ v + q,
    "returns-float64": lambda q, k, v, mask=None, causal=False: (
        softmax(masked(q.astype(np.float64), k, mask, causal)) @ v
    ),
    "returns-weights-too": lambda q, k, v, mask=None, causal=False: (v.copy(), masked(q, k, mask, causal)),
    "returns-nothing": lambda q, k, v, mask=None, causal=False: None,
}
OTHER_HANDS_AT_MASKS: dict[str, Callable[..., Any]] = {
    "mask-multiplies-scores": lambda q, k, v, mask=None, causal=False: (
        softmax(np.where(visible(q, k, mask, causal), scaled(q, k), 0)) @ v
    ),
    "mask-after-softmax": lambda q, k, v, mask=None, causal=False: (
        np.where(visible(q, k, mask, causal), softmax(scaled(q, k)), 0) @ v
    ),
    "mask-inverted": lambda q, k, v, mask=None, causal=False: (
        softmax(masked(q, k, None if mask is None else np.logical_not(mask), causal)) @ v
    ),
    "mask-ignored-when-causal": lambda q, k, v, mask=None, causal=False: (
        softmax(masked(q, k, None if causal else mask, causal)) @ v
    ),
    "causal-ignored-when-masked": lambda q, k, v, mask=None, causal=False: (
        softmax(masked(q, k, mask, causal and mask is None)) @ v
    ),
    "causal-ignored": lambda q, k, v, mask=None, causal=False: softmax(masked(q, k, mask, False)) @ v,
    "empty-row-averages": lambda q, k, v, mask=None, causal=False: (
        softmax(np.where(visible(q, k, mask, causal), scaled(q, k), -1e30)) @ v
    ),
    "mask-after-softmax-renormalised": lambda q, k, v, mask=None, causal=False: (
        np.nan_to_num(
            (lambda w: w / w.sum(-1, keepdims=True))(softmax(scaled(q, k)) * visible(q, k, mask, causal))
        )
        @ v
    ),
}


@pytest.mark.parametrize(
    ("slug", "id", "function"),
    [(slug, id, function) for slug in SLUGS for id, function in OTHER_HANDS.items()]
    + [("causal-mask", id, function) for id, function in OTHER_HANDS_AT_MASKS.items()],
)
@pytest.mark.parametrize("seed", [3, 4])
def test_mistakes_of_other_hands_are_recognised(
    slug: str, id: str, function: Callable[..., Any], seed: int
) -> None:
    named = {outcome.mistake for outcome in LOADED[slug].grade(function, seed).values()}
    assert named - {None} == {id}


def test_inputs_that_are_changed_are_noticed(assignment: Loaded) -> None:
    solution = assignment.function("solution.py")

    def careless(q: np.ndarray, *others: Any, **hidden: Any) -> Any:
        result = solution(q, *others, **hidden)
        if q.flags.writeable:
            q *= 2
        return result

    missed = {id: o.failure for id, o in assignment.grade(careless).items() if o.failure}
    assert set(missed) == {"inputs-untouched"}
    assert "changed an array" in missed["inputs-untouched"].message


def test_messages_of_hidden_checks_tell_no_values(assignment: Loaded) -> None:
    """No number with a fraction stands in any message: details alone tell values."""
    nobody = KnownMistakes({})
    for id in assignment.by_file["hidden"]:
        for mistake in assignment.mistakes.values():
            failure = harness.outcome(assignment.checks[id], mistake, known=nobody).failure
            assert failure is None or not re.search(r"\d\.\d|\d[eE][+-]?\d", failure.message)


def test_the_checks_are_quick(assignment: Loaded) -> None:
    """They should take 20 to 50 ms, measured in this process; with room for a busy machine."""
    solution = LocalStudent(assignment.function("solution.py"))
    times = []
    for _ in range(5):
        started = time.perf_counter()
        for check in assignment.checks.values():
            check.run(solution, 0)
        times.append(time.perf_counter() - started)
    assert min(times) < 0.1


def numbers(text: str) -> list[list[float]]:
    """The matrices of a block such as "name = [[1, 2], [3, 4]]" row by row, in reading order."""
    rows = re.findall(r"\[+([-\d., ]+)\]", text)
    return [[float(number) for number in row.split(",")] for row in rows]


def blocks(assignment: Loaded) -> list[str]:
    return re.findall(r"```text\n(.*?)```", (assignment.folder / "prompt.md").read_text(), re.DOTALL)


def interleaved(text: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, k and v, which stand beside each other."""
    columns: list[list[list[float]]] = [[], [], []]
    for line in text.splitlines():
        for match in re.finditer(r"\[+([-\d., ]+)\]", line):
            columns[0 if match.start() < 20 else 1 if match.start() < 46 else 2].append(
                [float(number) for number in match[1].split(",")]
            )
    q, k, v = (np.array(column) for column in columns)
    return q, k, v


def test_the_example_of_the_prompt_is_right(scaled_dot_product: Loaded) -> None:
    given_, told = blocks(scaled_dot_product)
    q, k, v = interleaved(given_)
    scores = q @ k.T / 2
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    parts = [numbers(part) for part in re.split(r"\w+ += ", told)[1:]]
    for part, right in zip(parts, [scores, weights, weights @ v], strict=True):
        np.testing.assert_array_equal(part, right.round(3))
    check_uses(scaled_dot_product, q, k, v)


def test_the_example_of_the_masked_prompt_is_right(causal_mask: Loaded) -> None:
    given_, told = blocks(causal_mask)
    arrays, mask = given_.split("mask = ")
    q, k, v = interleaved(arrays)
    seen = np.array([word == "True" for word in re.findall("True|False", mask.split("causal")[0])])
    seen = np.tri(3, dtype=bool) & seen
    scores = q @ k.T / 2
    raised = np.where(seen, np.exp(scores), 0)
    weights = raised / np.maximum(raised.sum(axis=-1, keepdims=True), 1e-9)
    shown, *parts = re.split(r"\w+ += ", told)[1:]
    cells = re.findall(r"-|\d", shown)
    assert cells == [f"{score:.0f}" if ok else "-" for score, ok in zip(scores.flat, seen.flat, strict=True)]
    for part, right in zip(parts, [weights, weights @ v], strict=True):
        np.testing.assert_array_equal(numbers(part), right.round(3))
    check_uses(causal_mask, q, k, v)


def check_uses(loaded: Loaded, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> None:
    """The public check asks for the very example that the prompt shows."""
    asked: list[tuple[np.ndarray, ...]] = []

    def spy(*args: np.ndarray, **hidden: Any) -> None:
        asked.append(args)

    with pytest.raises(Failed):
        loaded.checks["worked-example"].run(LocalStudent(spy), 5)
    for given_, shown in zip(asked[0], (q, k, v), strict=True):
        np.testing.assert_array_equal(given_, shown)


def test_the_prompt_counts_its_checks_right(assignment: Loaded) -> None:
    words = {4: "Four", 10: "ten", 12: "twelve"}
    checks = assignment.config["checks"]
    public = sum(check["visibility"] == Visibility.PUBLIC for check in checks)
    sentence = f"{words[public]} of the {words[len(checks)]} checks come with the assignment"
    assert sentence in (assignment.folder / "prompt.md").read_text().replace("\n", " ")
