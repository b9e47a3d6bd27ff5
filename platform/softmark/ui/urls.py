from django.urls import path

from softmark.ui import views

app_name = "ui"

urlpatterns = [
    path("theme/", views.theme, name="theme"),
    path("style/", views.guide, name="guide"),
]
