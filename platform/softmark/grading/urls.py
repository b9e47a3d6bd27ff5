"""Addresses."""

from django.urls import path

from softmark.grading import views

app_name = "grading"
urlpatterns = [
    path("submissions/<int:pk>/", views.report, name="report"),
    path("submissions/<int:pk>/progress/", views.progress, name="progress"),
    path("submissions/<int:pk>/code/", views.code, name="code"),
    path("submissions/<int:pk>/regrade/", views.regrade, name="regrade"),
    path("submissions/<int:pk>/give-back/", views.give_back, name="give_back"),
]
