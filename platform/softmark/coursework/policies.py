"""Who may bring assignments into a course, and what may be done with an upload."""

from __future__ import annotations

from softmark.courses.models import Role
from softmark.courses.policies import Allowed, Decision, Denied
from softmark.coursework.models import Upload, UploadStatus

_UNUSABLE = "The folder cannot be used as it is. Mend it, and upload it again."


def may_add_assignments(role: Role) -> Decision:
    if role is Role.INSTRUCTOR:
        return Allowed()
    return Denied("Only instructors bring assignments into a course, and see how they were verified.")


def may_publish(upload: Upload) -> Decision:
    """Only what is whole: its checks were seen to do what they are for."""
    if not upload.state.is_settled:
        return Denied("It is being verified. It can be published once that is done and nothing is missing.")
    if upload.state is UploadStatus.UNUSABLE:
        return Denied(_UNUSABLE)
    if upload.state is UploadStatus.FAILED or upload.verification is None:
        return Denied("It could not be verified, so nobody knows what its checks do. Verify it again.")
    if missing := len(upload.verification["problems"]):
        what = "One thing is" if missing == 1 else f"{missing} things are"
        return Denied(f"{what} missing before it can be published. Mend that, and upload the folder again.")
    return Allowed()


def may_verify_again(upload: Upload) -> Decision:
    """What is whole stays so, and what runs comes to its end."""
    if not upload.state.is_settled:
        return Denied("It is being verified already.")
    if upload.state is UploadStatus.UNUSABLE:
        return Denied(_UNUSABLE)
    if may_publish(upload).allowed:
        return Denied("It is whole already, so verifying it again would change nothing.")
    return Allowed()
