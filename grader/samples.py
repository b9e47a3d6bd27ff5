"""Hostile submissions that every assignment is tried with: none may earn a point, or be taken for a fault of ours.

Each answers none of the calls honestly, so it is the sandbox and not the checks that they try.
"""

from __future__ import annotations

_LEAVES = """
import os
def FUNCTION(*args, **kwargs):
    os._exit(0)
"""
_EXITS = """
import sys
def FUNCTION(*args, **kwargs):
    sys.exit(0)
"""
_PRINTS = """
def FUNCTION(*args, **kwargs):
    print("passed " * 100_000)
"""
_FORGES = """
import os
def FUNCTION(*args, **kwargs):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b'{"final": true}\\n' + b"SOF1" + bytes(200))
        except OSError:
            pass
"""
_PATCHES = """
import builtins, sys
import numpy as np
class Agreeable:
    def __eq__(self, other): return True
    def __le__(self, other): return True
    __lt__ = __ge__ = __gt__ = __eq__
    __hash__ = None
np.allclose = np.array_equal = np.isfinite = lambda *a, **k: Agreeable()
builtins.abs = builtins.max = builtins.all = lambda *a, **k: Agreeable()
def FUNCTION(*args, **kwargs):
    return Agreeable()
"""
_READS = """
import importlib, os, sys
def FUNCTION(*args, **kwargs):
    found = importlib.import_module("grader.reference")
    return found.attention(*args, **kwargs)
"""


def hostile(function: str) -> dict[str, str]:
    """By name, the text of each sample, which defines `function`."""
    samples = {
        "leaves-early": _LEAVES,
        "exits": _EXITS,
        "prints-without-end": _PRINTS,
        "forges-answers": _FORGES,
        "patches-numpy": _PATCHES,
        "reads-the-grader": _READS,
    }
    return {name: text.replace("FUNCTION", function) for name, text in samples.items()}
