"""A database or a broker that is down: a page that says so, nothing typed is lost, and all is well when it is back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import OperationalError
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import Client
from django.urls import reverse
from kombu import Connection

from softmark.grading import bell
from softmark.submissions.models import Submission
from tests.factories import PASSWORD, enrol, make_assignment, make_user

TYPED = "import numpy as np\n\n\ndef attention(q, k, v):\n    return <b>v</b>\n"


@contextmanager
def database_down() -> Iterator[None]:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise OperationalError("connection to server failed: Connection refused")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseWrapper, "_cursor", refuse)
        yield


@pytest.fixture
def signed_in(db: None) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(enrol(make_assignment().course))
    return client


def form_of(client: Client, page: str) -> str:
    """What the page's form would send beside the text."""
    found = re.search(r'name="form" value="([^"]+)"', client.get(page).content.decode())
    assert found
    return found[1]


@pytest.mark.parametrize("path", ["/", "/courses/x/", "/courses/x/gradebook/", "/accounts/login/", "/admin/"])
def test_every_page_says_so_and_recovers(path: str, signed_in: Client) -> None:
    with database_down():
        response = signed_in.get(path)
    page = response.content.decode()
    assert response.status_code == 503, page
    assert "database does not answer" in page
    assert response["Retry-After"] == "10"
    assert "Connection refused" not in page
    assert signed_in.get(path).status_code != 503


def test_what_was_typed_is_handed_back_and_sent_again(db: None) -> None:
    assignment = make_assignment()
    client = Client(raise_request_exception=False)
    client.force_login(enrol(assignment.course))
    page = reverse("submissions:assignment", args=[assignment.course.slug, assignment.item.slug])
    form = {"text": TYPED, "form": form_of(client, page)}
    where = reverse("submissions:submit", args=[assignment.course.slug, assignment.item.slug])
    with database_down():
        response = client.post(where, form, headers={"Origin": "http://testserver"})
    shown = response.content.decode()
    assert response.status_code == 503
    assert "return &lt;b&gt;v&lt;/b&gt;" in shown
    assert "Send it again" in shown
    assert not Submission.objects.exists()
    assert client.post(where, form).status_code == 303
    assert Submission.objects.get().text.splitlines() == TYPED.splitlines()


def test_liveness_and_health(signed_in: Client) -> None:
    """A balancer must not restart a process because its database is away, but send nobody to it."""
    assert signed_in.get("/healthz").json() == {"database": "ok", "broker": "ok"}
    with database_down():
        assert signed_in.get("/livez").status_code == 200
        health = signed_in.get("/healthz")
    assert (health.status_code, health.json()) == (503, {"database": "down", "broker": "ok"})


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_down_stops_nobody_from_handing_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """For real: nothing listens there. The page of the submission says that it is safe, and that nobody grades."""
    assignment = make_assignment()
    client = Client()
    client.force_login(enrol(assignment.course))
    page = reverse("submissions:assignment", args=[assignment.course.slug, assignment.item.slug])
    form = {"text": TYPED, "form": form_of(client, page)}
    nowhere = "redis://127.0.0.1:9/0"
    monkeypatch.setattr(
        bell, "_connection", lambda: Connection(nowhere, transport_options={"max_retries": 0})
    )
    monkeypatch.setattr("django.conf.settings.REDIS_URL", nowhere)
    where = reverse("submissions:submit", args=[assignment.course.slug, assignment.item.slug])
    response = client.post(where, form, follow=True)
    assert response.status_code == 200
    assert "received" in response.content.decode()
    assert Submission.objects.get().status == "waiting"
    assert client.get("/healthz").json()["broker"] == "down"


def test_signing_in_needs_no_broker(db: None, settings: Any) -> None:
    """Wrong passwords are counted in the cache; a cache that is away keeps nobody out."""
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:9/0"}}
    user = make_user(email="ana@example.org", password=PASSWORD)
    client = Client()
    wrong = client.post("/accounts/login/", {"login": user.email, "password": "no"})
    assert wrong.status_code == 200
    right = client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    assert right.status_code == 302
    assert client.post("/accounts/password/reset/", {"email": user.email}).status_code == 302
