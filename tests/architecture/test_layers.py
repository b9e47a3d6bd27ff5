"""The layers of pyproject.toml hold: nothing imports upwards, and every module has its layer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_layers_hold(root: Path) -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run(
        [linter, "--no-logo", "--no-cache"], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
