"""What stops the site from starting, in words for whoever types `make run`."""

from __future__ import annotations


class Trouble(Exception):
    """A sentence that says what is wrong and what can be done; it is shown without a traceback."""
