"""A real browser before a real site: one web server, one worker, one Chromium for all of these tests.

Chromium is Debian's package, or whatever of that kind is installed. Where there is none the tests are skipped, but
not in CI. `visit(user)` opens a page; what the browser's console complains of there, above all a breach of the
content security policy, fails the test.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from django.db import connection
from django.db.models.functions import Now
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from softmark.accounts.models import User
from softmark.coursework.models import Upload, UploadStatus
from softmark.submissions.models import Status, Submission
from tests.browser.steps import PATIENCE, signed_in
from tests.processes import CeleryProcess, WebProcess, Workers, eventually, start_web

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
NONE = "There is no Chromium here. Debian and Ubuntu have one: apt-get install chromium"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def chromium() -> str:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NONE)
    return found


@pytest.fixture(scope="package")
def chrome(chromium: str) -> Iterator[Browser]:
    """For this folder only: a running Playwright is a running event loop, which Django and others stumble over."""
    expect.set_options(timeout=PATIENCE)
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        # The sandbox of Chromium is against strangers' pages, and not to be had in most containers.
        yield playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def web(
    chromium: str, site_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WebProcess]:
    """The web server, on the tests' database. These students are quicker than any that are made of flesh."""
    ours = {"SUBMISSIONS_PER_MINUTE": "1000", "DEMO": "1"}
    web = start_web(site_environment | ours, tmp_path_factory.mktemp("web"))
    yield web
    web.stop()


@pytest.fixture
def site(web: WebProcess, transactional_db: None, broker: redis.Redis) -> Iterator[WebProcess]:
    """The site, empty; its tables are emptied again once nobody is at work on them any more."""
    yield web
    eventually(_nobody_works, "an idle site")


@pytest.fixture
def grading(site: WebProcess, worker: CeleryProcess) -> CeleryProcess:
    """A worker that grades what is submitted."""
    return worker


@pytest.fixture
def no_worker(site: WebProcess, workers: Workers) -> Workers:
    """Nobody grades, until somebody is started."""
    workers.end_all()
    return workers


@pytest.fixture
def expected_complaints() -> list[str]:
    """What the browser's console will say in this test: regular expressions, to be appended to."""
    return ["the server responded with a status of 4(09|22)"]  # a form was refused, and the page says why


@pytest.fixture
def visit(
    request: pytest.FixtureRequest, site: WebProcess, chrome: Browser, expected_complaints: list[str],
    tmp_path: Path,
) -> Iterator[Callable[..., Page]]:  # fmt: skip
    """`visit(user)` is a page of somebody who is signed in, and `visit()` one of somebody who is not.

    Each is in a context of its own, so with its own cookies and storage. Keywords go to the context.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def visit(user: User | None = None, *, width: int = 1280, height: int = 900, **options: object) -> Page:
        context = chrome.new_context(
            base_url=site.url, viewport={"width": width, "height": height}, accept_downloads=True,
            timezone_id="Europe/Zurich", reduced_motion="reduce", **options,
        )  # fmt: skip
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.on("console", lambda message: complaints.extend(_complaint(message)))
        context.on(
            "weberror", lambda error: complaints.append(f"{error.page and error.page.url}: {error.error}")
        )
        if user is not None:
            signed_in(context, site.url, user)
        return context.new_page()

    yield visit
    for number, page in enumerate([page for context in contexts for page in context.pages]):
        if request.node.stash.get(FAILED, False):
            page.screenshot(path=tmp_path / f"failed-{number}.png", full_page=True)
            print(f"{page.url} as it was then: {tmp_path}/failed-{number}.png")
    for context in contexts:
        context.close()
    unexpected = [each for each in complaints if not any(re.search(one, each) for one in expected_complaints)]
    assert not unexpected, "\n".join(unexpected)


def _complaint(message: ConsoleMessage) -> list[str]:
    if message.type not in ("error", "warning"):
        return []
    return [f"{message.location['url']}: {message.text}"]


def _nobody_works() -> bool:
    """Neither a worker nor a thread of the web server is in a transaction, or about to be."""
    if Submission.objects.filter(status=Status.RUNNING).exists():
        return False
    if Upload.objects.filter(status=UploadStatus.RUNNING, lease_until__gt=Now()).exists():
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND state <> 'idle'"
        )
        return bool(cursor.fetchone() == (0,))
