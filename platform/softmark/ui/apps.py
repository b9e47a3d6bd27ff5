"""The ground floor of all pages: base templates, components, static files."""

from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "softmark.ui"
    label = "ui"
