"""Lessons hear of more time that somebody was given."""

from django.apps import AppConfig


class LessonsConfig(AppConfig):
    name = "softmark.lessons"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from softmark.lessons import receivers  # noqa: F401 -- connects them
