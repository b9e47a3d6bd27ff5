"""What the instructors' page shows as a whole check is one: a right submission passes, and a wrong one does not."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from grader.checks import Check, Failed, LocalStudent
from grader.reference import attention

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLES = re.findall(r"```python\n(.*?)```", (DOCS / "instructors.md").read_text("utf-8"), re.DOTALL)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_a_check(example: str) -> None:
    module: dict[str, object] = {}
    exec(compile(example, "docs/instructors.md", "exec"), module)
    (check,) = [value for value in module.values() if isinstance(value, Check)]
    assert len([line for line in example.splitlines() if line.strip()]) <= 12, (
        "an author writes one in ten lines"
    )
    check.run(LocalStudent(attention), 0)
    with pytest.raises(Failed):
        check.run(LocalStudent(lambda q, k, v, **_: np.zeros((*q.shape[:-1], v.shape[-1]), q.dtype)), 0)
