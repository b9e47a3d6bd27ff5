"""What the judge's zygote runs: a fork that loads an assignment, and judges one submission."""

from __future__ import annotations

import json
import marshal
import os
import sys
from decimal import Decimal
from typing import Any

import numpy as np

from grader import judge
from grader.assignment import CheckSpec, Limits, MistakeSpec
from grader.checks import LocalStudent
from grader.compare import Array
from grader.interface import Device, Returns
from grader.judge import Bundle
from grader.report import Visibility
from grader.source import Source

from .inside import zygote
from .judge_lines import ANSWER, MESSAGE_CHARACTERS, SINGLES, Request
from .measuring import MeasuredRemote


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


def _attention(q: Array, k: Array, v: Array, causal: bool) -> Array:
    scores = np.where(np.tri(q.shape[-2], k.shape[-2], dtype=bool), q @ k.swapaxes(-1, -2), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True) @ v)


def rehearse() -> None:
    """A check of our own: what judging a submission touches first is touched by then."""
    lines: list[dict[str, Any]] = []
    judge.run(_EXAMPLE, lambda: LocalStudent(_attention), seed=0, emit=lines.append)
    json.dumps(lines)


def unpack(head: bytes, files: bytes) -> tuple[Bundle, Limits]:
    """For a judge: `files` may have come from an assignment's own code, so nobody else may call this."""
    told = json.loads(head)
    checks = tuple(
        CheckSpec(id_, title, Decimal(str(points)), Visibility(visibility), timed)
        for id_, title, points, visibility, timed in told["checks"]
    )
    mistakes = tuple(MistakeSpec(id_, hint, frozenset(same)) for id_, hint, same in told["mistakes"])
    parts, required = told["returns"]
    returns = Returns(tuple(parts), required)
    bundle = Bundle(
        told["function"], told["signature"], checks, mistakes, marshal.loads(files), returns, Device(told["device"])
    )  # fmt: skip
    return bundle, Limits(**told["limits"])


def compile_files(files: bytes) -> bytes:
    """For the confined job: each file's text as marshalled code; as it was where it does not compile."""
    compiled: dict[str, str | bytes] = {}
    for path, text in marshal.loads(files).items():
        try:
            compiled[path] = marshal.dumps(compile(text, path, "exec", dont_inherit=True))
        except Exception:  # whoever runs it will say what is wrong
            compiled[path] = text
    return marshal.dumps(compiled)


def serve(job: dict[str, Any], descriptors: list[int]) -> None:
    """`descriptors`: where the lines go, where the worker answers them, the assignment's head and files, the submission
    to quote from, then a pair (calls, replies) for each child there may be, in the order of Children.judge_ends. To
    compile: where the compiled files go, and the files.
    """
    if "compile_bytes" in job:
        written, files_fd = descriptors
        write_all(written, compile_files(os.pread(files_fd, job["compile_bytes"], 0)))
        return
    lines, answers, head_fd, files_fd, quoted_fd, *ends = descriptors
    bundle, limits = unpack(
        os.pread(head_fd, job["head_bytes"], 0), os.pread(files_fd, job["files_bytes"], 0)
    )
    quoted = json.loads(os.pread(quoted_fd, job["quoted_bytes"], 0))
    source = Source(quoted["text"], (), tuple(quoted["cells"]))
    for fd in (head_fd, files_fd, quoted_fd):
        os.close(fd)

    def emit(line: dict[str, Any]) -> None:
        if "message" in line:  # one too long would break off the run, and the blame fall on the student
            line = line | {"message": line["message"][:MESSAGE_CHARACTERS]}
        sys.stdout.flush()  # after the final line the worker may end us at once
        write_all(lines, json.dumps(line).encode() + b"\n")
        # What a check printed is told apart from the next one's by where the line stands: wait until it is taken.
        if "check" in line:
            hear()

    def hear() -> int:
        answer = os.read(answers, ANSWER.size)
        if len(answer) < ANSWER.size:
            os._exit(0)  # the worker has gone
        return int(ANSWER.unpack(answer)[0])

    def ask(request: Request) -> int:
        emit({"ask": request})
        return hear()

    bench, *pairs = zip(ends[::2], ends[1::2], strict=True)
    remote = MeasuredRemote(bench, pairs[:SINGLES], pairs[SINGLES:], limits, bundle, source, ask)

    def load() -> MeasuredRemote:
        remote.load()
        return remote

    try:
        judge.run(bundle, load, seed=job["seed"], emit=emit, naming=job["naming"])
    except judge.BrokenAssignment as broken:
        emit({"broken": str(broken)[:MESSAGE_CHARACTERS]})


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
