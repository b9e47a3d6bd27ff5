"""No file names a package registry: where packages come from is for the installing machine to say."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

# Written in pieces, so that this file does not name them either.
REGISTRIES = [
    ".".join(parts).encode()
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
    )
]
NOT_SOURCE = {".git", ".venv", "__pycache__", "node_modules"}


def test_no_file_names_a_registry(root: Path) -> None:
    found = [
        f"{path.relative_to(root)} names {registry.decode()}"
        for path in source_files(root)
        for registry in REGISTRIES
        if registry in path.read_bytes().lower()
    ]
    assert not found, "\n".join(found)


def source_files(root: Path) -> Iterator[Path]:
    """Every file that git holds or would take in; in a copy without git, every file but the caches."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=root, capture_output=True, check=False)
    except FileNotFoundError:
        listed = None
    if listed is not None and listed.returncode == 0:
        paths = [root / name for name in listed.stdout.decode().split("\0") if name]
    else:
        paths = [path for path in root.rglob("*") if not hidden_cache(path.relative_to(root))]
    yield from (path for path in paths if path.is_file() and not path.is_symlink())


def hidden_cache(path: Path) -> bool:
    return any(part in NOT_SOURCE or part.endswith("_cache") for part in path.parts)
