"""How a check says that it did not pass."""

from __future__ import annotations

from grader.compare import Mismatch, Observation
from grader.report import Verdict


class Failed(Exception):
    """Raised by a check, and by the channel when a call brings no answer.

    message:      for the student whatever the check's visibility, so without values of hidden inputs.
    detail:       for public checks only.
    observations: every call that a known mistake must explain to be named; none where nothing can be named.
    """

    def __init__(
        self, verdict: Verdict, message: str, detail: str = "", observations: tuple[Observation, ...] = ()
    ) -> None:
        super().__init__(verdict, message, detail)
        self.verdict = verdict
        self.message = message
        self.detail = detail
        self.observations = observations

    @classmethod
    def by(cls, mismatch: Mismatch, observations: tuple[Observation, ...] = ()) -> Failed:
        return cls(mismatch.verdict, mismatch.message, mismatch.detail, observations)

    def __str__(self) -> str:
        return f"{self.verdict}: {self.message} {self.detail}".rstrip()
