"""Everything dies in turn, and each submission is graded once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_fifty_submissions_while_everything_dies_in_turn(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.jobs.endurance"], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    seen = json.loads(done.stdout)
    assert seen["submissions"] == seen["graded"] == seen["full marks"] == seen["grade events"] == 50, seen
    assert seen["attempts used"] == 50, seen
    assert seen["graded twice"] == seen["attempts given back"] == 0, seen
