from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "softmark.submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from softmark.submissions import receivers  # noqa: F401  (connects them)
