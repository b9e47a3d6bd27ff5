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
from grader.judge import Bundle
from grader.report import Visibility, number
from grader.source import Source

from .inside import zygote
from .remote import Remote


def main(config: dict[str, Any]) -> None:
    """The judge's zygote."""
    zygote.serve(config, {"judge": serve})


def pack(assignment: Assignment) -> bytes:
    """What a judge needs of an assignment, as it travels in a descriptor."""
    return json.dumps(
        {
            "function": assignment.function,
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
    return Bundle(told["function"], checks, mistakes, told["files"]), Limits(**told["limits"])


def serve(job: dict[str, Any], descriptors: list[int]) -> None:
    """`descriptors`: where the lines go, the bundle, the submission's text (only to quote from it), then a pair
    (calls, replies) for each child there may be.
    """
    lines, bundle_fd, source_fd, *ends = descriptors
    bundle, limits = unpack(os.pread(bundle_fd, job["bundle_bytes"], 0))
    source = Source(os.pread(source_fd, job["source_bytes"], 0).decode(), (), tuple(job["cells"]))

    def emit(line: dict[str, Any]) -> None:
        sys.stdout.flush()  # after the final line the worker may end us at once
        raw = memoryview(json.dumps(line).encode() + b"\n")
        while raw:
            raw = raw[os.write(lines, raw) :]

    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    remote = Remote(pairs, limits, bundle.function, source, lambda: emit({"fresh": True}))

    def load() -> Remote:
        remote.load()
        return remote

    try:
        judge.run(bundle, load, seed=job["seed"], emit=emit)
    except judge.BrokenAssignment as broken:
        emit({"broken": str(broken)})
