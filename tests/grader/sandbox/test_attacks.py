"""Every attack, by submissions and by assignments, on every rung that this machine offers."""

from __future__ import annotations

import json
import platform
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.assignment import Assignment, AssignmentError, Limits, load_assignment
from grader.grade import Grader
from grader.report import Report, Verdict, Visibility
from grader.sandbox import session
from grader.sandbox.session import Outcome
from grader.source import Source
from tests.grader.sandbox import attacks_child, attacks_judge
from tests.grader.sandbox.attack import Attack
from tests.grader.sandbox.conftest import CHECKS, PATIENT, RIGHT, make_assignment, source
from tests.grader.sandbox.surroundings import SECRET, Surroundings

CHILD = attacks_child.ATTACKS
JUDGE = attacks_judge.ATTACKS
CALM = Limits(call_seconds=1.0, load_seconds=2.0, total_seconds=10.0)  # check `b` must be passed within it
ENDLESS = Limits(call_seconds=0.2, load_seconds=0.3, total_seconds=0.3)


@pytest.mark.parametrize("name", CHILD)
def test_no_submission_gets_out_or_earns_what_it_should_not(
    name: str, grader: Grader, surroundings: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack = CHILD[name]
    skip_where_it_makes_no_sense(attack)
    monkeypatch.setenv("SECRET", SECRET)
    text = attacks_child.PRELUDE + surroundings.facts() + attack.code + attacks_child.DISPATCH
    with surroundings.unharmed(grader):
        limits = CALM if attack.verdict in (None, "time limit", "output limit") else PATIENT
        report = grader.grade(make_assignment(limits=limits), source(text))
    told = explained(report)
    first, second = report.checks
    assert "SUCCEEDED" not in told, told
    assert not first.verdict.is_fault, told
    assert first.points == 0, told
    assert second.points == attack.then, told
    assert attack.verdict is None or str(first.verdict) == attack.verdict, told
    still_grades_rightly(grader)


@pytest.mark.parametrize("name", JUDGE)
def test_no_assignment_gets_out_or_harms_the_worker(
    name: str, grader: Grader, surroundings: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack = JUDGE[name]
    skip_where_it_makes_no_sense(attack)
    monkeypatch.setenv("SECRET", SECRET)
    if attack.endless:  # the time for the judge's own work is what ends it: here as short as can be
        monkeypatch.setattr(session, "JUDGE_SECONDS", 0.3)
    outcomes = noted(grader, monkeypatch)
    text = attacks_judge.PRELUDE + surroundings.facts() + attack.code + attacks_judge.CHECKS
    limits = ENDLESS if attack.endless else CALM if attack.verdict == "time limit" else PATIENT
    with surroundings.unharmed(grader):
        report = grader.grade(make_assignment(text, limits=limits), source(RIGHT))
    told = "\n".join([explained(report), *(outcome.judge_output[:3000] for outcome in outcomes)])
    assert "SUCCEEDED" not in told, told
    assert attack.verdict is None or str(report.verdict) == attack.verdict, told
    assert [check.id for check in report.checks] in (["a", "b"], ["b", "a"])
    assert all(0 <= check.points <= check.max_points == 1 for check in report.checks), told
    assert report.verdict == "passed" or report.points < 2, told
    assert len(json.dumps(report.to_dict())) < 300_000
    report.to_json().encode()  # half characters would fail
    monkeypatch.undo()
    still_grades_rightly(grader)


def skip_where_it_makes_no_sense(attack: Attack) -> None:
    if attack.machine not in ("", platform.machine()):
        pytest.skip(f"this attack is machine code for {attack.machine}")


def noted(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """The outcomes of the runs that grading takes, with what the judges printed, which no report holds."""
    outcomes: list[Outcome] = []
    run = grader._run

    def run_and_note(*arguments: Any, **options: Any) -> Outcome:
        outcomes.append(run(*arguments, **options))
        return outcomes[-1]

    monkeypatch.setattr(grader, "_run", run_and_note)
    return outcomes


def still_grades_rightly(grader: Grader) -> None:
    report = grader.grade(make_assignment(), source(RIGHT))
    assert report.points == report.max_points == Decimal(2), explained(report)


def explained(report: Report) -> str:
    return "\n".join(
        f"{c.id}: {c.verdict}, {c.points}: {c.message[:1000]}\n{c.output[:3000]}" for c in report.checks
    )


# -- what takes more than one check, or more than one submission

SEVERAL = """
import numpy as np
from grader.checks import Call, ask_array, property_check, require

def test(student, draw):
    for _ in range(CALLS):
        x = draw.normal(4)
        require(bool((ask_array(student, Call(x), x.shape, x.dtype) == 2 * x).all()), "not doubled")
"""


def several(ids: str, *, calls: int, limits: Limits) -> Assignment:
    """An assignment whose every check makes so many calls."""
    text = SEVERAL.replace("CALLS", str(calls))
    text += "".join(f'check_{id_} = property_check("{id_}")(test)\n' for id_ in ids)
    return make_assignment(text, ids=ids, limits=limits, solution="def attention(x): return 2 * x")


def test_answering_inside_every_limit_ends_in_the_time_limit(grader: Grader) -> None:
    """Each limit is several times what is used of it, but not so the sum of all."""
    slow = "import time\ntime.sleep(0.3)\ndef attention(x):\n    time.sleep(0.15)\n    return 2 * x\n"
    assignment = several(
        "abcd", calls=4, limits=Limits(call_seconds=1.0, load_seconds=1.2, total_seconds=0.3)
    )
    report = grader.grade(assignment, source(slow))
    assert not any(check.verdict.is_fault for check in report.checks), explained(report)
    assert report.verdict == "time limit"
    assert report.checks[-1].verdict == "time limit"
    assert "Loading and all calls together may take 1.5 s" in explained(report)
    assert report.seconds < 10


def test_a_fresh_child_brings_no_fresh_time(grader: Grader) -> None:
    slow = "import os, time\ntime.sleep(0.5)\ndef attention(x):\n    time.sleep(0.1)\n    os._exit(0)\n"
    assignment = several(
        "abcdef", calls=1, limits=Limits(call_seconds=1.0, load_seconds=1.2, total_seconds=0.2)
    )
    report = grader.grade(assignment, source(slow))
    assert "may take 1.4 s, and that was used up" in explained(report)
    assert report.points == 0
    assert report.seconds < 10


@pytest.mark.parametrize(
    "death",
    ["os._exit(0)", "ctypes.string_at(8)", "os.close(4); time.sleep(9)", "os.write(4, bytes(300))"],
)
def test_dying_in_every_check_costs_three_fresh_children_and_no_more(death: str, grader: Grader) -> None:
    report = grader.grade(
        several("abcdefgh", calls=1, limits=PATIENT),
        source(f"import ctypes, os, time\ndef attention(x):\n    {death}\n    return x\n"),
    )
    verdicts = [str(check.verdict) for check in report.checks]
    assert verdicts[4:] == ["not run"] * 4, explained(report)
    assert set(verdicts[:4]) <= {"crashed", "protocol violation"}, explained(report)
    assert len(set(verdicts[:4])) == 1, explained(report)
    assert "started anew 3 times already" in report.checks[-1].message
    assert report.points == 0


def test_dying_in_one_check_costs_only_that_one(grader: Grader) -> None:
    mortal = "import os\ncalls = 0\ndef attention(x):\n    if x[0] > 0: os._exit(0)\n    return 2 * x\n"
    report = grader.grade(several("abc", calls=1, limits=PATIENT), source(mortal), seed=5)
    assert {str(check.verdict) for check in report.checks} <= {"passed", "crashed"}
    assert report.points == [check.verdict for check in report.checks].count(Verdict.PASSED)


def test_inputs_that_find_no_room_are_a_memory_limit(grader: Grader) -> None:
    hoards = (
        attacks_child.PRELUDE
        + attacks_child.ATTACKS["no room for the next call"].code
        + attacks_child.DISPATCH
    )
    report = grader.grade(make_assignment(), source(hoards))
    assert report.checks[1].verdict == "memory limit", explained(report)
    assert "Traceback" not in explained(report)


def test_nothing_of_one_submission_is_there_for_the_next(grader: Grader) -> None:
    leaves = attacks_child.PRELUDE + attacks_child.ATTACKS["what an earlier submission left"].code
    grader.grade(make_assignment(), source(leaves + attacks_child.DISPATCH))
    looks = """
import builtins, os, sys
import numpy as np
left = ["LEFT" in os.environ, "left" in sys.modules, np.multiply is None]
left += [hasattr(module, "left") for module in (np, builtins)]
def attention(q, k, v):
    print(left)
"""
    report = grader.grade(make_assignment(), source(looks))
    assert report.checks[0].output == f"{[False] * 5}\n"


def test_nothing_of_one_child_is_there_for_the_next(grader: Grader) -> None:
    remembers = """
import fcntl, os, sys
def attention(q, k, v):
    print("found", "seen" in os.environ, hasattr(sys, "seen"), sorted(set(dir(fcntl)) & {"seen"}), flush=True)
    os.environ["seen"] = "yes"
    sys.seen = fcntl.seen = q.copy()
    os._exit(0)
"""
    report = grader.grade(make_assignment(), source(remembers))
    assert [check.output for check in report.checks] == ["found False False []\n"] * 2


def test_random_numbers_are_the_same_in_each_child_and_of_no_use(grader: Grader) -> None:
    draws = """
import os, random
import numpy as np
print(random.random(), np.random.random())
def attention(q, k, v):
    os._exit(0)
"""
    first, second = (grader.grade(make_assignment(), source(draws)).checks for _ in range(2))
    assert first[0].output == second[0].output != ""


SPY = """
import numpy as np
kept = []
def attention(q, k, v):
    if v is None:
        print("kept", *(x.ravel()[0] for x in kept))
        raise ValueError(f"kept {kept}")
    kept.append(q.copy())
    print("seen", q.ravel()[0])
    raise ValueError(f"seen {q.ravel()[0]}")
"""


def test_a_hidden_check_shows_neither_output_nor_words_of_the_submission(grader: Grader) -> None:
    report = grader.grade(make_assignment(visibility=Visibility.AFTER_DUE), source(SPY))
    for check in report.checks:
        assert check.output == ""
    assert report.checks[0].message == (
        'Your code failed: ValueError at line 10.\n    raise ValueError(f"seen {q.ravel()[0]}")'
    )


def test_no_public_check_comes_after_a_hidden_one(tmp_path: Path) -> None:
    """It would show what the code kept of the hidden one: in its output, and in the words of an exception."""
    hidden, public = CHECKS.split('@property_check("b")')
    head = hidden.split('@property_check("a")')[0]
    write_assignment(tmp_path, hidden=hidden, public=f'{head}@property_check("b")\n{public.lstrip()}')
    with pytest.raises(AssignmentError, match="Put public checks first"):
        load_assignment(tmp_path)


def write_assignment(folder: Path, *, hidden: str, public: str) -> None:
    """An assignment as its author writes it, whose hidden check stands before the public one."""
    files = {
        "assignment.toml": """
slug = "two-checks"
title = "Two checks"
summary = "One hidden, one public."
function = "attention"
signature = "attention(q, k, v)"
points = 2

[[checks]]
id = "a"
title = "hidden"
points = 1
visibility = "never"

[[checks]]
id = "b"
title = "public"
points = 1
visibility = "public"
""",
        "checks/hidden.py": hidden,
        "checks/public.py": public,
        "solution.py": RIGHT,
        "starter.py": RIGHT,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def test_a_notebook_of_many_cells_is_graded(grader: Grader, surroundings: Surroundings) -> None:
    """Their list once broke a control message, and with it the zygote: a platform fault for the asking."""
    many = Source(RIGHT, (), tuple(range(1, 200_000)))
    with surroundings.unharmed(grader):
        assert grader.grade(make_assignment(), many).points == 2


@pytest.mark.parametrize("size", [0, 1, 65_536, 1_000_000])
def test_source_of_any_size_is_graded(size: int, grader: Grader) -> None:
    assert grader.grade(make_assignment(), source(RIGHT + "#" * size)).points == 2
    assert grader.grade(make_assignment(), source("\n" * size)).verdict == "exception"


def test_points_are_not_earned_by_breaking_the_judge_after_the_first_check(grader: Grader) -> None:
    """The judge dies after check `a` whenever the student is not the model solution: the student is to blame."""
    checks = CHECKS.replace(
        'require(bool((got == 2 * x).all()), "not doubled")', "import os\n    got.all() or os._exit(1)"
    )
    zeros = RIGHT.replace("return 2 * q", "return 0 * q")
    report = grader.grade(make_assignment(checks), source(zeros))
    assert [str(check.verdict) for check in report.checks] == ["passed", "protocol violation"], explained(
        report
    )
    assert report.points == 1
