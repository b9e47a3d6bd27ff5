"""The two assignments, loaded by hand, and one submission run through all checks of one."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.checks import Check, Failed, LocalStudent
from grader.mistakes import KnownMistakes
from grader.report import Verdict

ASSIGNMENTS = Path(__file__).resolve().parents[3] / "assignments"
SLUGS = ("scaled-dot-product", "causal-mask")


@dataclass(frozen=True)
class Outcome:
    """Of one check: None where it passed, else the failure and the mistake that was named."""

    failure: Failed | None = None
    mistake: str | None = None

    @property
    def verdict(self) -> Verdict:
        return self.failure.verdict if self.failure else Verdict.PASSED


class Loaded:
    """An assignment folder, its code executed."""

    def __init__(self, slug: str) -> None:
        self.folder = ASSIGNMENTS / slug
        self.config: dict[str, Any] = tomllib.loads((self.folder / "assignment.toml").read_text())
        files = {name: run(self.folder / "checks" / f"{name}.py") for name in ("public", "hidden")}
        self.by_file = {
            name: {value.id: value for value in vars(module).values() if isinstance(value, Check)}
            for name, module in files.items()
        }
        self.checks: dict[str, Check] = {
            entry["id"]: (self.by_file["public"] | self.by_file["hidden"])[entry["id"]]
            for entry in self.config["checks"]
        }
        self.mistakes: dict[str, Callable[..., Any]] = {
            entry["id"]: self.function(f"mistakes/{entry['id']}.py") for entry in self.config["mistakes"]
        }
        self.known = KnownMistakes(self.mistakes)
        self.same_as: Mapping[str, frozenset[str]] = {
            entry["id"]: frozenset(entry.get("same_as", ())) for entry in self.config["mistakes"]
        }

    def function(self, file: str) -> Callable[..., Any]:
        function = vars(run(self.folder / file))[self.config["function"]]
        assert callable(function)
        return function  # type: ignore[no-any-return]

    def grade(self, function: Callable[..., Any], seed: int = 0) -> dict[str, Outcome]:
        return {
            id: outcome(check, function, seed, known=self.known, same_as=self.same_as)
            for id, check in self.checks.items()
        }


def outcome(
    check: Check,
    function: Callable[..., Any],
    seed: int = 0,
    *,
    known: KnownMistakes,
    same_as: Mapping[str, frozenset[str]] | None = None,
) -> Outcome:
    """What a judge makes of one check."""
    try:
        check.run(LocalStudent(function), seed)
    except Failed as failure:
        return Outcome(failure, known.name(failure.observations, same_as or {}))
    return Outcome()


def run(file: Path) -> ModuleType:
    module = ModuleType(file.stem)
    exec(compile(file.read_text(), str(file), "exec"), vars(module))
    return module
