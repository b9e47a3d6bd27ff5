"""Several heads: cutting, joining and sharing them, and an outside oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.reference import (
    attention,
    expected_grouped_query,
    expected_multi_head,
    grouped_query_attention,
    merge_heads,
    multi_head_attention,
    split_heads,
)

LEADING = st.lists(st.integers(0, 3), max_size=2).map(tuple)


@given(LEADING, st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))
def test_merging_undoes_splitting(leading: tuple[int, ...], length: int, heads: int, width: int) -> None:
    x = np.arange(np.prod((*leading, length, heads * width), dtype=int)).reshape(
        *leading, length, heads * width
    )
    split = split_heads(x, heads)
    assert split.shape == (*leading, heads, length, width)
    assert np.array_equal(merge_heads(split), x)


def test_each_head_has_neighbouring_features() -> None:
    x = np.arange(12).reshape(2, 6)
    assert split_heads(x, 3).tolist() == [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 11]]]


def test_neighbouring_heads_share_keys_and_values() -> None:
    """With one key each, the result is its value."""
    q, k = np.ones((6, 1, 2)), np.ones((2, 1, 2))
    v = np.array([[[10.0]], [[20.0]]])
    right = [10.0, 10.0, 10.0, 20.0, 20.0, 20.0]
    assert grouped_query_attention(q, k, v).ravel().tolist() == right
    assert expected_grouped_query(q, k, v).value.ravel().tolist() == right


@pytest.mark.parametrize("shared", [1, 4])
def test_all_heads_may_share_and_each_may_have_its_own(shared: int) -> None:
    random = np.random.default_rng(0)
    q = random.standard_normal((2, 4, 5, 3))
    k, v = (random.standard_normal((2, shared, 7, 3)) for _ in range(2))
    spread = [np.broadcast_to(each, (2, 4, 7, 3)) for each in (k, v)]
    assert np.array_equal(grouped_query_attention(q, k, v, causal=True), attention(q, *spread, causal=True))


def test_heads_that_do_not_come_out_even_are_refused() -> None:
    with pytest.raises(ValueError, match="6 features cannot be split evenly among 4 heads"):
        split_heads(np.ones((2, 6)), 4)
    with pytest.raises(ValueError, match="3 query heads cannot share 2 heads"):
        grouped_query_attention(np.ones((3, 2, 4)), np.ones((2, 2, 4)), np.ones((2, 2, 4)))
    x, w = np.ones((2, 6)), np.ones((6, 6))
    with pytest.raises(ValueError, match="evenly"):
        multi_head_attention(x, w, w, w, w, 4)


def test_one_head_between_identities_is_attention() -> None:
    random = np.random.default_rng(0)
    x, one = random.standard_normal((3, 5, 4)), np.eye(4)
    assert np.allclose(multi_head_attention(x, one, one, one, one, 1), attention(x, x, x), rtol=1e-14)


def test_a_query_that_sees_nothing_has_the_result_0_and_no_tolerance() -> None:
    random = np.random.default_rng(0)
    x, w = random.standard_normal((2, 5, 4)), [random.standard_normal((4, 4)) for _ in range(4)]
    mask = np.ones((2, 1, 5, 5), bool)
    mask[1, 0, 3] = False
    right = expected_multi_head(x, *w, 2, mask=mask)
    assert not multi_head_attention(x, *w, 2, mask=mask)[1, 3].any()
    assert not right.value[1, 3].any()
    assert (right.tolerance[1, 3] == np.finfo(float).tiny).all()
    assert (right.tolerance[0] > np.finfo(float).eps).all()


def test_outside_oracles_agree() -> None:
    torch = pytest.importorskip("torch", reason="torch, the outside oracle, is not installed")
    random = np.random.default_rng(0)
    x, context = random.standard_normal((2, 7, 12)), random.standard_normal((2, 9, 12))
    w = [random.standard_normal((12, 12)) for _ in range(4)]
    mask = random.random((7, 9)) < 0.7
    module = torch.nn.MultiheadAttention(12, 3, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.from_numpy(np.concatenate([each.T for each in w[:3]])))
        module.out_proj.weight.copy_(torch.from_numpy(w[3].T))
        queries, keys = torch.from_numpy(x), torch.from_numpy(context)
        outside, _ = module(queries, keys, keys, attn_mask=torch.from_numpy(~mask))
    right = expected_multi_head(x, *w, 3, context=context, mask=mask)
    assert (np.abs(outside.numpy() - right.value) <= right.tolerance).all()

    q = random.standard_normal((2, 6, 5, 4))
    k, v = (random.standard_normal((2, 2, 8, 4)) for _ in range(2))
    tensors = [torch.from_numpy(each) for each in (q, k, v)]
    outside = torch.nn.functional.scaled_dot_product_attention(*tensors, enable_gqa=True)
    right = expected_grouped_query(q, k, v)
    assert (np.abs(outside.numpy() - right.value) <= right.tolerance).all()
