import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0004_accommodation"),
        ("gradebook", "0002_append_only"),
        ("grading", "0001_initial"),
        ("lessons", "0005_quizzes_and_limits"),
        ("submissions", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="event",
            name="event_kind_is_known",
        ),
        migrations.AddField(
            model_name="event",
            name="answered",
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name="event",
            name="mark",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="event",
                to="lessons.staffmark",
            ),
        ),
        migrations.AddField(
            model_name="event",
            name="prediction",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="grade_events",
                to="lessons.prediction",
            ),
        ),
        migrations.AddField(
            model_name="event",
            name="share",
            field=models.DecimalField(decimal_places=6, max_digits=7, null=True),
        ),
        migrations.AddField(
            model_name="event",
            name="source",
            field=models.CharField(blank=True, max_length=10),
        ),
        migrations.AddField(
            model_name="event",
            name="stops",
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="event",
            name="kind",
            field=models.CharField(
                choices=[
                    ("auto", "graded by machine"),
                    ("quiz", "predicted"),
                    ("override", "set by hand"),
                    ("excuse", "excused"),
                    ("comment", "comment"),
                    ("release", "released"),
                    ("hide", "hidden"),
                    ("revoke", "taken back"),
                ],
                max_length=20,
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        ["auto", "quiz", "override", "excuse", "comment", "release", "hide", "revoke"],
                    )
                ),
                name="event_kind_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "quiz"), _negated=True),
                    models.Q(
                        ("answered__isnull", False),
                        ("number__gte", 1),
                        ("prediction__isnull", False),
                        ("received_at__isnull", False),
                        ("share__range", (0, 1)),
                        ("source__in", ["rule", "self", "ta"]),
                        ("stops__gte", models.F("number")),
                    ),
                    _connector="OR",
                ),
                name="event_quiz_has_its_prediction",
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.UniqueConstraint(
                condition=models.Q(("mark__isnull", True)),
                fields=("prediction",),
                name="event_once_a_prediction",
            ),
        ),
    ]
