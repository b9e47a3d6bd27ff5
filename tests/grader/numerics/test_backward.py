"""The gradients: against differences of the result, an outside oracle, and what they must be in simple cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.reference import (
    attention,
    attention_backward,
    causal_mask,
    expected_attention,
    expected_backward,
    visible_keys,
)
from tests.grader.numerics.operations import Numbers, backward_problem

Array = np.ndarray
SEEDS = st.integers(0, 2**32)


def problem(seed: int, **hidden: Any) -> tuple[list[Array], Array, dict[str, Any]]:
    """(q, k, v), d_out and what is hidden, of float64."""
    numbers = Numbers(np.random.default_rng(seed), np.float64)
    q, k, v, d_out = backward_problem(numbers).args
    return [q, k, v], d_out, numbers.hidden(q.shape[-2], k.shape[-2]) | hidden


@given(SEEDS)
def test_gradients_are_slopes(seed: int) -> None:
    """Along random directions, by the difference quotient of four points."""
    arrays, d_out, hidden = problem(seed)
    random = np.random.default_rng(seed)
    step = 1e-3
    for i, expected in enumerate(expected_backward(*arrays, d_out, **hidden).values()):
        direction = random.standard_normal(arrays[i].shape)
        direction /= np.linalg.norm(direction)

        def along(length: float, i: int = i, direction: Array = direction) -> Array:
            moved = [*arrays[:i], arrays[i] + length * direction, *arrays[i + 1 :]]
            return expected_attention(*moved, **hidden).value

        slopes = (8.0 * (along(step) - along(-step)) - (along(2 * step) - along(-2 * step))) / (12.0 * step)
        size = (
            np.abs(d_out).max()
            * np.abs(arrays[2]).max()
            * (1.0 + np.abs(arrays[0]).max() + np.abs(arrays[1]).max())
        )
        assert (expected.value * direction).sum() == pytest.approx(
            (d_out * slopes).sum(), rel=1e-7, abs=1e-7 * size
        )


@pytest.mark.parametrize("causal", [False, True])
def test_an_outside_oracle_agrees(causal: bool) -> None:
    torch = pytest.importorskip("torch", reason="torch, the outside oracle, is not installed")
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((2, 3, length, 8)) for length in (12, 17, 17))
    d_out = random.standard_normal((2, 3, 12, 8))
    mask = random.random((2, 1, 12, 17)) < 0.7
    visible = np.broadcast_to(visible_keys(12, 17, mask, causal), (2, 3, 12, 17))
    tensors = [torch.from_numpy(array).requires_grad_() for array in (q, k, v)]
    out = torch.nn.functional.scaled_dot_product_attention(
        *tensors, attn_mask=torch.from_numpy(visible.copy())
    )
    outside = torch.autograd.grad(out, tensors, torch.from_numpy(d_out))
    right = expected_backward(q, k, v, d_out, mask, causal)
    for gradient, expected in zip(outside, right.values(), strict=True):
        assert (np.abs(gradient.numpy() - expected.value) <= expected.tolerance).all()


@given(SEEDS)
def test_gradients_have_the_shapes_of_what_they_belong_to(seed: int) -> None:
    arrays, d_out, hidden = problem(seed)
    right = expected_backward(*arrays, d_out, **hidden)
    assert list(right) == ["dq", "dk", "dv"]
    for array, expected, fast in zip(
        arrays, right.values(), attention_backward(*arrays, d_out, **hidden), strict=True
    ):
        assert array.shape == expected.value.shape == expected.tolerance.shape == fast.shape


@given(SEEDS)
def test_values_of_one_key_get_the_gradient_of_the_result(seed: int) -> None:
    """With a single key the weights are 1 whatever the queries are."""
    random = np.random.default_rng(seed)
    q, k, v, d_out = (random.standard_normal((length, 3)) for length in (4, 1, 1, 4))
    dq, dk, dv = attention_backward(q, k, v, d_out)
    assert not dq.any()
    assert not dk.any()
    assert np.allclose(dv, d_out.sum(axis=0, keepdims=True), rtol=1e-13)


@given(SEEDS)
def test_what_is_not_seen_gets_no_gradient(seed: int) -> None:
    random = np.random.default_rng(seed)
    q, k, v, d_out = (random.standard_normal((5, 3)) for _ in range(4))
    mask = causal_mask(5, 5)
    mask[2], mask[:, 1] = False, False  # query 2 sees nothing, and nothing sees key 1
    dq, dk, dv = attention_backward(q, k, v, d_out, mask)
    assert not dq[2].any()
    assert not dk[1].any()
    assert not dv[1].any()
    right = expected_backward(q, k, v, d_out, mask)
    tiny = np.finfo(float).tiny
    assert (right["dq"].tolerance[2] == tiny).all()
    assert (right["dk"].tolerance[1] == tiny).all()


@given(SEEDS)
def test_a_shift_of_all_keys_has_no_slope(seed: int) -> None:
    """It changes no weight, so the gradients of the keys that a query sees add up to 0."""
    random = np.random.default_rng(seed)
    q, k, v, d_out = (random.standard_normal((5, 3)) for _ in range(4))
    _, dk, dv = attention_backward(q, k, v, d_out)
    assert np.allclose(dk.sum(axis=0), 0.0, atol=1e-13)
    assert np.allclose((d_out * attention(q, k, v)).sum(), (dv * v).sum(), rtol=1e-10, atol=1e-12)
