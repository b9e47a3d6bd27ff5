"""Speed and memory, measured for real; and what a submission tries against it.

No time is asserted. Where the points of a speed check matter its bands are so wide, or so narrow, that they cannot
depend on the machine; "not measured" may come anywhere, and costs nothing.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.assignment import Assignment, Limits
from grader.grade import Grader
from grader.local import grade_locally
from grader.report import Report
from grader.sandbox.children import Children
from grader.sandbox.judge_lines import Request
from grader.sandbox.session import MEASURING_SECONDS, Session
from grader.sandbox.zygotes import _pid_of
from tests.grader.sandbox.conftest import make_assignment, source
from tests.grader.sandbox.surroundings import Surroundings
from tests.grader.sandbox.test_lifecycle import eventually
from tests.grader.sandbox.test_zygotes import bare_child

# Measuring takes seconds, and CI runs these tests as root and as an ordinary user: all rungs are met between the two.
RUNGS = (1, 3) if os.geteuid() == 0 else (2, 4)


@pytest.fixture(params=RUNGS, ids=lambda number: f"rung{number}")
def grader(request: pytest.FixtureRequest, graders: Callable[[int], Grader]) -> Grader:
    return graders(request.param)


LIMITS = Limits(call_seconds=20, load_seconds=20, total_seconds=60, memory_mb=512)

BLOCKED = """
import numpy as np

def one_head(q, k, v, block=128):
    output, k = np.empty((len(q), v.shape[-1]), q.dtype), np.ascontiguousarray(k.T) / np.float32(q.shape[-1] ** 0.5)
    for start in range(0, len(q), block):
        weights = q[start : start + block] @ k
        weights -= weights.max(-1, keepdims=True)
        np.exp(weights, out=weights)
        output[start : start + block] = weights @ v / weights.sum(-1, keepdims=True)
    return output

def attention(q, k, v):
    return one_head(q, k, v) if q.ndim == 2 else np.stack([one_head(*head) for head in zip(q, k, v)])
"""

NAIVE = """
import numpy as np

def attention(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / np.float32(q.shape[-1] ** 0.5)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v
"""

MEMORY = """
from grader.checks import Call, memory_check, property_check
from grader.reference import expected_attention

def long(draw):
    q, k, v = (draw.normal(4, 2048, 16) for _ in range(3))
    q[0, 0, 0] = draw.index  # tells a submission which call it is: the first is weighed, in a process of its own
    return Call(q, k, v)

for id in "IDS":
    globals()[id] = memory_check(id, expected_attention, most_mb=24)(long)

@property_check("0")
def small(student, draw):
    x = draw.normal(4, 8, 16)
    student.ask(Call(x, x, x)).answer(x.shape)

for id in "123":
    globals()["small" + id] = property_check(id)(lambda student, draw: small.run(student, 0))
"""


def memory(ids: str = "a", *, limits: Limits = LIMITS) -> Assignment:
    """Four heads of 2048: their scores are 64 MB. The letters are memory checks, the digits small ordinary ones."""
    letters = "".join(id for id in ids if id.isalpha())
    return make_assignment(MEMORY.replace("IDS", letters), ids=ids, limits=limits, solution=BLOCKED)


def verdicts(report: Report) -> list[str]:
    return [str(check.verdict) for check in report.checks]


def told(report: Report) -> str:
    fault = report.provenance.get("fault", "")
    return "\n".join([*(f"{c.id}: {c.verdict}, {c.points}: {c.message}" for c in report.checks), fault])


def when(condition: str, code: str, text: str = BLOCKED) -> str:
    """The submission, but for calls on which the condition holds: they run the code first."""
    return (
        f"import os, sys, time\n{text}\nplain = attention\n"
        f"def attention(q, k, v):\n    if {condition}:\n        {code}\n    return plain(q, k, v)\n"
    )


IS_WEIGHED = "q.shape[-2] == 2048 and q[0, 0, 0] == 0"


# -- memory


def test_all_scores_at_once_are_seen_and_blocks_are_not(grader: Grader) -> None:
    blocked, naive = grader.grade(memory(), source(BLOCKED)), grader.grade(memory(), source(NAIVE))
    assert verdicts(blocked) == ["passed"], told(blocked)
    assert verdicts(naive) == ["memory limit"], told(naive)
    assert "more than the 24 MB that it may take beside its inputs and its result" in naive.checks[0].message


def test_so_they_are_on_a_students_own_machine() -> None:
    assert verdicts(grade_locally(memory(), source(BLOCKED))) == ["passed"]
    assert verdicts(grade_locally(memory(), source(NAIVE))) == ["memory limit"]


WEIGHS = """
import json
from grader.checks import Call, Check, Draw, Result

def run(student, seed):
    x = Draw(seed, "a").normal(1 << 20)
    nothing = Call("nothing", json.dumps([["float32", x.shape]]), x)
    return Result(message=str(student.weighed(Call(x), [x.shape], nothing)[1] / 2**20))

a = Check("a", run)
"""


def megabytes(grader: Grader, call: str, load: str = "") -> float:
    """What a submission is found to take beside its input and its result, of 4 MB each."""
    text = f"import mmap\nimport numpy as np\n{load}\ndef attention(x):\n    {call}\n    return np.ones_like(x)\n"
    assignment = make_assignment(WEIGHS, ids="a", limits=LIMITS, solution=text)
    report = grader.grade(assignment, source(text))
    assert report.verdict == "passed", told(report)
    return float(report.checks[0].message)


@pytest.mark.parametrize(
    ("call", "taken"),
    [
        ("pass", 0),
        ("kept = np.ones(5 << 17)", 5),
        ("kept = np.ones(24 << 17)", 24),
        ("kept = [np.ones(6 << 17) for _ in range(4)]", 24),
        ("for _ in range(4): np.ones(24 << 17)", 20),  # the result, of 4 MB, takes the same place
        ("kept = bytearray(64 << 20)", 64),
        ("kept = np.zeros(200 << 17)", 0),  # what is never touched is no memory
    ],
)
def test_what_is_weighed_is_what_was_taken(call: str, taken: float, grader: Grader) -> None:
    assert abs(megabytes(grader, call) - taken) < 2


MAPPED = "m = mmap.mmap(-1, 64 << 20); m.write(bytes([1]) * (64 << 20))"
HIDING = {
    "kept from loading": ("pass", "KEPT = np.ones(64 << 17)"),
    "freed after loading": ("pass", "np.ones(64 << 17)"),
    "mapped": (MAPPED, ""),
    "mapped and given back at once": (f"{MAPPED}; m.madvise(mmap.MADV_DONTNEED); m.close()", ""),
}


@pytest.mark.parametrize("place", HIDING)
def test_no_place_is_out_of_sight(place: str, grader: Grader) -> None:
    """Of 64 MB; what was freed early holds the input and the result, of 4 MB each, later on."""
    assert megabytes(grader, *HIDING[place]) > 64 - 8 - 2


def test_what_an_earlier_check_left_is_not_there_to_be_used(grader: Grader) -> None:
    """A small call lets the process fill up, but another process is weighed, in which there was no such call."""
    hoards = NAIVE + (
        "KEPT = []\n"
        "plain = attention\n"
        "def attention(q, k, v):\n"
        "    if q.shape[-2] == 8: KEPT.append(np.ones((4, 2048, 2048), 'f4'))\n"
        "    if q.shape[-2] == 8 or not KEPT: return plain(q, k, v)\n"
        "    scores = np.matmul(q, k.swapaxes(-1, -2), out=KEPT[0])\n"
        "    np.exp(np.divide(scores, np.float32(4), out=scores), out=scores)\n"
        "    return scores @ v / scores.sum(-1, keepdims=True)\n"
    )
    report = grader.grade(memory("0a"), source(hoards))
    assert verdicts(report) == ["passed", "memory limit"], told(report)


def test_what_happens_in_the_weighed_call_is_told_as_ever(grader: Grader, surroundings: Surroundings) -> None:
    short = Limits(call_seconds=2, load_seconds=20, total_seconds=60)
    with surroundings.unharmed(grader):
        prints = grader.grade(memory(), source(when(IS_WEIGHED, "print('here')")))
        raises = grader.grade(memory(), source(when(IS_WEIGHED, "raise ValueError('no')")))
        wrong = grader.grade(memory(), source(when(IS_WEIGHED, "return plain(q, k, v) * 2")))
        dies = grader.grade(memory("a0b"), source(when(IS_WEIGHED, "os._exit(7)")))
        hangs = grader.grade(memory("a0", limits=short), source(when(IS_WEIGHED, "time.sleep(9)")))
    assert prints.checks[0].output == "here\n"
    assert verdicts(raises) == ["exception"], told(raises)
    assert verdicts(wrong) == ["wrong answer"], told(wrong)
    assert verdicts(dies) == ["crashed", "passed", "crashed"], told(dies)
    assert "exit code 7" in dies.checks[0].message
    assert verdicts(hangs) == ["time limit", "passed"], told(hangs)


def test_only_so_many_calls_are_weighed(best_grader: Grader) -> None:
    three, four = (
        best_grader.grade(memory("abc"), source(BLOCKED)),
        best_grader.grade(memory("abcd"), source(BLOCKED)),
    )
    assert verdicts(three) == ["passed"] * 3, told(three)
    assert four.verdict == "assignment fault", told(four)
    assert "weigh more calls than they may" in four.provenance["fault"]


def test_weighing_costs_none_of_the_fresh_children(best_grader: Grader) -> None:
    """Three deaths in small calls, and after each of them a call is weighed."""
    mortal = when("q.shape[-2] == 8", "os._exit(1)")
    report = best_grader.grade(memory("0a1b2c"), source(mortal))
    assert verdicts(report) == ["crashed", "passed"] * 3, told(report)


# -- speed

SPEED = """
from grader.checks import Call, property_check, speed_check
from grader.reference import expected_attention

@speed_check("a", expected_attention, bands=BANDS)
def long(draw):
    return Call(*(draw.normal(2, 1024, 32) for _ in range(3)))

@property_check("b")
def small(student, draw):
    x = draw.normal(4, 8, 16)
    student.ask(Call(x, x, x)).answer(x.shape)
"""
ALL, NONE = "[(1e9, 1)]", "[(1e-9, 1)]"
IS_TIMED = "q.shape[-2] == 1024"


def speed(bands: str = ALL) -> Assignment:
    return make_assignment(
        SPEED.replace("BANDS", bands), ids="ab", timed="a", limits=LIMITS, solution=BLOCKED
    )


def test_the_bands_decide(grader: Grader, surroundings: Surroundings) -> None:
    with surroundings.unharmed(grader):
        generous, strict = (grader.grade(speed(bands), source(BLOCKED)) for bands in (ALL, NONE))
    assert generous.points == 2, told(generous)
    assert generous.checks[0].message
    assert verdicts(strict)[0] in ("time limit", "not measured"), told(strict)
    assert strict.checks[0].points == (strict.checks[0].verdict == "not measured")
    assert strict.checks[1].points == 1, "the child goes on after it has rested"


def test_a_students_own_machine_decides_likewise() -> None:
    assert grade_locally(speed(ALL), source(BLOCKED)).points == 2
    assert verdicts(grade_locally(speed(NONE), source(BLOCKED)))[0] in ("time limit", "not measured")


# What a submission does once its answer is sent, in its own process: the loop that calls it is at its mercy.
AFTERWARDS = """
loop = sys.modules["inside.child"]
sent = loop._send_result
def send(*arguments):
    sent(*arguments)
    CODE
loop._send_result = send
"""


def afterwards(code: str) -> str:
    return "import os, sys, time\n" + BLOCKED + AFTERWARDS.replace("CODE", code)


SPIN = "end = time.perf_counter() + 0.05\n    while time.perf_counter() < end: pass"


def state(pid: int) -> str:
    """R runs, S sleeps, T is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("code", ["pass", SPIN], ids=["idle", "spinning"])
def test_a_submission_rests_while_the_yardstick_is_timed(
    code: str, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, rested = Children.time_bench, []

    def time_bench(children: Children) -> int:
        pid = _pid_of(children._zygote.pidfds[children._child])
        rested.append(eventually(lambda: state(pid) == "T"))
        return plain(children)

    monkeypatch.setattr(Children, "time_bench", time_bench)
    report = grader.grade(speed(), source(afterwards(code)))
    assert report.points == 2, told(report)
    assert len(rested) >= 2 * 2 * 9
    assert all(rested)


GAINS_NOTHING = {
    "sleeps while it is loaded": ("time.sleep(0.3)\n" + BLOCKED, "passed"),
    "remembers answers by their inputs": (
        BLOCKED
        + "known = {}\nplain = attention\ndef attention(q, k, v):\n"
        + "    return known.setdefault(q.tobytes() + k.tobytes() + v.tobytes(), plain(q, k, v))\n",
        "passed",
    ),
    "remembers answers by the inputs' places": (
        BLOCKED
        + "known = {}\nplain = attention\ndef attention(q, k, v):\n"
        + "    if (q.shape, 'at') not in known: known[q.shape, 'at'] = plain(q, k, v)\n"
        + "    return known[q.shape, 'at']\n",
        "wrong answer",
    ),
    "gives a cheap answer once": (
        BLOCKED
        + "calls = []\nplain = attention\ndef attention(q, k, v):\n    calls.append(1)\n"
        + "    return np.zeros_like(q) if len(calls) == 6 else plain(q, k, v)\n",
        "wrong answer",
    ),
    "answers calls that are no student's business": (
        when("not all(isinstance(each, np.ndarray) for each in (q, k, v))", "raise AssertionError"),
        "passed",
    ),
    "is slow where nothing is to be done": (
        "import time\n" + BLOCKED + "plain = attention\ndef attention(q, k=None, v=None, *more):\n"
        "    if more or not isinstance(q, np.ndarray): time.sleep(1)\n    return plain(q, k, v)\n",
        "passed",
    ),
    "answers before it is asked again": (afterwards("os.write(4, bytes(300))"), "protocol violation"),
    "dies after its answer": (afterwards("os._exit(0)"), "crashed"),
    "promises an answer and takes its time": (
        "import os, sys\n" + BLOCKED + """
loop = sys.modules["inside.child"]
plain = attention
def attention(q, k, v):
    frame = sys._getframe(1)
    header = loop.frames.pack_reply(
        frame.f_locals["call_id"], loop.Kind.ARRAY, dtype=v.dtype.str, shape=v.shape, payload_bytes=v.nbytes
    )
    os.write(4, header)
    loop._write(4, plain(q, k, v).reshape(-1).view(np.uint8))
    loop._send_result = lambda *_: None
""",
        "passed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", GAINS_NOTHING)
def test_a_submission_gains_nothing(what: str, grader: Grader, surroundings: Surroundings) -> None:
    text, verdict = GAINS_NOTHING[what]
    with surroundings.unharmed(grader):
        report = grader.grade(speed(), source("import time\n" + text))
    assert verdicts(report)[0] in (verdict, "not measured" if verdict == "passed" else verdict), told(report)
    assert report.checks[0].points == (verdict == "passed"), told(report)
    assert report.checks[0].flag == ""


def test_what_happens_in_a_timed_call_is_told_as_ever(grader: Grader, surroundings: Surroundings) -> None:
    counted = "calls = []\n" + BLOCKED
    sixth = "calls.append(1) or len(calls) == 6"
    with surroundings.unharmed(grader):
        prints = grader.grade(speed(), source(when(IS_TIMED, "print('here')")))
        raises = grader.grade(speed(), source(when(sixth, "raise ValueError('no')", counted)))
        dies = grader.grade(speed(), source(when(sixth, "os._exit(7)", counted)))
    assert set(prints.checks[0].output.split()) == {"here"}
    assert prints.checks[0].output.count("here") >= 2 + 9
    assert prints.checks[1].output == ""
    assert verdicts(raises) == ["exception", "passed"], told(raises)
    assert verdicts(dies) == ["crashed", "passed"], told(dies)
    assert "exit code 7" in dies.checks[0].message


def test_a_file_that_cannot_be_loaded_is_not_measured_either(grader: Grader) -> None:
    for assignment in (speed(), memory("ab")):
        assert verdicts(grader.grade(assignment, source("1 / 0"))) == ["exception", "not run"]


def test_what_the_yardstick_cannot_take_is_the_assignments_fault(grader: Grader) -> None:
    checks = SPEED.replace("1024, 32) for _ in range(3)", "64, 8) for _ in range(2)").replace(
        "expected_attention, bands", "double, bands"
    )
    double = """
from grader.checks import Expected
def double(q, k):
    return Expected(2.0 * q, 0 * q + 1e-9, q.dtype)
"""
    doubles = "def attention(q, k=None, v=None):\n    return 2 * q\n"
    assignment = make_assignment(
        double + checks.replace("BANDS", ALL), ids="ab", timed="a", limits=LIMITS, solution=doubles
    )
    report = grader.grade(assignment, source(doubles))
    assert report.verdict == "assignment fault", told(report)
    assert "the yardstick could not be run" in report.provenance["fault"]


def test_measuring_has_time_of_its_own_but_once(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, deadlines = Session._fulfil, []

    def fulfil(watched: Session, request: Request) -> int:
        deadlines.append(watched._deadline)
        number = plain(watched, request)
        deadlines.append(watched._deadline)
        return number

    monkeypatch.setattr(Session, "_fulfil", fulfil)
    report = grader.grade(memory("ab"), source(BLOCKED))
    assert report.points == 2, told(report)
    first, *_, last = deadlines
    assert sorted(set(deadlines)) == [first, last]
    assert last == first + MEASURING_SECONDS


# -- a fork's clock


def test_a_fork_that_is_held_takes_no_time(grader: Grader) -> None:
    assert grader._zygotes is not None
    zygote = grader._zygotes.child
    with bare_child(grader, "while True: pass") as child:
        pid = child.pid()
        assert eventually(lambda: zygote.signal_and_time(child.job, None) > 0)
        zygote.signal_and_time(child.job, signal.SIGSTOP)
        assert eventually(lambda: state(pid) == "T")
        held = zygote.signal_and_time(child.job, None)
        assert not eventually(lambda: zygote.signal_and_time(child.job, None) > held, 0.1)
        zygote.signal_and_time(child.job, signal.SIGCONT)
        assert eventually(lambda: zygote.signal_and_time(child.job, None) > held)
        zygote.signal_and_time(child.job, signal.SIGSTOP)


def test_a_fork_that_has_ended_has_no_time(grader: Grader) -> None:
    assert grader._zygotes is not None
    zygote = grader._zygotes.child
    with bare_child(grader, "import os; os._exit(0)") as child:
        assert eventually(lambda: zygote.signal_and_time(child.job, signal.SIGCONT) == 0)
        while child.job not in zygote.ended:
            zygote.hear(wait=True)
        assert zygote.signal_and_time(child.job, None) == 0
