"""What the judge's zygote runs: a fork that loads an assignment, and judges one submission."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from grader import judge
from grader.assignment import Assignment, CheckSpec, Limits, MistakeSpec
from grader.checks import LocalStudent
from grader.judge import Bundle
from grader.reference import attention
from grader.report import Visibility, number
from grader.source import Source

from .inside import zygote
from .judge_lines import MESSAGE_CHARACTERS
from .remote import Remote


def main(config: dict[str, Any]) -> None:
    """The judge's zygote."""
    zygote.serve(config, zygote.Role(serve, rehearse))


_EXAMPLE = Bundle(
    function="attention",
    signature="attention(q, k, v)",
    checks=(CheckSpec("example", "", Decimal(1), Visibility.PUBLIC),),
    mistakes=(),
    files={
        "checks/public.py": """
from grader.checks import Call, value_check
from grader.reference import expected_attention

@value_check("example", expected_attention)
def example(draw):
    return Call(*(draw.normal(2, 3, 16, 8) for _ in range(3)), causal=True)
"""
    },
)


def rehearse() -> None:
    """A check of our own: what judging a submission touches first is touched by then."""
    lines: list[dict[str, Any]] = []
    judge.run(_EXAMPLE, lambda: LocalStudent(attention), seed=0, emit=lines.append)
    json.dumps(lines)


def pack(assignment: Assignment) -> bytes:
    """What a judge needs of an assignment, as it travels in a descriptor."""
    return json.dumps(
        {
            "function": assignment.function,
            "signature": assignment.signature,
            "checks": [[c.id, c.title, number(c.points), c.visibility] for c in assignment.checks],
            "mistakes": [[m.id, m.hint, sorted(m.same_as)] for m in assignment.mistakes],
            "limits": asdict(assignment.limits),
            "files": {path: text for path, text in assignment.files.items() if path.endswith(".py")},
        }
    ).encode()


def unpack(raw: bytes) -> tuple[Bundle, Limits]:
    told = json.loads(raw)
    checks = tuple(
        CheckSpec(i, title, Decimal(str(points)), Visibility(v)) for i, title, points, v in told["checks"]
    )
    mistakes = tuple(MistakeSpec(i, hint, frozenset(same)) for i, hint, same in told["mistakes"])
    return Bundle(told["function"], told["signature"], checks, mistakes, told["files"]), Limits(
        **told["limits"]
    )


def serve(job: dict[str, Any], descriptors: list[int]) -> None:
    """`descriptors`: where the lines go, a byte for each check that the worker has taken, the bundle, the submission
    to quote from, then a pair (calls, replies) for each child there may be.
    """
    lines, taken, bundle_fd, quoted_fd, *ends = descriptors
    bundle, limits = unpack(os.pread(bundle_fd, job["bundle_bytes"], 0))
    quoted = json.loads(os.pread(quoted_fd, job["quoted_bytes"], 0))
    source = Source(quoted["text"], (), tuple(quoted["cells"]))
    os.close(bundle_fd)
    os.close(quoted_fd)

    def emit(line: dict[str, Any]) -> None:
        if "message" in line:  # one too long would break off the run, and the blame fall on the student
            line = line | {"message": line["message"][:MESSAGE_CHARACTERS]}
        sys.stdout.flush()  # after the final line the worker may end us at once
        raw = memoryview(json.dumps(line).encode() + b"\n")
        while raw:
            raw = raw[os.write(lines, raw) :]
        # What a check printed is told apart from the next one's by where the line stands: wait until it is taken.
        if "check" in line and not os.read(taken, 1):
            os._exit(0)

    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    remote = Remote(pairs, limits, bundle, source, lambda: emit({"fresh": True}))

    def load() -> Remote:
        remote.load()
        return remote

    try:
        judge.run(bundle, load, seed=job["seed"], emit=emit, naming=job["naming"])
    except judge.BrokenAssignment as broken:
        emit({"broken": str(broken)[:MESSAGE_CHARACTERS]})
