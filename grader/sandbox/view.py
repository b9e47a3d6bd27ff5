"""What each zygote can see of the file system: an interpreter, numpy, and for the judge the grader.

The child's view holds no grader, no assignment, no fixture and no other installed package.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from .inside import CUPY, NUMPY, STRICT

SANDBOX = Path(__file__).parent
GRADER = SANDBOX.parent
_SITE = "/sandbox"  # where packages lie inside a namespace
_DEVICES = ("/dev/null", "/dev/urandom")


@dataclass(frozen=True)
class View:
    """A role's part of the view.

    module:   has main(config): what the zygote runs.
    packages: files and folders that are importable under their own names.
    arrays:   the library that submissions are given arrays of.
    """

    role: str
    module: str
    packages: tuple[Path, ...]
    arrays: str = NUMPY

    @property
    def device(self) -> bool:
        """Whether it is for code that computes on a GPU, be it a pretended one."""
        return self.arrays != NUMPY

    @property
    def preload(self) -> list[str]:
        """What its zygote imports beside what every zygote does. CuPy is left to each fork: nothing that it has begun
        outlives a fork.
        """
        return {CUPY: ["array_api_compat"], STRICT: ["array_api_compat", STRICT]}.get(self.arrays, [])


def child_view(arrays: str = NUMPY) -> View:
    """Raises ModuleNotFoundError where that library is not installed."""
    packages = [SANDBOX / "inside", *_numpy()]
    if arrays != NUMPY:
        packages += [_package("array_api_compat"), *_with_all_it_needs(arrays)]
    return View("child", "inside.zygote", tuple(dict.fromkeys(packages)), arrays)


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


# With these CuPy's wheels bring CUDA along, as an extra; without them it is the machine's.
_CUDA_WHEELS = ("nvidia-", "cuda-")


def _with_all_it_needs(package: str) -> list[Path]:
    """What lies in site-packages of a package and of all that it needs, numpy aside."""
    names = metadata.packages_distributions().get(package)
    if not names:
        raise ModuleNotFoundError(f"{package} is not installed", name=package)
    found: list[Path] = []
    to_do, done = [names[0]], {"numpy"}
    while to_do:
        name = _normal(to_do.pop())
        if name in done:
            continue
        done.add(name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # of another system, or an extra that is not installed
        tops = {
            file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")
        }
        paths = [
            Path(str(distribution.locate_file(top))) for top in sorted(tops) if not top.endswith(".dist-info")
        ]
        found += [path for path in paths if path.exists()]
        for requirement in distribution.requires or ():
            needed = re.match(r"[A-Za-z0-9._-]+", requirement)
            is_extra = "extra ==" in requirement
            if needed and (not is_extra or _normal(needed[0]).startswith(_CUDA_WHEELS)):
                to_do.append(needed[0])
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


USUAL_CUDA = "/usr/local/cuda"
# The rest of /sys tells of the kernel and its security, and is of no use to a driver.
_ABOUT_THE_MACHINE = [f"/sys/{name}" for name in ("bus", "class", "dev", "devices", "module")]


def device_nodes() -> list[str]:
    """What a process opens to compute on a GPU; the one for screens is no part of that."""
    nodes = sorted(set(glob.glob("/dev/nvidia*")) - {"/dev/nvidia-modeset"})
    return [path for path in nodes if not os.path.isdir(path)]


def _cuda() -> list[Path]:
    """CUDA where it is the machine's, and what its driver reads about the machine; a folder before those in it."""
    named = [os.environ.get("CUDA_PATH", ""), *os.environ.get("LD_LIBRARY_PATH", "").split(":")]
    usual = [USUAL_CUDA, "/usr/local/nvidia", "/etc/alternatives", *_ABOUT_THE_MACHINE]
    paths = [Path(os.path.normpath(path)) for path in (*named, *usual) if os.path.isabs(path)]
    found = {path for path in (*paths, *(path.resolve() for path in paths)) if path.is_dir()}
    return sorted(found - {Path("/")})


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
    own = [*map(str, standard_library()), *map(str, shared_libraries()), _SITE, *_DEVICES]
    return own + ([*map(str, _cuda()), "/proc"] if view.device else [])


def writable_inside(view: View) -> list[str]:
    """The nodes of a GPU; and what /proc says of the process itself, as CUDA names its threads there."""
    return [*device_nodes(), "/proc/self"] if view.device else []


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
    own = (*shared_libraries(), Path(interpreter()), *standard_library())
    if view.device:  # before what hides other packages: a folder of CUDA's libraries may lie around them
        there: set[Path] = set(own)
        for path in _cuda():
            if there.isdisjoint((path, *path.parents)):
                parents_of(path)
                there.add(path)
                arguments.extend(["--ro-bind", str(path), str(path)])
    for path in own:
        if Path("/lib") not in path.parents or not Path("/lib").is_symlink():
            bind(path, path)
    for library in standard_library():
        for hidden in installed_packages(library):
            arguments.extend(["--tmpfs", str(hidden), "--remount-ro", str(hidden)])
    for package in view.packages:
        bind(package, Path(_SITE) / package.name)
    return arguments


def bubblewrap_devices(view: View) -> list[str]:
    """Arguments for what lies in /dev, once that is there, and for /proc."""
    if not view.device:
        return []
    nodes = [word for node in device_nodes() for word in ("--dev-bind", node, node)]
    return [*nodes, "--proc", "/proc"]
