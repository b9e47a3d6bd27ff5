"""The data folder, and the sentences about one that cannot be used."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from softmark.config.local.folder import Folder, environment_of_running_site
from softmark.config.local.trouble import Trouble


def test_it_is_made_with_what_lies_above_it(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "a" / "b")
    assert (folder.path / "logs").is_dir()
    assert stat.S_IMODE((folder.path / "logs").stat().st_mode) == 0o700
    folder.close()


def test_the_secret_is_made_once_and_closed_to_others(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    secret = folder.secret_key()
    assert len(secret) >= 50
    assert folder.secret_key() == secret
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600
    (tmp_path / "secret-key").write_text("")  # the disk was full
    assert len(folder.secret_key()) >= 50
    folder.close()


def test_the_last_log_is_kept_beside_the_new_one(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.fresh_log("web").write_text("first")
    folder.fresh_log("web").write_text("second")
    assert (tmp_path / "logs" / "web.1.log").read_text() == "first"
    assert (tmp_path / "logs" / "web.log").read_text() == "second"
    folder.close()


def test_two_at_once_are_not_possible(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.note_site("http://127.0.0.1:8000", {})
    with pytest.raises(
        Trouble, match=rf"already running at http://127\.0\.0\.1:8000, as process {os.getpid()}"
    ):
        Folder(tmp_path)
    folder.close()
    Folder(tmp_path).close()


@pytest.mark.parametrize("left", ["", "{", json.dumps({"process": 1, "address": "http://127.0.0.1:1"})])
def test_what_an_earlier_run_left_in_the_lock_is_no_obstacle(tmp_path: Path, left: str) -> None:
    (tmp_path / "lock").write_text(left)
    Folder(tmp_path).close()


def test_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("")
    with pytest.raises(Trouble, match=r"var is a file, where a folder .* SOFTMARK_DATA="):
        Folder(tmp_path / "var")


def test_a_place_where_nothing_can_be_made() -> None:
    with pytest.raises(Trouble, match=r"cannot be made: .* SOFTMARK_DATA="):
        Folder(Path("/proc/softmark/var"))


def test_a_folder_of_somebody_else(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(tmp_path, 12345, -1)
        path, whose = tmp_path, "user number 12345"
    else:
        path, whose = Path("/usr"), "root"
    with pytest.raises(Trouble, match=f"belongs to {whose}, and you are .* SOFTMARK_DATA="):
        Folder(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    tmp_path.chmod(0o500)
    with pytest.raises(Trouble, match="cannot be written to"):
        Folder(tmp_path)
    tmp_path.chmod(0o700)


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=5 << 20)
    monkeypatch.setattr("softmark.config.local.folder.shutil.disk_usage", lambda path: usage)
    with pytest.raises(Trouble, match=r"The disk is full: .* has 5 MB left"):
        Folder(tmp_path)


def test_the_socket_goes_elsewhere_where_the_path_is_too_long(tmp_path: Path) -> None:
    folder = Folder(tmp_path / ("long" * 30))
    assert folder.path not in folder.sockets.parents
    assert stat.S_IMODE(folder.sockets.stat().st_mode) == 0o700
    folder.close()
    assert not folder.sockets.exists()


def test_commands_find_the_site_that_runs(tmp_path: Path) -> None:
    path = tmp_path / "data"
    with pytest.raises(Trouble, match="No site is running"):
        environment_of_running_site(path)
    folder = Folder(path)
    folder.note_site("http://127.0.0.1:8000", {"DATABASE_URL": "postgres://here"})
    assert environment_of_running_site(path) == {"DATABASE_URL": "postgres://here"}
    assert (path / "lock").stat().st_mode & 0o077 == 0, "secrets stand in it"
    folder.close()
