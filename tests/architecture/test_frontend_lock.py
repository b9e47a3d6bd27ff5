"""The front end names no host: neither where its packages come from, nor anything that a page would fetch."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

NAMESPACES = ("http://www.w3.org/",)  # names that look like addresses; nothing is fetched from there
ADDRESS = re.compile(r"""(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s"'()<>]*""", re.IGNORECASE)


@pytest.fixture(scope="module")
def lock(root: Path) -> dict[str, dict[str, object]]:
    packages: dict[str, dict[str, object]] = json.loads((root / "frontend/package-lock.json").read_text())[
        "packages"
    ]
    return packages


def test_every_package_is_held_by_its_hash_and_by_no_address(lock: dict[str, dict[str, object]]) -> None:
    for name, package in lock.items():
        assert "resolved" not in package, name
        assert name == "" or str(package["integrity"]).startswith("sha512-"), name


def test_the_lock_follows_from_its_source(root: Path, lock: dict[str, dict[str, object]]) -> None:
    source = json.loads((root / "frontend/package.json").read_text())
    for kind in ("dependencies", "devDependencies"):
        assert lock[""][kind] == source[kind], "run npm install in frontend/ after a change in package.json"


def test_npm_runs_no_scripts_of_packages_and_writes_no_addresses(root: Path) -> None:
    settings = (root / "frontend/.npmrc").read_text().split("\n")
    assert {"omit-lockfile-registry-resolved=true", "ignore-scripts=true"} <= set(settings)
    assert not any(line.startswith("registry") for line in settings)


def test_no_page_fetches_anything_from_elsewhere(root: Path) -> None:
    found = [
        f"{path.relative_to(root)}: {address[0]}"
        for path in served_sources(root)
        for address in ADDRESS.finditer(path.read_text())
        if not address[0].startswith(NAMESPACES)
    ]
    assert not found, "\n".join(found)


def test_templates_have_no_inline_styles_or_scripts(root: Path) -> None:
    """The site's security policy would not let them in."""
    for path in (root / "platform/softmark").rglob("templates/**/*.html"):
        text = path.read_text()
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|hx-on|javascript:", text), path
        for script in re.findall(r"<script\b[^>]*>", text):
            assert "src=" in script, path


def served_sources(root: Path) -> list[Path]:
    site = root / "platform/softmark"
    patterns = ("static/**/*.css", "static/**/*.js", "static/**/*.svg", "templates/**/*.html")
    found = [path for pattern in patterns for path in site.rglob(pattern) if "built" not in path.parts]
    assert found
    return [*found, *(root / "frontend").glob("*.js")]
