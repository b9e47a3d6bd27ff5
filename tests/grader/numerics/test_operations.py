"""Every operation of the reference against its oracle, and every oracle against right and wrong answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.checks import Call
from grader.reference import expected_attention, expected_attention_and_weights, expected_weights
from tests.grader.numerics.operations import DTYPES, OPERATIONS, Numbers, kinds, misses

SEEDS = st.integers(0, 2**32)
FAST = [(name, way) for name, operation in OPERATIONS.items() for way in operation.fast]
STYLES = [(name, style) for name, operation in OPERATIONS.items() for style in operation.styles]


@st.composite
def numbers(draw: st.DrawFn, dtypes: tuple[type, ...] = DTYPES) -> Numbers:
    """Of a tiny problem, with terms that cancel and terms that do not."""
    dtype = draw(st.sampled_from(dtypes))
    kind = draw(st.sampled_from(kinds(long=False)))
    spread = draw(st.sampled_from([0.1, 1.0] if dtype is np.float16 else [0.1, 1.0, 10.0, 50.0]))
    return Numbers(np.random.default_rng(draw(SEEDS)), dtype, kind, spread)


def converted(call: Call, convert: Callable[[np.ndarray], Any]) -> Call:
    """The same call, its arrays converted."""
    args = [convert(each) if isinstance(each, np.ndarray) else each for each in call.args]
    kwargs = {
        name: convert(each) if isinstance(each, np.ndarray) else each for name, each in call.kwargs.items()
    }
    return Call(*args, **kwargs)


@pytest.mark.parametrize(("name", "way"), FAST)
@settings(max_examples=50)
@given(st.data())
def test_the_fast_way_is_right(name: str, way: str, data: st.DataObject) -> None:
    operation = OPERATIONS[name]
    call = operation.problem(data.draw(numbers()))
    result = operation.fast[way](*call.args, **call.kwargs)
    assert max(misses(result, operation.right(call)).values()) <= 1.0


@pytest.mark.parametrize(("name", "way"), FAST)
@pytest.mark.parametrize("device", ["CPU_DEVICE", "device1"])
@settings(max_examples=15)
@given(st.data())
def test_the_array_standard_suffices(name: str, way: str, device: str, data: st.DataObject) -> None:
    """On either device of a library that knows nothing else, and the results stay there."""
    operation = OPERATIONS[name]
    place, home = strict.Device(device), strict.Device("CPU_DEVICE")
    call = operation.problem(data.draw(numbers(dtypes=(np.float32, np.float64))))
    there = converted(call, lambda array: strict.asarray(array, device=place))
    result = operation.fast[way](*there.args, **there.kwargs)
    results = result if isinstance(result, tuple) else (result,)
    assert all(each.device == place for each in results)
    back = tuple(np.asarray(strict.asarray(each, device=home)) for each in results)
    assert max(misses(back, operation.right(call)).values()) <= 1.0


@pytest.mark.parametrize(("name", "way"), FAST)
def test_inputs_are_left_as_they_were(name: str, way: str) -> None:
    """They may be read-only, and what comes back is no view of them."""
    call = OPERATIONS[name].problem(Numbers(np.random.default_rng(2), np.float64))
    for array in call.arrays:
        array.flags.writeable = False
    result = OPERATIONS[name].fast[way](*call.args, **call.kwargs)
    for each in result if isinstance(result, tuple) else (result,):
        assert not any(np.shares_memory(each, array) for array in call.arrays)


@pytest.mark.parametrize(("name", "style"), STYLES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_no_right_style_is_rejected(name: str, style: str, dtype: type) -> None:
    operation = OPERATIONS[name]
    random = np.random.default_rng(0)
    for spread in [0.1, 1.0] if dtype is np.float16 else [0.1, 1.0, 10.0, 50.0]:
        for kind in kinds(long=False):
            call = operation.problem(Numbers(random, dtype, kind, spread))
            with np.errstate(all="ignore"):
                result = operation.styles[style](*call.args, **call.kwargs)
            assert max(misses(result, operation.right(call)).values()) <= 0.75, (kind, spread)


@pytest.mark.parametrize(
    "name", [name for name in OPERATIONS if OPERATIONS[name].styles and name != "attention"]
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_length_is_no_excuse_and_no_trap(name: str, dtype: type) -> None:
    """Up to 256 tokens and 64 features, in the styles that round the most."""
    operation = OPERATIONS[name]
    call = operation.problem(Numbers(np.random.default_rng(1), dtype, "normal", 1.0, long=True))
    right = operation.right(call)
    for style, function in operation.styles.items():
        with np.errstate(all="ignore"):
            assert max(misses(function(*call.args, **call.kwargs), right).values()) <= 0.75, style


def narrowed(dtype: type) -> Callable[[np.ndarray], np.ndarray]:
    return lambda array: array.astype(dtype) if array.dtype.kind == "f" else array


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0])
@pytest.mark.parametrize(("narrow", "wide"), [(np.float16, np.float32), (np.float32, np.float64)])
@pytest.mark.parametrize(("name", "way"), FAST)
def test_work_in_a_narrower_dtype_is_caught(
    name: str, way: str, narrow: type, wide: type, spread: float, long: bool
) -> None:
    operation = OPERATIONS[name]
    call = substantial(name, wide, spread, long)
    inside = converted(call, narrowed(narrow))
    result = operation.fast[way](*inside.args, **inside.kwargs)
    results = result if isinstance(result, tuple) else (result,)
    widened = tuple(each.astype(wide) for each in results)
    assert min(misses(widened, operation.right(call)).values()) > 2.0


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_error_of_a_thousandth_is_caught(name: str, dtype: type, spread: float, long: bool) -> None:
    operation = OPERATIONS[name]
    call = substantial(name, dtype, spread, long)
    right = operation.right(call)
    result = tuple((1.001 * each.value).astype(dtype) for each in right.values())
    assert min(misses(result, right).values()) > 1.0


def substantial(name: str, dtype: type, spread: float, long: bool) -> Call:
    """A problem in which something happens: several tokens, and none of its results all 0."""
    operation = OPERATIONS[name]
    for seed in range(50):
        made_of = Numbers(np.random.default_rng(seed), dtype, "normal", spread, long, mixed=False)
        call = operation.problem(made_of)
        right = operation.right(call)
        several = all(min(array.shape) > 1 for array in call.arrays)
        if several and all(np.abs(each.value).max(initial=0.0) > 0.01 for each in right.values()):
            return call
    raise AssertionError("no such problem")


@pytest.mark.parametrize("name", OPERATIONS)
def test_other_dtypes_have_no_oracle(name: str) -> None:
    call = OPERATIONS[name].problem(Numbers(np.random.default_rng(0), np.float64))
    wide = converted(call, lambda array: array.astype(np.longdouble) if array.dtype.kind == "f" else array)
    with pytest.raises(KeyError):
        OPERATIONS[name].right(wide)


def test_attention_and_weights_are_judged_as_each_alone() -> None:
    call = OPERATIONS["attention"].problem(Numbers(np.random.default_rng(0), np.float32))
    both = expected_attention_and_weights(*call.args, **call.kwargs)
    q, k, _ = call.args
    alone = {
        "output": expected_attention(*call.args, **call.kwargs), "weights": expected_weights(q, k, **call.kwargs)
    }  # fmt: skip
    assert list(both) == list(alone)
    for name, right in alone.items():
        assert np.array_equal(both[name].value, right.value)
        assert np.array_equal(both[name].tolerance, right.tolerance)


@given(SEEDS)
def test_weights_are_those_that_attention_uses(seed: int) -> None:
    call = OPERATIONS["attention"].problem(Numbers(np.random.default_rng(seed), np.float64))
    q, k, v = call.args
    weights = expected_weights(q, k, **call.kwargs).value
    right = expected_attention(*call.args, **call.kwargs)
    assert (np.abs(weights @ v - right.value) <= right.tolerance).all()


def test_nothing_but_numpy_is_needed() -> None:
    """The judge has no other package; and no array library is imported that nobody uses."""
    program = "import sys, grader.reference; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split()) - set(sys.stdlib_module_names)
    foreign = {name for name in imported if not name.startswith("_")} - {
        "grader",
        "numpy",
        "array_api_compat",
    }
    assert not foreign & {"array_api_strict", "cupy", "torch", "jax", "dask", "django", "rich", "scipy"}
