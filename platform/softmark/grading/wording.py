"""What a result means, in plain words, for whoever handed it in."""

from __future__ import annotations

from grader.report import Verdict
from softmark.grading.visible import HiddenChecks, ShownReport

# Of the first check that failed: what it means, and what to do about it.
MEANING = {
    Verdict.WRONG_ANSWER: "Your code runs, and some of what it returns is not right yet. Work a tiny case by hand and"
    " compare it with what your function returns.",
    Verdict.WRONG_SHAPE: "Your function returns an array of another shape than it should. Print the shape of each"
    " array on the way, and find the first that is wrong.",
    Verdict.WRONG_TYPE: "Your function returns something of another type than it should. The message says which type"
    " is asked for.",
    Verdict.NOT_FINITE: "Your result holds nan or infinity. Look for an exp() of something large, a division by zero,"
    " or infinity times zero.",
    Verdict.EXCEPTION: "Your code raised an exception. Go to the line that the message names, and look at the values"
    " there.",
    Verdict.TIME_LIMIT: "Your code takes longer than it may. Look for a loop that does not end, or one that"
    " whole-array operations can replace.",
    Verdict.MEMORY_LIMIT: "Your code needs more memory than it may use. Look for arrays larger than they need to be,"
    " and for copies.",
    Verdict.OUTPUT_LIMIT: "Your code prints more than it may. Take out the print() calls.",
    Verdict.CRASHED: "The process that ran your code ended. Take out what ends it, and look for recursion without an"
    " end.",
    Verdict.PROTOCOL_VIOLATION: "A check could not be completed with your code, though it can with the model solution."
    " Keep to what the function needs, and return a plain new array.",
    Verdict.NOT_RUN: "Some checks were not run. Their messages say why.",
    Verdict.NOT_MEASURED: "All that could be measured passed; the machine was too busy for the rest, which is not your"
    " doing.",
    Verdict.ASSIGNMENT_FAULT: "The assignment's own checks failed. That is not your doing, and it costs you nothing.",
    Verdict.PLATFORM_FAULT: "The grader failed. That is not your doing, and it costs you nothing.",
}


def outcome(report: ShownReport, *, advise: bool) -> str:
    """The whole in a sentence or two, of what the reader sees. advise: with what to do next."""
    known = {str(verdict): words for verdict, words in MEANING.items()}
    failure = report.first_failure
    said = [_counted(report), known.get(failure.verdict, "") if failure and advise else ""]
    return " ".join(filter(None, said))


def _counted(report: ShownReport) -> str:
    checks, hidden = report.checks, report.hidden
    if not checks:
        return _hidden_alone(hidden) if hidden else ""
    passed = sum(check.passed for check in checks)
    which = " that you can see" if hidden else ""
    if passed < len(checks):
        return f"{passed} of {len(checks)} checks{which} passed."
    many = {1: "The one check", 2: "Both checks"}.get(passed, f"All {passed} checks")
    return f"{many}{which} passed{_hidden_too(hidden) if hidden else ''}."


def _hidden_alone(hidden: HiddenChecks) -> str:
    if hidden.count == 1:
        return "The hidden check passed." if hidden.passed else "The hidden check did not pass."
    return (
        f"All {hidden.count} hidden checks passed."
        if hidden.passed
        else "Not all of the hidden checks passed."
    )


def _hidden_too(hidden: HiddenChecks) -> str:
    ones = "one" if hidden.count == 1 else "ones"
    if hidden.passed:
        return f", and so did the hidden {ones}"
    return f", but not {'' if hidden.count == 1 else 'all of '}the hidden {ones}"
