import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("courses", "0002_append_only"),
        ("grading", "0001_initial"),
        ("submissions", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("auto", "graded by machine"),
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
                ("number", models.PositiveIntegerField(null=True)),
                ("received_at", models.DateTimeField(null=True)),
                ("points", models.DecimalField(decimal_places=3, max_digits=8, null=True)),
                ("max_points", models.DecimalField(decimal_places=3, max_digits=8, null=True)),
                ("reason", models.TextField(blank=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="courses.course",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="events", to="courses.item"
                    ),
                ),
                (
                    "revokes",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="revoked_by",
                        to="gradebook.event",
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="event",
                        to="grading.run",
                    ),
                ),
                (
                    "student",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grade_events",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "indexes": [models.Index(fields=["course", "item", "student"], name="event_of_cell")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                ["auto", "override", "excuse", "comment", "release", "hide", "revoke"],
                            )
                        ),
                        name="event_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "auto"), _negated=True),
                            models.Q(
                                ("max_points__gt", 0),
                                ("number__isnull", False),
                                ("points__isnull", False),
                                ("received_at__isnull", False),
                                ("run__isnull", False),
                                ("submission__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="event_auto_has_its_run",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "override"), _negated=True),
                            models.Q(("actor__isnull", False), ("points__isnull", False)),
                            _connector="OR",
                        ),
                        name="event_override_has_points_and_actor",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "revoke"), _negated=True),
                            ("revokes__isnull", False),
                            _connector="OR",
                        ),
                        name="event_revoke_names_another",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("student__isnull", False), ("kind__in", ["release", "hide"]), _connector="OR"
                        ),
                        name="event_is_about_a_student",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("points__isnull", True), ("points__gte", 0), _connector="OR"),
                        name="event_points_not_negative",
                    ),
                ],
            },
        ),
    ]
