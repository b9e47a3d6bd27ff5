import django.core.validators
import django.db.models.deletion
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

TRIGGER = """
CREATE TRIGGER never_changed BEFORE UPDATE ON courses_accommodation FOR EACH ROW
EXECUTE FUNCTION softmark_refuse('Accommodations are never changed: add a new one, the newest counts.')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0003_lessons"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Accommodation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "time_factor",
                    models.DecimalField(
                        decimal_places=2,
                        help_text="1.5 is half as much time again; 1 is the time of the others.",
                        max_digits=4,
                        validators=[
                            django.core.validators.MinValueValidator(Decimal("1")),
                            django.core.validators.MaxValueValidator(Decimal("10")),
                        ],
                    ),
                ),
                ("reason", models.TextField(help_text="For staff; the student sees only the time.")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="accommodations",
                        to="courses.course",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="accommodations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "indexes": [models.Index(fields=["course", "user"], name="accommodation_of_user")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("time_factor__range", (1, Decimal("10")))),
                        name="accommodation_gives_time",
                    )
                ],
            },
        ),
        migrations.RunSQL(TRIGGER, "DROP TRIGGER never_changed ON courses_accommodation"),
    ]
