"""In place of a page of allauth that this site must not have."""

from typing import NoReturn

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest


@login_required
def address_is_fixed(request: HttpRequest) -> NoReturn:
    """Whoever could take an address would be enrolled in its stead by the next course that adds it."""
    raise PermissionDenied(
        "Your courses know you by your email address, so you cannot change it yourself. "
        "Ask the staff of a course, who can have it changed."
    )
