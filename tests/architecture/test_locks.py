"""The locks fix every package by hash, follow from pyproject.toml, and do not tell where they were made."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = ("bootstrap.txt", "site.txt", "gpu.txt", "dev.txt")


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_fixed_by_hash(root: Path, lock: str) -> None:
    entries = read_lock(root, lock)
    assert entries
    for requirement, hashes in entries:
        assert re.fullmatch(r"==[^,*]+", str(requirement.specifier)), f"{requirement} is not one version"
        assert hashes, f"{requirement} has no hash"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in hashes)


@pytest.mark.parametrize("lock", LOCKS)
def test_no_trace_of_the_machine_that_made_it(root: Path, lock: str) -> None:
    for line in (root / "requirements" / lock).read_text().splitlines():
        words = line.strip()
        assert not words.startswith("-") or words.startswith("--hash=sha256:"), f"an option: {line}"
        assert "://" not in words, f"an address: {line}"
        assert " /" not in words, f"a path: {line}"


def test_the_lock_satisfies_the_project(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked: dict[str, list[Requirement]] = {}
    for requirement, _ in read_lock(root, "dev.txt"):
        locked.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    for text in wanted:
        asked = Requirement(text)
        found = locked.get(canonicalize_name(asked.name), [])
        assert found, f"{asked.name} is not in the lock: run `make lock`"
        for requirement in found:
            version = str(requirement.specifier).removeprefix("==")
            assert asked.specifier.contains(version), f"{asked} is locked at {version}: run `make lock`"


def test_a_worker_with_a_gpu_has_what_the_others_have_and_cupy(root: Path) -> None:
    site, gpu = (dict(versions(root, lock)) for lock in ("site.txt", "gpu.txt"))
    assert site.items() <= gpu.items()
    assert "cupy-cuda12x" in {name for name, _ in gpu.keys() - site.keys()}


def versions(root: Path, lock: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Of each package, for each kind of machine that is told apart."""
    for requirement, _ in read_lock(root, lock):
        yield (canonicalize_name(requirement.name), str(requirement.marker)), str(requirement.specifier)


def read_lock(root: Path, lock: str) -> list[tuple[Requirement, list[str]]]:
    """The requirements of a lock, each with its hashes."""
    text = (root / "requirements" / lock).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    entries = [re.split(r"\s+--hash=", line) for line in lines]
    return [(Requirement(head.strip()), hashes) for head, *hashes in entries]
