"""The oracle: what is right in float64, and the error that a right answer in a narrower type may have.

Plain numpy with all scores at once: meant for the small inputs of checks, not for long sequences. Arguments are of one
dtype, that of the answer: float16, float32 or float64, KeyError for any other.
"""

from .attention import (
    expected_attention,
    expected_attention_and_weights,
    expected_scores,
    expected_softmax,
    expected_weights,
)
from .backward import expected_backward
from .cache import expected_decode
from .heads import expected_grouped_query, expected_multi_head
from .rope import expected_rope

__all__ = [
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
]
