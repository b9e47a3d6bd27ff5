"""Addresses; `softmark.home.course_urls` puts them under the name "courses", beside the course's own page."""

from django.urls import path

from softmark.courses import views

urlpatterns = [
    path("people/", views.people, name="people"),
    path("people/<int:user>/time/", views.extra_time, name="extra_time"),
    path("people/<int:user>/time/set/", views.set_extra_time, name="set_extra_time"),
    path("people/<int:user>/time/extend/", views.set_extension, name="set_extension"),
]
