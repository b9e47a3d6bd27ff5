from django.apps import AppConfig


class CoursesConfig(AppConfig):
    name = "softmark.courses"
    default_auto_field = "django.db.models.BigAutoField"
