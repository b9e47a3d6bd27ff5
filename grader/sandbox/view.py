"""What each zygote can see of the file system: an interpreter, numpy, and for the judge the grader.

The child's view holds no grader, no assignment, no fixture and no other installed package.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SANDBOX = Path(__file__).parent
GRADER = SANDBOX.parent
_SITE = "/sandbox"  # where packages lie inside a namespace
_DEVICES = ("/dev/null", "/dev/urandom")


@dataclass(frozen=True)
class View:
    """A role's part of the view. `packages`: folders that are importable under their own names."""

    role: str
    module: str  # has main(config): what the zygote runs
    packages: tuple[Path, ...]


def child_view() -> View:
    return View("child", "inside.zygote", (SANDBOX / "inside", *_numpy()))


def judge_view() -> View:
    packages = (GRADER, _package("array_api_compat"), *_numpy())
    return View("judge", "grader.sandbox.judge_process", packages)


def _numpy() -> tuple[Path, ...]:
    package = _package("numpy")
    libraries = package.with_name("numpy.libs")  # the wheel's BLAS, found relative to the package
    return (package, libraries) if libraries.exists() else (package,)


def _package(name: str) -> Path:
    """A package's folder, found without importing it: the worker itself has no need of numpy."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed", name=name)
    return Path(spec.origin).parent


def interpreter() -> str:
    """The real interpreter: a virtual environment's is a link to it, and brings site-packages we do not want."""
    return os.path.realpath(sys.executable)


def standard_library() -> tuple[Path, ...]:
    folders = {Path(sysconfig.get_path(name, vars=_base())).resolve() for name in ("stdlib", "platstdlib")}
    return tuple(sorted(folders))


def _base() -> dict[str, str]:
    return {"base": sys.base_prefix, "platbase": sys.base_exec_prefix, "installed_base": sys.base_prefix}


def installed_packages(library: Path) -> list[Path]:
    """Folders of other people's packages inside a standard library's folder."""
    return [p for name in ("site-packages", "dist-packages") if (p := library / name).is_dir()]


def shared_libraries() -> Iterator[Path]:
    """Where the loader finds what the interpreter and numpy are linked with."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    by_machine = [Path("/usr/lib") / multiarch, Path("/lib") / multiarch] if multiarch else []
    machine_folders = [path for path in by_machine if path.is_dir()] or [Path("/usr/lib"), Path("/lib")]
    folders = [*machine_folders, Path("/lib64"), Path("/usr/lib64"), Path("/etc/ld.so.cache")]
    yield from (path for path in folders if path.exists())
    own = Path(sysconfig.get_config_var("LIBDIR") or "/usr/lib")
    if own not in (*folders, Path("/usr/lib")):  # an interpreter with libraries of its own beside it
        yield from (path for path in sorted(own.glob("*.so*")) if path.exists())


def readable_outside(view: View) -> list[str]:
    """For Landlock without a mount namespace: exactly the files the role needs, where they lie."""
    paths = [*shared_libraries(), *view.packages, *map(Path, _DEVICES)]
    for library in standard_library():
        hidden = installed_packages(library)
        paths += [entry for entry in library.iterdir() if entry not in hidden]
    return [str(path) for path in paths]


def readable_inside(view: View) -> list[str]:
    """For Landlock inside the namespace, which already holds nothing else."""
    return [*map(str, standard_library()), *map(str, shared_libraries()), _SITE, *_DEVICES]


def listable_outside() -> list[str]:
    """Python looks a module up by listing its folder; the names, not the files, of installed packages show in it."""
    return [str(library) for library in standard_library()]


def is_open_to_all() -> bool:
    """Whether a throw-away user may read the standard library where it lies: not when it is below /root."""
    folders = {parent for library in standard_library() for parent in (library, *library.parents)}
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in folders)


def search_path(view: View, *, inside: bool) -> list[str]:
    """Folders to put on the zygote's sys.path."""
    return [_SITE] if inside else list(dict.fromkeys(str(package.parent) for package in view.packages))


def bubblewrap_mounts(view: View) -> list[str]:
    """Arguments for bubblewrap that build the view, everything read-only."""
    made: set[Path] = set()
    arguments: list[str] = []

    def parents_of(path: Path) -> None:
        for parent in reversed(path.parents[:-1]):
            if parent not in made:  # bubblewrap's own parents are 0700: the throw-away uid could not pass
                made.add(parent)
                arguments.extend(["--perms", "0755", "--dir", str(parent)])

    def bind(source: Path, target: Path) -> None:
        parents_of(target)
        made.add(target)
        if source.is_symlink() and source.is_dir() and source == target:
            arguments.extend(["--symlink", os.readlink(source), str(target)])
        else:
            arguments.extend(["--ro-bind", str(source), str(target)])

    if Path("/lib").is_symlink():
        bind(Path("/lib"), Path("/lib"))
    for path in (*shared_libraries(), Path(interpreter()), *standard_library()):
        if Path("/lib") not in path.parents or not Path("/lib").is_symlink():
            bind(path, path)
    for library in standard_library():
        for hidden in installed_packages(library):
            arguments.extend(["--tmpfs", str(hidden), "--remount-ro", str(hidden)])
    for package in view.packages:
        bind(package, Path(_SITE) / package.name)
    return arguments
