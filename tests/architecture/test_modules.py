"""Modules stay small enough to read in a sitting, and say what they are for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "grader").rglob("*.py"))
LONGEST = 400  # lines; a longer module is two rooms


def name(module: Path) -> str:
    return module.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_module_says_what_it_is_for(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_bytes())), f"{name(module)} has no docstring"


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_module_is_not_too_long(module: Path) -> None:
    lines = len(module.read_bytes().splitlines())
    assert lines <= LONGEST, f"{name(module)} has {lines} lines: it is two rooms"


@pytest.mark.parametrize("module", [m for m in MODULES if "inside" in m.parts], ids=name)
def test_the_childs_code_stands_alone(module: Path) -> None:
    """Only the standard library, numpy and its own package: the child's file system holds nothing else."""
    allowed = sys.stdlib_module_names | {"numpy"}
    if module.name == "devices.py":  # each is there where its submissions are given its arrays
        allowed |= {"cupy", "array_api_strict"}
    for imported in absolute_imports(module):
        own = imported == "grader.sandbox.inside" or imported.startswith("grader.sandbox.inside.")
        assert own or imported.split(".")[0] in allowed, f"{name(module)} imports {imported}"


def absolute_imports(module: Path) -> Iterator[str]:
    """The full names that a module imports, wherever in it; `from .x import y` resolved to `grader...x`."""
    package = module.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            origin = ".".join((*above, *((node.module,) if node.module else ())))
            # What `from grader.sandbox import x` imports may be a module, so x belongs to the name.
            if origin.startswith("grader"):
                yield from (f"{origin}.{alias.name}" for alias in node.names)
            else:
                yield origin
