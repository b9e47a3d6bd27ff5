"""How many of the errors that an oracle counts a right answer may have, in float16, float32 and float64.

About twice the worst that right implementations in many styles had, and more than the worst of those that use
np.logaddexp, which adds one key at a time to a logarithm and over 256 keys loses a digit. The styles are
tests/grader/numerics/right_*.py. The problems have 1 to 256 tokens, 1 to 64 features, scores of a standard deviation
of 0.1 to 50 (float16: 0.1 and 1), terms that cancel and terms that do not; but no long sums of equal terms, which round
the same way each time. `python -m tests.grader.numerics.measure_factors 1200` measures again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Factors = dict[np.dtype[Any], float]


def _factors(half: float, single: float, double: float) -> Factors:
    return dict(zip(map(np.dtype, (np.float16, np.float32, np.float64)), (half, single, double), strict=True))


# Beside each the worst that was measured, for the three dtypes; after "or", with np.logaddexp.
SCORES = _factors(10.0, 11.0, 13.0)  # 5.0, 5.6, 6.3
SOFTMAX = _factors(20.0, 20.0, 20.0)  # 3.9, 2.2, 2.3; or 15.0, 11.8, 16.6
WEIGHTS = _factors(16.0, 16.0, 16.0)  # 5.8, 6.2, 7.4; or 11.9, 10.5, 8.5
MULTI_HEAD = _factors(2.5, 2.2, 2.2)  # 0.4, 0.5, 0.6; or 1.2, 1.1, 0.9
ROPE = _factors(1.5, 6.0, 9.0)  # 0.7, 3.1, 4.6
BACKWARD = _factors(12.0, 12.0, 12.0)  # 4.7, 4.8, 6.0; or 7.5, 8.5, 9.1
ATTENTION = _factors(16.0, 16.0, 16.0)  # 9.5, 9.0, 5.0 with all of them
