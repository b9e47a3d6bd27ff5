"""Attention and its parts as they should be: fast versions, and oracles that say how much error is allowed.

Here and wherever the grader speaks of shapes: queries (..., Tq, d), keys (..., Tk, d), values (..., Tk, dv), where
"..." is any number of batch and head axes, none included; scores, weights and masks (..., Tq, Tk). Where heads are
told apart theirs is the axis before the tokens, (..., H, T, d). Before they are split and after they are merged a
token is one row, (..., T, D) with D = H d.

The fast versions follow the array standard: numpy, CuPy and whatever else `array_api_compat` knows, on the inputs'
device and in their dtype, half precision computed in float32. Each `expected_...` is the oracle of one of them, in
plain numpy and float64: an `Expected`, or a dictionary of them in the order of the tuple that is returned.
"""

from .attention import attention
from .backward import attention_backward
from .cache import decode
from .expected import Expected
from .heads import grouped_query_attention, merge_heads, multi_head_attention, split_heads
from .masks import additive, causal_mask, padding_mask, sliding_window_mask, visible_keys
from .online import online_attention
from .oracle import (
    expected_attention,
    expected_attention_and_weights,
    expected_backward,
    expected_decode,
    expected_grouped_query,
    expected_multi_head,
    expected_rope,
    expected_scores,
    expected_softmax,
    expected_weights,
)
from .rope import rope
from .scores import scores
from .softmax import softmax

__all__ = [
    "Expected",
    "additive",
    "attention",
    "attention_backward",
    "causal_mask",
    "decode",
    "expected_attention",
    "expected_attention_and_weights",
    "expected_backward",
    "expected_decode",
    "expected_grouped_query",
    "expected_multi_head",
    "expected_rope",
    "expected_scores",
    "expected_softmax",
    "expected_weights",
    "grouped_query_attention",
    "merge_heads",
    "multi_head_attention",
    "online_attention",
    "padding_mask",
    "rope",
    "scores",
    "sliding_window_mask",
    "softmax",
    "split_heads",
    "visible_keys",
]
