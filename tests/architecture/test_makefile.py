"""`make help` tells of every target."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

EXPECTED = {
    "help",
    "setup",
    "run",
    "manage",
    "test",
    "check",
    "assets",
    "bench",
    "gpu-check",
    "verify",
    "lock",
    "clean",
}


@pytest.fixture(scope="module")
def makefile(root: Path) -> str:
    return (root / "Makefile").read_text()


def test_every_target_has_its_line_of_help(root: Path, makefile: str) -> None:
    targets = set(re.findall(r"^([\w-]+):(?!=)", makefile, flags=re.MULTILINE))
    assert targets == EXPECTED
    shown = subprocess.run(["make", "help"], cwd=root, capture_output=True, text=True, check=True).stdout
    for target in targets:
        assert re.search(rf"^  make {target} +\S", shown, flags=re.MULTILINE), f"{target} is not shown"


def test_no_target_is_mistaken_for_a_file(makefile: str) -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)
    assert set(phony.split()) == EXPECTED
