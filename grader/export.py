"""A student's copy of an assignment: all that may be seen of it, and enough to try one's code out at home.

It holds the prompt, the starter and the public checks. The solution, the hidden checks, even their titles, and the
known mistakes stay behind; so what is graded with it has the verdicts of the public checks, without names of mistakes.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

from grader.assignment import PUBLIC_CHECKS, Assignment
from grader.interface import ONE_ARRAY
from grader.report import Visibility, shown_points

_KEPT = ("prompt.md", "starter.py", PUBLIC_CHECKS)


class NothingPublic(Exception):
    """The assignment has no public checks, so there is nothing to try one's code with."""


def export(assignment: Assignment, out: Path) -> None:
    """Writes the copy into a new or empty folder. Raises OSError, FileExistsError where it is in use; NothingPublic."""
    texts = students_copy(assignment)
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        raise FileExistsError(f"{out} is not empty")
    for path, text in texts.items():
        (out / path).parent.mkdir(exist_ok=True)
        (out / path).write_text(text, encoding="utf-8")


def students_copy(assignment: Assignment) -> dict[str, str]:
    """The files of the copy by their paths. Raises NothingPublic."""
    if not any(check.visibility is Visibility.PUBLIC for check in assignment.checks):
        raise NothingPublic
    return {"assignment.toml": _manifest(assignment)} | {path: assignment.files[path] for path in _KEPT}


def _manifest(assignment: Assignment) -> str:
    checks = [check for check in assignment.checks if check.visibility is Visibility.PUBLIC]
    head = {"slug": assignment.slug, "title": assignment.title, "summary": assignment.summary}
    if assignment.lesson:
        head["lesson"] = assignment.lesson
    head |= {"function": assignment.function, "signature": assignment.signature}
    lines = [f"{key} = {_quoted(value)}" for key, value in head.items()]
    returns = assignment.returns
    if returns != ONE_ARRAY:
        names = [name + "?" * (place >= returns.required) for place, name in enumerate(returns.parts)]
        lines.append(f"returns = [{', '.join(map(_quoted, names))}]")
    lines.append(f"points = {shown_points(sum((check.points for check in checks), Decimal(0)))}")
    lines.append("public_only = true")
    if (form := assignment.class_form) is not None:
        init = ", ".join(map(_quoted, form.init))
        lines += ["", "[class]", f"name = {_quoted(form.name)}"]
        lines += [f"init = [{init}]"] if form.init else []
        lines += [f"method = {_quoted(form.method)}"]
    limits = assignment.limits
    lines += [
        "", "[limits]", f"call_seconds = {limits.call_seconds!r}", f"load_seconds = {limits.load_seconds!r}",
        f"total_seconds = {limits.total_seconds!r}", f"memory_mb = {limits.memory_mb}",
    ]  # fmt: skip
    for check in checks:
        lines += [
            "", "[[checks]]", f"id = {_quoted(check.id)}", f"title = {_quoted(check.title)}",
            f"points = {shown_points(check.points)}", f"visibility = {_quoted(check.visibility)}",
        ]  # fmt: skip
        lines += ["timed = true"] if check.timed else []
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A TOML string: JSON's are the same, but for DEL, which no manifest may hold."""
    return json.dumps(text, ensure_ascii=False)
