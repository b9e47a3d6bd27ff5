from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "softmark.config"

    def ready(self) -> None:
        from softmark.config import celery  # noqa: F401 -- the app that tasks are sent by
