from django.conf import settings
from django.db import migrations, models

# Whoever was reading under a limit had just the lesson's.
LIMITS = """
UPDATE lessons_reading SET "limit" = greatest(1, round(extract(epoch FROM ends_at - started_at) / 60))
WHERE ends_at IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [
        ("lessons", "0004_frozen_after_the_commit"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="lessonversion",
            name="kind",
            field=models.CharField(
                choices=[("lesson", "lesson"), ("quiz", "quiz")], default="lesson", max_length=10
            ),
        ),
        migrations.AddField(
            model_name="reading",
            name="limit",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="reading",
            index=models.Index(
                condition=models.Q(("ends_at__isnull", False), ("finished_at__isnull", True)),
                fields=["ends_at"],
                name="reading_under_limit",
            ),
        ),
        migrations.AddConstraint(
            model_name="lessonversion",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["lesson", "quiz"])), name="lesson_version_kind_is_known"
            ),
        ),
        migrations.RunSQL(LIMITS, migrations.RunSQL.noop),
    ]
