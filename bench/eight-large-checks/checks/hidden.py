"""Eight times the same check: two calls of batch 2, 4 heads, T = 80, d = 32 each."""

import numpy as np

from grader.checks import Call, Check, Draw, value_check
from grader.reference import expected_attention


def large(number: int) -> Check:
    @value_check(f"large-{number}", expected_attention)
    def check(draw: Draw) -> Call:
        return Call(*(draw.normal(2, 4, 80, 32, dtype=np.float32) for _ in range(3)))

    return check


large_1, large_2, large_3, large_4 = (large(number) for number in (1, 2, 3, 4))
large_5, large_6, large_7, large_8 = (large(number) for number in (5, 6, 7, 8))
