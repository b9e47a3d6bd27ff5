"""Addresses."""

from django.urls import path

from softmark.gradebook import views

app_name = "gradebook"
urlpatterns = [
    path("grades/", views.mine, name="mine"),
    path("gradebook.csv", views.export_csv, name="csv"),
    path("gradebook/", views.grid, name="grid"),
    path("gradebook/<slug:item>/release/", views.release, name="release"),
    path("gradebook/<slug:item>/<int:user>/", views.cell, name="cell"),
    path("gradebook/<slug:item>/<int:user>/points/", views.set_points, name="set_points"),
    path("gradebook/<slug:item>/<int:user>/excuse/", views.excuse, name="excuse"),
    path("gradebook/<slug:item>/<int:user>/comment/", views.comment, name="comment"),
    path("gradebook/<slug:item>/<int:user>/take-back/", views.take_back, name="take_back"),
]
