"""Addresses."""

from django.urls import path

from softmark.coursework import views

app_name = "coursework"
urlpatterns = [
    path("uploads/", views.uploads, name="uploads"),
    path("uploads/add/", views.add, name="add"),
    path("uploads/<int:upload>/", views.upload, name="upload"),
    path("uploads/<int:upload>/progress/", views.progress, name="progress"),
    path("uploads/<int:upload>/again/", views.again, name="again"),
    path("uploads/<int:upload>/publish/", views.publish, name="publish"),
    path("assignments/<slug:item>/verification/", views.verification, name="verification"),
]
