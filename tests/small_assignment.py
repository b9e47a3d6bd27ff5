"""A small assignment that the gate lets pass: one check, one known mistake. By path, the text of each file.

FILES_ON_GPU is the same for a GPU, and runs on any library of the array standard.
"""

from __future__ import annotations

FILES = {
    "assignment.toml": """
slug = "double"
title = "Twice"
summary = "Numbers, doubled."
function = "attention"
signature = "attention(q, k, v)"
points = 2

[[checks]]
id = "plain"
title = "A plain array"
points = 2
visibility = "public"

[[mistakes]]
id = "never-divided"
hint = "Divide."
""",
    "prompt.md": "# Twice\n",
    "checks/public.py": """
import numpy as np
from grader.checks import Call, Draw, value_check
from grader.reference import expected_attention

@value_check("plain", expected_attention)
def plain(draw: Draw) -> Call:
    return Call(*(draw.normal(*shape, dtype=np.float64) for shape in [(2, 4), (3, 4), (3, 2)]))
""",
    "solution.py": """
import numpy as np

def attention(q, k, v):
    scores = np.exp(q @ k.T / q.shape[-1] ** 0.5)
    return scores / scores.sum(axis=-1, keepdims=True) @ v
""",
    "starter.py": "def attention(q, k, v):\n    raise NotImplementedError\n",
    "mistakes/never-divided.py": """
import numpy as np

def attention(q, k, v):
    return np.exp(q @ k.T / q.shape[-1] ** 0.5) @ v
""",
}

FILES_ON_GPU = FILES | {
    "assignment.toml": 'device = "cuda"\n' + FILES["assignment.toml"],
    "solution.py": """
def attention(q, k, v):
    xp = q.__array_namespace__()
    scores = xp.exp(q @ k.T / q.shape[-1] ** 0.5)
    return scores / xp.sum(scores, axis=-1, keepdims=True) @ v
""",
    "mistakes/never-divided.py": """
def attention(q, k, v):
    return q.__array_namespace__().exp(q @ k.T / q.shape[-1] ** 0.5) @ v
""",
}
