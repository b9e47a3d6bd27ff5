"""Addresses of a course: its front page, which shows what all apps know, and the pages of `courses`."""

from django.urls import path

from softmark.courses import urls as courses_urls
from softmark.home import views

app_name = "courses"
urlpatterns = [
    path("", views.course, name="course"),
    *courses_urls.urlpatterns,
]
