"""What this app does when others speak."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from softmark.accounts.models import User
from softmark.submissions import rescue


@receiver(user_logged_in)
def _signed_in(request: HttpRequest | None, user: User, **_: Any) -> None:
    session = getattr(request, "session", None)  # the tests' client signs in without a real request
    if session is not None:
        rescue.drop_of_others(session, user)
