"""What one learner is asked at one stop: which variant, and under which opaque ids its options travel."""

from __future__ import annotations

from typing import Any

from django.utils.crypto import salted_hmac

from softmark.lessons.models import Reading
from softmark.lessons.questions import Seal
from softmark.lessons.variants import VERSION, number_of, seal_of
from softmark.lessons.written.drawn import Question, Variant


def secret() -> bytes:
    """From the site's own: whoever has a lesson's source cannot foretell a draw."""
    return salted_hmac("softmark.lessons.draws", "", algorithm="sha256").digest()


def seal(reading: Reading, question: str, number: int) -> Seal:
    return seal_of(secret(), f"{reading.pk}:{question}:{number}")


def variant_for(reading: Reading, question: Question, number: int) -> Variant:
    """The variant of this draw; needs the reading's version. The same lesson in another course draws anew."""
    variants, version = question.variants, reading.version.digest
    if len(variants) == 1:
        return variants[0]
    place = number_of(
        secret(), reading.learner_id, reading.lesson_id, question.predict.id, version, number, len(variants)
    )
    return variants[place]


def frozen(question: Question, variant: Variant) -> dict[str, Any]:
    """The columns of a Draw that never change again. A mistake that gives nothing one could answer is left out."""
    kind, settings = question.type, question.settings
    mistakes = {name: kind.mistake(each, settings) for name, each in variant.mistakes.items()}
    return {
        "given": dict(variant.given),
        "facts": dict(variant.facts),
        "key": kind.key_to_json(variant.key),
        "mistakes": {name: kind.key_to_json(each) for name, each in mistakes.items() if each is not None},
        "reference_version": VERSION,
    }
