"""Who may be signed in: everybody who is active, and the people of the demo only where there is a demo."""

from __future__ import annotations

from allauth.account.auth_backends import AuthenticationBackend
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser

DEMO_DOMAIN = "demo.example"  # of the addresses of people whose password everybody may know


class SiteBackend(AuthenticationBackend):  # type: ignore[misc]
    """By address and password. Asked again with every request, so that whoever is shut out is out at once."""

    def user_can_authenticate(self, user: AbstractBaseUser | None) -> bool:
        address = str(getattr(user, "email", ""))
        if address.endswith(f"@{DEMO_DOMAIN}") and not settings.DEMO:
            return False
        return bool(super().user_can_authenticate(user))
