"""Addresses."""

from django.urls import path

from softmark.lessons import views

app_name = "lessons"
urlpatterns = [
    path("lessons/<slug:item>/", views.lesson, name="lesson"),
    path("lessons/<slug:item>/begin/", views.begin, name="begin"),
    path("lessons/<slug:item>/predictions/<slug:stop>/", views.predict, name="predict"),
]
