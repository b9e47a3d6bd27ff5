"""What a line of the logs holds, and which of them are shown on the terminal."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import pytest
from structlog.processors import JSONRenderer

from softmark.config.local.logs import LogReader
from softmark.config.logs import LOGGING

WRONG = [
    "2026-11-29 21:57:48.904 UTC [22033] FATAL:  could not write to file: No space left on device",
    "22034:M 29 Nov 2026 21:57:48.865 # Error writing to the AOF file: No space left on device",
    "[2026-11-29 21:58:04 +0000] [22216] [ERROR] Worker (pid:22325) was sent SIGKILL! Perhaps out of memory?",
    "2026-11-29T21:58:08.020917Z [error    ] Internal Server Error: /courses/ [django.request]",
    '{"event": "it broke", "level": "critical"}',
    "ModuleNotFoundError: No module named 'softmark'",
]
ORDINARY = [
    "2026-11-29 21:57:48.904 UTC [22033] LOG:  database system is ready to accept connections",
    '2026-11-29 21:57:48.904 UTC [22033] ERROR:  duplicate key value violates unique constraint "one"',
    "22034:M 29 Nov 2026 21:57:48.865 # WARNING Memory overcommit must be enabled!",
    "[2026-11-29 21:58:04 +0000] [22216] [INFO] Starting gunicorn 27.0.1",
    "2026-11-29T21:58:08.020917Z [warning  ] Not Found: /favicon.ico [django.request]",
    '127.0.0.1 - - [29/Nov/2026:21:58:05 +0000] "GET /error HTTP/1.1" 200 6 "-" "Python-urllib/3.11"',
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "web.log"


def lines(log: Path, *new: str) -> None:
    with log.open("a") as file:
        file.writelines(f"{line}\n" for line in new)


@pytest.mark.parametrize("line", WRONG)
def test_what_says_that_something_is_wrong_is_shown_with_its_service(log: Path, line: str) -> None:
    lines(log, line)
    assert LogReader("web", log).wrong() == [f"web: {line}"]


@pytest.mark.parametrize("line", ORDINARY)
def test_the_rest_is_not(log: Path, line: str) -> None:
    lines(log, line)
    assert LogReader("web", log).wrong() == []


def test_only_what_is_new_and_whole(log: Path) -> None:
    reader = LogReader("web", log)
    assert reader.wrong() == []  # there is no file yet
    lines(log, WRONG[0])
    assert len(reader.wrong()) == 1
    with log.open("a") as file:
        file.write(WRONG[1])
    assert reader.wrong() == []
    lines(log, "")
    assert reader.wrong() == [f"web: {WRONG[1]}"]
    lines(log, WRONG[2])
    reader.skip()
    assert reader.wrong() == []


def test_the_same_again_is_shown_once_whatever_the_time_and_numbers(log: Path) -> None:
    lines(
        log,
        "2026-11-29T21:58:08.020917Z [error    ] took 3 s",
        "2026-11-30T09:00:00.000001Z [error    ] took 4 s",
    )
    assert len(LogReader("web", log).wrong()) == 1


def test_a_flood_is_cut_short(log: Path) -> None:
    lines(log, *(f"[error    ] {name}" for name in "abcdefghijkl"))
    shown = LogReader("web", log).wrong()
    assert len(shown) == 5
    assert shown[-1] == f"web: there is more in {log}"


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-29T21:58:08Z [error    ] sandbox_unavailable            [softmark.grading.work] reason='No rung.'",
        '{"reason": "No rung.", "event": "sandbox_unavailable", "level": "error"}',
        '{"event": "sandbox_unavailable", "reason": "No rung.", "level": "error"}',
    ],
)
def test_a_machine_without_a_sandbox_is_told_in_a_sentence(log: Path, line: str) -> None:
    lines(log, line)
    (shown,) = LogReader("worker", log).wrong()
    assert shown == "worker: nothing can be graded on this machine, all else works. No rung."


def test_and_only_once_whoever_says_it(log: Path) -> None:
    reason = "sandbox_unavailable  [{}] reason='No rung.'"
    lines(
        log,
        f"[error ] {reason.format('softmark.grading.work')}",
        f"[error ] {reason.format('softmark.grading.tasks')}",
    )
    assert len(LogReader("worker", log).wrong()) == 1


def test_an_error_of_any_library_keeps_its_traceback_in_json() -> None:
    line = dict(LOGGING["formatters"]["line"]) | {"processor": JSONRenderer()}
    formatter = line.pop("()")(**line)
    try:
        raise KeyError("of a library")
    except KeyError:
        record = logging.LogRecord("gunicorn.error", logging.ERROR, "", 1, "It broke", (), sys.exc_info())
    said = json.loads(formatter.format(record))
    assert said["event"] == "It broke"
    assert said["exception"].startswith("Traceback")
    assert "KeyError: 'of a library'" in said["exception"]
