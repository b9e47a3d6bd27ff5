"""Who may be signed in: everybody who is active, and the people of the demo only where there is a demo."""

from __future__ import annotations

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest

DEMO_DOMAIN = "demo.example"  # of the addresses of people whose password everybody may know


class SiteBackend(AuthenticationBackend):  # type: ignore[misc]
    """By address and password. Asked again with every request, so that whoever is shut out is out at once."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> AbstractBaseUser | None:
        # With a right password allauth would greet whoever may not be signed in, and only then forget them.
        if any(_is_shut_out(credentials.get(name)) for name in ("email", "username")):
            return None
        found: AbstractBaseUser | None = super().authenticate(request, **credentials)
        return found

    def user_can_authenticate(self, user: AbstractBaseUser | None) -> bool:
        return not _is_shut_out(getattr(user, "email", None)) and bool(super().user_can_authenticate(user))


def _is_shut_out(address: str | None) -> bool:
    return (address or "").strip().lower().endswith(f"@{DEMO_DOMAIN}") and not settings.DEMO
