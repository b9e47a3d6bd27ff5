"""What a class's predictions say of the questions themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median

from softmark.lessons.calibration import Calibration, Said, calibrated

LEAST = 10  # students, below which a correlation says nothing


@dataclass(frozen=True)
class Made:
    """One student's counted prediction at one question.

    answered: no answer of a time limit that ran out is one.
    judged:   by a rule or the staff; a text of one's own is not, until staff mark it.
    share:    of the credit.
    seconds:  from when it was shown to the commit; None where the time limit committed it.
    """

    student: int
    question: str
    answered: bool
    judged: bool
    share: float
    confidence: int | None = None
    seconds: float | None = None

    @property
    def counts(self) -> bool:
        """Whether it says anything of right and wrong."""
        return self.answered and self.judged

    @property
    def right(self) -> bool:
        return self.share == 1


@dataclass(frozen=True)
class Item:
    """A question, by what a class made of it. What there is nothing to tell of is None.

    answers:        predictions with an answer. unanswered: whose time ran out without one.
    judged:         those of the answers that are judged; share, right and all after them are of these.
    share, right:   the mean share of the credit, and the share of those who got all of it.
    seconds:        the median of what they took.
    discrimination: the correlation of the share here with the mean of the same student's other shares: near 0 or
                    below, those who do well elsewhere do no better here.
    """

    answers: int = 0
    unanswered: int = 0
    judged: int = 0
    share: float | None = None
    right: float | None = None
    seconds: float | None = None
    discrimination: float | None = None
    calibration: Calibration | None = None


def items_of(made: Sequence[Made]) -> dict[str, Item]:
    """By question, of those that have predictions."""
    by_question: dict[str, list[Made]] = defaultdict(list)
    shares: dict[int, dict[str, float]] = defaultdict(dict)
    for each in made:
        by_question[each.question].append(each)
        if each.counts:
            shares[each.student][each.question] = each.share
    return {question: _item(question, of_it, shares) for question, of_it in by_question.items()}


def class_calibration(made: Iterable[Made]) -> Calibration | None:
    return calibrated(
        Said(each.confidence, each.right) for each in made if each.counts and each.confidence is not None
    )


def _item(question: str, made: Sequence[Made], shares: Mapping[int, Mapping[str, float]]) -> Item:
    answers = sum(each.answered for each in made)
    judged = [each for each in made if each.counts]
    seconds = [each.seconds for each in made if each.seconds is not None]
    return Item(
        answers=answers,
        unanswered=len(made) - answers,
        judged=len(judged),
        share=fmean(each.share for each in judged) if judged else None,
        right=fmean(each.right for each in judged) if judged else None,
        seconds=median(seconds) if seconds else None,
        discrimination=discrimination(question, shares),
        calibration=class_calibration(made),
    )


def discrimination(question: str, shares: Mapping[int, Mapping[str, float]]) -> float | None:
    """shares: by student and question. None for fewer than LEAST students, and where all of either are the same."""
    pairs = [
        (of_one[question], fmean(share for other, share in of_one.items() if other != question))
        for of_one in shares.values()
        if question in of_one and len(of_one) > 1
    ]
    return _correlation(pairs) if len(pairs) >= LEAST else None


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    mean_x, mean_y = (fmean(column) for column in zip(*pairs, strict=True))
    both = sum((x - mean_x) * (y - mean_y) for x, y in pairs)
    of_x = sum((x - mean_x) ** 2 for x, _ in pairs)
    of_y = sum((y - mean_y) ** 2 for _, y in pairs)
    if min(of_x, of_y) < 1e-12:  # the same, but for rounding
        return None
    return max(-1.0, min(1.0, both / sqrt(of_x * of_y)))
