"""What an assignment may ask for beside one function that returns one array: a tuple, and a class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from grader.assignment import Assignment
from grader.grade import Grader
from grader.interface import ClassForm, Returns, parameters_of
from grader.local import grade_locally
from grader.report import Report
from tests.grader.sandbox.conftest import make_assignment, source, verdicts

# Sum and difference, each graded by a check of its own, and both together.
CHECKS = """
import numpy as np
from grader.checks import Call, Expected, ask_arrays, property_check, require, value_check


def expected(x, y, scale=1.0):
    def right(value):
        value = np.asarray(value * scale, np.float64)
        return Expected(value, np.full(value.shape, 1e-12), x.dtype)

    return {"total": right(x + y), "difference": right(x - y)}


def call(draw):
    return Call(draw.normal(3, 4, dtype=np.float64), draw.normal(3, 4, dtype=np.float64), scale=2.0)


a = value_check("a", expected, parts=["total"])(call)
b = value_check("b", expected, parts=["difference"])(call)
c = value_check("c", expected)(call)


@property_check("d")
def d(student, draw):
    x = draw.normal(3, dtype=np.float64)
    got = ask_arrays(student, Call(x, x), {"total": (3,), "difference": (3,)}, np.float64, keeps_inputs=True)
    require(bool((got["total"] == 2 * x).all()), "The total of x and x is 2 x.")
"""
RIGHT = "def both(x, y, scale=1.0):\n    return scale * (x + y), scale * (x - y)\n"
MISTAKES = {
    "total-unscaled": "def both(x, y, scale=1.0):\n    return x + y, scale * (x - y)\n",
    "difference-turned-round": "def both(x, y, scale=1.0):\n    return scale * (x + y), scale * (y - x)\n",
    "total-only": "def both(x, y, scale=1.0):\n    return scale * (x + y)\n",
    "arrays-exchanged": "def both(x, y, scale=1.0):\n    return scale * (x - y), scale * (x + y)\n",
}


def assignment(optional: bool = False, class_form: ClassForm | None = None) -> Assignment:
    made = make_assignment(CHECKS, ids="abcd", solution=RIGHT, mistakes=MISTAKES)
    returns = Returns(("total", "difference"), 1 if optional else 2)
    signature = "both(x, y, scale=1.0)"
    version = f"{abs(hash((made.version, optional, class_form))):012x}"[:12]
    return replace(
        made, function="both", signature=signature, returns=returns, class_form=class_form, version=version
    )


Grades = Callable[[Assignment, str], Report]


@pytest.fixture(params=["sandbox", "local"])
def grades(request: pytest.FixtureRequest, best_grader: Grader) -> Grades:
    """The same in the sandbox and on a student's own machine."""
    if request.param == "local":
        return lambda assignment, text: grade_locally(assignment, source(text))
    return lambda assignment, text: best_grader.grade(assignment, source(text))


def named(report: Report) -> dict[str, str | None]:
    return {check.id: check.mistake for check in report.checks}


@pytest.mark.parametrize(
    "text", [RIGHT, RIGHT.replace("return ", "return [").rstrip() + "]\n"], ids=["tuple", "list"]
)
def test_a_tuple_of_arrays_is_right(grades: Grades, text: str) -> None:
    assert grades(assignment(), text).points == 4


def test_each_array_is_graded_apart_and_two_mistakes_are_told_apart(grades: Grades) -> None:
    both_wrong = "def both(x, y, scale=1.0):\n    return x + y, scale * (y - x)\n"
    report = grades(assignment(), both_wrong)
    assert named(report) == {"a": "total-unscaled", "b": "difference-turned-round", "c": None, "d": None}
    assert report.points == Decimal(1)
    assert "`total`" in report.checks[0].message
    assert "`difference`" in report.checks[1].message


def test_what_is_no_tuple_is_told_in_words_and_named(grades: Grades) -> None:
    report = grades(assignment(), MISTAKES["total-only"])
    assert set(verdicts(report).values()) == {"wrong type"}
    assert all("a tuple of 2 arrays, (total, difference)" in check.message for check in report.checks)
    assert named(report) == {"a": "total-only", "b": "total-only", "c": "total-only", "d": None}


@pytest.mark.parametrize(
    ("returned", "verdict"),
    [
        ("(x, y, x)", "wrong type"), ("()", "wrong type"), ("(x,)", "wrong type"), ("{'total': x}", "wrong type"),
        ("(x, None)", "wrong type"), ("(None, x)", "wrong type"), ("(x[0], y)", "wrong shape"),
        ("(x, y * float('nan'))", "not finite"), ("np.stack([x + y, x - y]) * scale", "wrong type"),
    ],
)  # fmt: skip
def test_odd_results_are_told_apart(grades: Grades, returned: str, verdict: str) -> None:
    text = f"import numpy as np\ndef both(x, y, scale=1.0):\n    return {returned}\n"
    report = grades(assignment(), text)
    assert verdict in (str(report.checks[0].verdict), str(report.checks[1].verdict))
    assert report.points == 0 or returned in ("(x, y)",)


def test_what_may_be_left_out_is_graded_where_it_is_there(grades: Grades) -> None:
    only = grades(assignment(optional=True), MISTAKES["total-only"])
    assert verdicts(only)["a"] == "passed"
    assert verdicts(only)["c"] == "passed"
    wrong = grades(assignment(optional=True), MISTAKES["difference-turned-round"])
    assert verdicts(wrong)["a"] == "passed"
    assert named(wrong)["c"] == "difference-turned-round"


FORM = ClassForm("Both", ("scale",), "forward", ("x", "y", "scale"))
AS_CLASS = """
class Both:
    def __init__(self, scale=1.0):
        self.scale = scale

    def forward(self, x, y):
        return self.scale * (x + y), self.scale * (x - y)
"""


def test_a_class_stands_in_for_the_function(grades: Grades) -> None:
    assert grades(assignment(class_form=FORM), AS_CLASS).points == 4
    assert grades(assignment(class_form=FORM), RIGHT).points == 4
    wrong = grades(assignment(class_form=FORM), AS_CLASS.replace("self.scale * (x + y)", "x + y"))
    assert named(wrong)["a"] == "total-unscaled"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (AS_CLASS.replace("Both", "Other"), "`both` or the class `Both`; it defines class Other"),
        (AS_CLASS.replace("forward", "backward"), "the class `Both` has no method `forward`"),
        ("Both = 3\n", "`Both` is an int, not a class"),
    ],
)
def test_a_class_that_does_not_fit_is_told(grades: Grades, text: str, said: str) -> None:
    report = grades(assignment(class_form=FORM), text)
    assert said in report.checks[0].message
    assert report.points == 0


def test_where_only_a_function_will_do_a_class_is_none(grades: Grades) -> None:
    assert "it defines class Both" in grades(assignment(), AS_CLASS).checks[0].message


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("attention(q, k, v, mask=None)", ("q", "k", "v", "mask")), ("f(x: int, /, y, *, z=1) -> int", ("x", "y", "z")),
        ("f()", ()), ("f(x", None), ("f(x): pass\ndef g(y)", None), ("f(" * 5000, None), ("f(x)\0", None),
    ],
)  # fmt: skip
def test_parameters_of_a_signature(signature: str, names: tuple[str, ...] | None) -> None:
    assert parameters_of(signature) == names
