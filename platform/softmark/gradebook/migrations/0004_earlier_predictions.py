"""Predictions that were made before they counted become events as well, oldest first."""

import re
from typing import Any

from django.db import migrations

_STOP = re.compile(r"^:{3,}\s*\{\s*predict\s*\}\s*(\S+)", re.MULTILINE)


def append(apps: Any, _: Any) -> None:
    events, predictions = apps.get_model("gradebook", "Event"), apps.get_model("lessons", "Prediction")
    made = (
        predictions.objects.filter(draw__number=0, draw__reading__trial=False)
        .select_related("draw__reading__lesson__item", "draw__reading__version")
        .order_by("pk")
    )
    for prediction in made.iterator(chunk_size=500):
        draw, reading = prediction.draw, prediction.draw.reading
        item, stops = reading.lesson.item, _STOP.findall(reading.version.text)
        events.objects.create(
            kind="quiz", course_id=item.course_id, item=item, student_id=reading.learner_id, prediction=prediction,
            number=stops.index(draw.question) + 1, stops=len(stops), received_at=prediction.committed_at,
            share=prediction.share, source=prediction.source, answered=prediction.response is not None,
        )  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [
        ("gradebook", "0003_predictions"),
    ]

    operations = [
        migrations.RunPython(append, migrations.RunPython.noop),
    ]
