"""The assignments of this repository, and the reference library as a submission to each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from grader import judge, reference
from grader.assignment import Assignment, load_assignment
from grader.checks import Failed, LocalStudent
from grader.sandbox.inside.child import load_submission

ASSIGNMENTS = Path(__file__).parents[1] / "assignments"


def _multi_head(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, heads: int, causal: bool = False) -> Any:
    return reference.multi_head_attention(x, w_q, w_k, w_v, w_o, heads, causal=causal)


def _grouped(
    x: Any, context: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, heads: int, kv_heads: int, mask: Any = None
) -> Any:
    return reference.multi_head_attention(
        x, w_q, w_k, w_v, w_o, heads, context=context, kv_heads=kv_heads, mask=mask
    )


def _online(q: Any, k: Any, v: Any, causal: bool = False) -> Any:
    return reference.online_attention(q, k, v, causal=causal)


def _blocked(q: Any, k: Any, v: Any, causal: bool = False) -> Any:
    return reference.attention(q, k, v, causal=causal)


REFERENCE: dict[str, Callable[..., Any]] = {
    "dot-product-scores": reference.scores,
    "stable-softmax": reference.softmax,
    "scaled-dot-product": reference.attention,
    "causal-mask": reference.attention,
    "multi-head": _multi_head,
    "grouped-query": _grouped,
    "rope": reference.rope,
    "kv-cache": reference.decode,
    "blocked-attention": _online,
    "attention-backward": reference.attention_backward,
    "fast-attention": _blocked,
}


def assignment(slug: str) -> Assignment:
    return load_assignment(ASSIGNMENTS / slug)


def styles(slug: str) -> dict[str, Callable[..., Any]]:
    """By name, the right implementations that the folder holds beside its solution."""
    whole = assignment(slug)
    form = whole.class_form.to_dict() if whole.class_form is not None else None
    return {
        name: load_submission(whole.files[path], whole.function, form) for name, path in whole.styles.items()
    }


def outcomes(
    whole: Assignment, function: Callable[..., Any], seeds: Iterable[int]
) -> dict[str, Exception | None]:
    """What came of each check that is not about time or memory, in this process: None where it passed with every seed.

    Else its failure, or what the function itself raised.
    """
    student = LocalStudent(function, _as_it_is, whole.returns)
    found: dict[str, Exception | None] = {}
    for id_, check in judge.load_checks(judge.Bundle.of(whole)).items():
        if check.measures:
            continue
        found[id_] = None
        try:
            for seed in seeds:
                check.run(student, seed)
        except Exception as outcome:
            found[id_] = outcome
    return found


def _as_it_is(error: BaseException) -> Failed:
    raise error
