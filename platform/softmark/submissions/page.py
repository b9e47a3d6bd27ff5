"""The page of an assignment, as its template shows it: gathered in one place, in as few queries as it needs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.utils.safestring import SafeString

from softmark.accounts.models import User
from softmark.courses.deadlines import Deadline
from softmark.courses.late_words import cost_now, cost_of_late
from softmark.courses.models import Course, Item, Role
from softmark.courses.policies import Decision
from softmark.coursework.models import Assignment, AssignmentVersion
from softmark.submissions import editor, form_token, queries
from softmark.submissions.editor import Editor
from softmark.submissions.models import Submission
from softmark.submissions.policies import Standing, may_submit
from softmark.ui import markdown


@dataclass(frozen=True)
class Problem:
    """Why something sent was not taken, and which form it came from."""

    sentence: str
    title: str = "Not submitted"
    of_upload: bool = False


@dataclass(frozen=True)
class Page:
    """decision: whether a submission would be taken now, were it not for how many came within a minute."""

    assignment: Assignment
    user: User
    role: Role
    now: datetime
    standing: Standing
    decision: Decision
    attempts: list[Submission]
    editor: Editor
    drafted_at: datetime | None
    problem: Problem | None = None

    @property
    def item(self) -> Item:
        return self.assignment.item

    @property
    def course(self) -> Course:
        return self.assignment.course

    @property
    def version(self) -> AssignmentVersion:
        return self.assignment.version

    @property
    def deadline(self) -> Deadline:
        return self.standing.deadline

    @property
    def is_staff(self) -> bool:
        return self.role.is_staff

    @property
    def is_early(self) -> bool:
        return self.deadline.is_early(self.now)

    @property
    def is_shown(self) -> bool:
        """Before it opens, the task is the staff's."""
        return self.is_staff or not self.is_early

    @property
    def statement(self) -> SafeString:
        return _statement(self.version.prompt)

    @property
    def cost_of_late(self) -> str:
        return cost_of_late(self.deadline)

    @property
    def cost_now(self) -> str:
        return cost_now(self.deadline, self.now, self.course.zone)

    @property
    def form_token(self) -> str:
        return form_token.new(self.user.pk, self.assignment.pk)


def gather(
    assignment: Assignment, user: User, role: Role, now: datetime, *,
    rescued: str | None = None, refused: str | None = None, problem: Problem | None = None,
) -> Page:  # fmt: skip
    """The page for this person at this instant. rescued, refused: texts that go before the draft."""
    attempts: list[Submission] = []
    newest = work = None
    if role is Role.STUDENT:
        attempts = list(queries.attempts_of(assignment, user))
        newest = queries.newest(assignment, user) if attempts else None
        work = queries.work_of(assignment, user)
    used = sum(not attempt.returned for attempt in attempts)
    standing = queries.standing_of(assignment, user, role, used)
    return Page(
        assignment=assignment,
        user=user,
        role=role,
        now=now,
        standing=standing,
        decision=may_submit(standing, now),
        attempts=attempts,
        editor=editor.fill(
            starter=assignment.version.starter,
            newest=newest.text if newest else None,
            draft=work.draft if work else "",
            rescued=rescued,
            refused=refused,
        ),
        drafted_at=work.drafted_at if work else None,
        problem=problem,
    )


@lru_cache(maxsize=64)  # a version never changes
def _statement(prompt: str) -> SafeString:
    return markdown.render(prompt, top=3, title=False)
