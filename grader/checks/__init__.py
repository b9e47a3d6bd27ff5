"""How a check is written: what the author of an assignment imports.

A check file defines checks with decorators:

    @value_check("square", expected_attention)      # two draws of equal shape, compared element by element
    def square(draw: Draw) -> Call:
        return Call(draw.normal(2, 3, 11, 6), draw.normal(2, 3, 11, 6), draw.normal(2, 3, 11, 6))

    @property_check("first-row")                    # anything else: calls the student's code as it likes
    def first_row(student: Student, draw: Draw) -> None:
        ...
        require_close(result[..., 0, :], v[..., 0, :], tolerance, "The first row must be ...")

    @speed_check("fast", expected_attention, bands=((2.2, 1), (4, 0.5)))     # beside the two bare matmuls
    @memory_check("no-square", expected_attention, most_mb=24)               # beside inputs and result
    def long(draw: Draw) -> Call: ...                                        # each decorates its own, like value_check

The ids are those of `assignment.toml`, which holds titles, points and visibility. Messages are read by students
at any visibility, so they speak of shapes, counts and places but tell no values of a hidden input.
"""

from grader.compare import Answer, Answers, Call, Observation
from grader.interface import Returns
from grader.reference import Expected

from .draw import Draw, padding
from .failure import Failed
from .layouts import in_every_layout
from .local import LocalStudent
from .measured import memory_check, speed_check
from .properties import ask_array, ask_arrays, property_check, require, require_close
from .student import Check, Measurable, Pending, Result, Student
from .values import check_values, value_check

__all__ = [
    "Answer",
    "Answers",
    "Call",
    "Check",
    "Draw",
    "Expected",
    "Failed",
    "LocalStudent",
    "Measurable",
    "Observation",
    "Pending",
    "Result",
    "Returns",
    "Student",
    "ask_array",
    "ask_arrays",
    "check_values",
    "in_every_layout",
    "memory_check",
    "padding",
    "property_check",
    "require",
    "require_close",
    "speed_check",
    "value_check",
]
