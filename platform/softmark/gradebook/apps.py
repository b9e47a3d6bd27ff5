"""The gradebook hears of every run that ends."""

from django.apps import AppConfig


class GradebookConfig(AppConfig):
    name = "softmark.gradebook"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from softmark.gradebook import receivers  # noqa: F401 -- connects them
