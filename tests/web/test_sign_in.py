"""Who may sign in."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from softmark.accounts.backends import DEMO_DOMAIN
from tests.factories import PASSWORD, make_admin


@pytest.mark.django_db
def test_people_of_the_demo_are_shut_out_where_there_is_none(settings: Any) -> None:
    """Everybody may know their password: on a site that others reach they must not get in, or stay in."""
    settings.DEMO = True
    person = make_admin(email=f"admin@{DEMO_DOMAIN}", password=PASSWORD)
    form = {"login": person.email, "password": PASSWORD}
    inside = Client()
    assert inside.post("/accounts/login/", form).status_code == 302
    assert inside.get("/admin/").status_code == 200
    settings.DEMO = False
    assert inside.get("/admin/").status_code == 302
    for address in (person.email, person.email.upper(), f" {person.email}"):
        outside = Client()
        refused = outside.post("/accounts/login/", form | {"login": address})
        assert "not correct" in refused.content.decode(), "nobody is greeted who is not signed in"
        assert outside.get("/admin/").status_code == 302
