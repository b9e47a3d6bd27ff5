"""Addresses."""

from django.urls import path

from softmark.home import views

urlpatterns = [
    path("", views.home, name="home"),
]
