"""`platform/` will be a source folder, never a package: a package would hide Python's own `platform` module.

Then manage.py, celery and redis die at import, while a bare pytest still passes. So every way in is tried.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import sysconfig
from itertools import takewhile
from pathlib import Path

STDLIB = Path(sysconfig.get_path("stdlib")).resolve()
WHERE_IS_PLATFORM = "import platform; print(platform.__file__)"


def test_platform_is_not_a_package(root: Path) -> None:
    assert not (root / "platform" / "__init__.py").exists()


def test_pytest_sees_pythons_own_platform() -> None:
    assert Path(platform.__file__).resolve().parent == STDLIB


def test_python_started_in_the_root_sees_pythons_own_platform(root: Path) -> None:
    shown = run([sys.executable, "-c", WHERE_IS_PLATFORM], root)
    assert Path(shown).resolve().parent == STDLIB
    # A package would have no __main__; Python's own module prints what machine this is.
    assert run([sys.executable, "-m", "platform"], root) == platform.platform()


def test_the_console_script_sees_pythons_own_platform(root: Path, tmp_path: Path) -> None:
    script = Path(sys.executable).parent / "grader"
    assert script.exists(), "the project is not installed: run `make setup`"
    # The same first lines, which find the interpreter, but another body.
    head = takewhile(lambda line: not line.startswith(("import ", "from ")), script.read_text().splitlines())
    probe = tmp_path / "grader"
    probe.write_text("\n".join([*head, "import grader", WHERE_IS_PLATFORM]))
    probe.chmod(0o755)
    assert Path(run([str(probe)], root)).resolve().parent == STDLIB


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
