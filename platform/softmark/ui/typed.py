"""What somebody typed into a form that could not be taken."""

from __future__ import annotations

from django.http import HttpRequest


def typed_texts(request: HttpRequest) -> list[str]:
    """The texts of a form, so that a page can hand them back: whatever has several words, as no token has."""
    return [
        str(value)
        for name, values in request.POST.lists()
        for value in values
        if len(str(value).split()) > 1 and "password" not in name and name != "csrfmiddlewaretoken"
    ]
