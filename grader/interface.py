"""What an assignment asks a submission to define, where it runs and what a call of it returns: plain values from the
manifest.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Device(StrEnum):
    """Where a submission computes, and whose arrays its function is given: numpy's, or CuPy's on a CUDA GPU."""

    CPU = "cpu"
    CUDA = "cuda"


@dataclass(frozen=True)
class Returns:
    """What a call returns: one array, or a tuple of named arrays, of which those beyond `required` may be left out."""

    parts: tuple[str, ...] = ("result",)
    required: int = 1

    def __str__(self) -> str:
        """As a signature shows it: "(dq, dk, dv)"."""
        return f"({', '.join(self.parts)})" if len(self.parts) > 1 else self.parts[0]

    @property
    def counts(self) -> range:
        """How many arrays a tuple may hold."""
        return range(max(2, self.required), len(self.parts) + 1)


ONE_ARRAY = Returns()


@dataclass(frozen=True)
class ClassForm:
    """A class that may stand in for the function: made with some of its parameters, called with the others.

    init:       the names of the function's parameters that the constructor takes.
    method:     what is called on the object, with the rest.
    parameters: the names of all the function's parameters, in their order.
    """

    name: str
    init: tuple[str, ...]
    method: str
    parameters: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """For the child, which adapts what it finds."""
        return {
            "name": self.name, "init": list(self.init), "method": self.method, "parameters": list(self.parameters)
        }  # fmt: skip

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> ClassForm:
        return cls(told["name"], tuple(told["init"]), told["method"], tuple(told["parameters"]))


def parameters_of(signature: str) -> tuple[str, ...] | None:
    """The names of the parameters in a signature like "attention(q, k, v=None)"; None where it is no such thing."""
    try:
        (function,) = ast.parse(f"def {signature}: pass").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(function, ast.FunctionDef):
        return None
    given = function.args
    return tuple(each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs))
