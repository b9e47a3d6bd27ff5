"""Who may see a submission's report, and who decides about one that is held."""

from __future__ import annotations

from softmark.courses.models import Role
from softmark.courses.policies import Allowed, Decision, Denied


def may_see_report(role: Role, *, own: bool, visible: bool) -> Decision:
    """own: it is the reader's own submission; visible: students see the assignment."""
    if role.is_staff or (own and visible):
        return Allowed()
    return Denied(
        "This assignment is hidden at the moment." if own else "This is somebody else's submission."
    )


def may_decide_held(role: Role) -> Decision:
    """Grade it again, or give the attempt back."""
    if role.is_staff:
        return Allowed()
    return Denied("The staff of the course decide about a submission that was held.")
