"""Addresses."""

from django.urls import path

from softmark.submissions import views

app_name = "submissions"
urlpatterns = [
    path("assignments/<slug:item>/", views.assignment, name="assignment"),
    path("assignments/<slug:item>/submit/", views.submit, name="submit"),
    path("assignments/<slug:item>/draft/", views.draft, name="draft"),
]
