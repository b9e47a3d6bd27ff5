"""White or near-black: what the system says, unless the reader has chosen."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest

Theme = Literal["system", "light", "dark"]

THEMES: tuple[Theme, ...] = ("system", "light", "dark")
COOKIE = "theme"  # theme.js writes it as well
COOKIE_AGE = 365 * 24 * 3600


def theme_of(request: HttpRequest | None) -> Theme:
    """The theme to serve a page in. A page made without a request follows the system."""
    chosen = request.COOKIES.get(COOKIE) if request is not None else None
    return next((theme for theme in THEMES if theme == chosen), "system")
