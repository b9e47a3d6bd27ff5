"""Addresses; `softmark.home.course_urls` puts them under the name "courses", beside the course's own page."""

from django.urls import path

from softmark.courses import views

urlpatterns = [
    path("people/", views.people, name="people"),
]
