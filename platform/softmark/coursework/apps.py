from django.apps import AppConfig


class CourseworkConfig(AppConfig):
    name = "softmark.coursework"
    default_auto_field = "django.db.models.BigAutoField"
