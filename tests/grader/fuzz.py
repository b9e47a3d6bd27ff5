"""Junk against the grader for as long as one likes: `python -m tests.grader.fuzz 60`. Prints what came of it.

A hostile submission in the real sandbox answers with random bytes, random headers and truncated frames, and random
TOML stands where a manifest should. Whatever comes, the grader answers in time, blames the right one, and gives no
point. `test_fuzz.py` runs it for a moment.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from pathlib import Path

from grader.assignment import Assignment, AssignmentError, assignment_from_texts, load_assignment
from grader.grade import Grader
from grader.report import Verdict
from grader.source import Source

ASSIGNMENTS = Path(__file__).resolve().parents[2] / "assignments"
SLOWEST = 60.0  # seconds that one submission may take at the very most: several times the sum of its limits

# Speaks to the judge behind the loop's back, then lets the loop answer with zeros. What it says follows from SEED.
HOSTILE = """
import os, random, struct, sys
import numpy as np

SEED = {seed}
DICE = random.Random(SEED)


def call_id():
    frame = sys._getframe()
    while "calls" not in frame.f_locals or "replies" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["call_id"]


def number():
    return DICE.choice([0, 1, 2, 3, 8, 255, 2**31, 2**63, DICE.randrange(2**64)])


def header(id):
    kind, code, ndim = DICE.randrange(8), DICE.randrange(18), DICE.randrange(12)
    lengths = [number() for _ in range(8)]
    numbers = [id, kind, code, ndim, DICE.randrange(2), *lengths, number()]
    return struct.pack("<4sQBBBB8QQ16s", b"SOF1", *numbers, bytes(16))


def answer(id, array):
    lengths = [*array.shape, *[0] * (8 - array.ndim)]
    head = struct.pack("<4sQBBBB8QQ16s", b"SOF1", id, 2, 1, array.ndim, 0, *lengths, array.nbytes, bytes(16))
    return head + array.tobytes()


def {function}(*args, **kwargs):
    first = args[0]
    id = DICE.choice([call_id(), call_id(), 0, DICE.randrange(2**64)])
    said = DICE.choice([
        lambda: DICE.randbytes(DICE.randrange(2000)),
        lambda: header(id) + DICE.randbytes(DICE.randrange(500)),
        lambda: header(id)[:DICE.randrange(100)],
        lambda: answer(id, np.zeros_like(first))[:DICE.randrange(first.nbytes + 100)],
        lambda: answer(id, np.zeros_like(first)) * DICE.randrange(1, 4),
        lambda: b"",
    ])()
    try:
        os.write(4, said)
    except OSError:
        pass
    if DICE.random() < 0.1:
        os._exit(DICE.randrange(256))
    return DICE.choice([np.zeros_like(first), None, (first, first, first), [np.zeros(DICE.randrange(9))] * 2, 1.5])
"""


def hostile(assignment: Assignment, seed: int) -> Source:
    return Source(HOSTILE.replace("{seed}", str(seed)).replace("{function}", assignment.function))


def junk_submission(grader: Grader, assignment: Assignment, seed: int) -> str:
    """Grades one; returns its verdict. Raises AssertionError where something was believed, blamed or waited for."""
    started = time.monotonic()
    report = grader.grade(assignment, hostile(assignment, seed), seed=seed)
    assert time.monotonic() - started < SLOWEST, f"seed {seed}: it took for ever"
    assert report.points == 0, f"seed {seed}: {report.points} points for junk"
    for check in report.checks:
        assert not check.verdict.is_fault, f"seed {seed}: {check.verdict}: {check.message}"
        assert check.verdict is not Verdict.PASSED, f"seed {seed}"
    return str(report.checks[0].verdict)


def junk_folder(texts: dict[str, str], seed: int) -> str:
    """Loads a folder with a spoilt manifest. Raises anything but AssignmentError where loading breaks."""
    dice = random.Random(seed)
    manifest = texts["assignment.toml"]
    for _ in range(dice.randrange(1, 6)):
        place = dice.randrange(len(manifest))
        spoilt = dice.choice([
            "", "[", "]]", "=", '"', "'''", "\n", "[[checks]]\n", "1e400", "-1", "nan", "9" * 5000, "{a=1}",
            "\x7f", "é", manifest[dice.randrange(len(manifest)) :][: dice.randrange(200)],
        ])  # fmt: skip
        manifest = manifest[:place] + spoilt + manifest[place + dice.randrange(30) :]
    try:
        assignment_from_texts({**texts, "assignment.toml": manifest})
    except AssignmentError as refused:
        problems = refused.problems
    else:
        return "taken"
    assert problems, f"seed {seed}: refused without a reason"
    assert all(problem.sentence for problem in problems), f"seed {seed}"
    return "refused"


def fuzz(seconds: float, first_seed: int = 0) -> Counter[str]:
    """What became of all that was tried within the time."""
    assignments = [load_assignment(folder) for folder in sorted(ASSIGNMENTS.iterdir()) if folder.is_dir()]
    outcomes: Counter[str] = Counter()
    until = time.monotonic() + seconds
    seed = first_seed
    with Grader() as grader:
        while seed == first_seed or time.monotonic() < until:
            assignment = assignments[seed % len(assignments)]
            try:
                outcomes[f"submission: {junk_submission(grader, assignment, seed)}"] += 1
                for number in range(20):
                    outcomes[f"folder: {junk_folder(dict(assignment.files), 20 * seed + number)}"] += 1
            except Exception as error:
                error.add_note(f"Again: python -m tests.grader.fuzz 1 {seed}")
                raise
            seed += 1
    return outcomes


if __name__ == "__main__":
    for outcome, count in sorted(fuzz(float(sys.argv[1]), int([*sys.argv, "0"][2])).items()):
        print(f"{count:7d}  {outcome}")
