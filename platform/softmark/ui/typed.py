"""What somebody typed into a form that could not be taken."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import HttpRequest

_ANSWERS = ("answer", "pasted")  # may be a single number


def typed_texts(request: HttpRequest) -> list[str]:
    """The texts of a form, so that a page can hand them back: whatever has several words, as no token has; and what
    is short as one text.
    """
    texts = [
        str(value)
        for name, values in request.POST.lists()
        for value in values
        if len(str(value).split()) > 1 and "password" not in name and name != "csrfmiddlewaretoken"
    ]
    short = [value for name in _ANSWERS for value in map(str.strip, request.POST.getlist(name)) if value]
    return [*texts, *together(text for text in short if len(text.split()) == 1)]


def together(texts: Iterable[str]) -> list[str]:
    """Short texts as one with a line for each; none where there are none."""
    lines = "\n".join(texts)
    return [lines] if lines else []
