"""Attention as it should be: a float64 oracle that says how much error is allowed, and a fast version.

Here and wherever the grader speaks of shapes: queries (..., Tq, d), keys (..., Tk, d), values (..., Tk, dv),
where "..." is any number of batch and head axes, none included; scores and masks (..., Tq, Tk).
"""

from .attention import attention
from .expected import Expected
from .oracle import element_tolerance, expected_attention

__all__ = ["Expected", "attention", "element_tolerance", "expected_attention"]
