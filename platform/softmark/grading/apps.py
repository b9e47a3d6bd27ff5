from django.apps import AppConfig


class GradingConfig(AppConfig):
    name = "softmark.grading"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from softmark.grading import receivers  # noqa: F401 -- connects them
