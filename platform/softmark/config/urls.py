"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from softmark.accounts.views import address_is_fixed
from softmark.config import health

urlpatterns = [
    path("", include("softmark.home.urls")),
    path("courses/<slug:course>/", include("softmark.home.course_urls")),
    path("courses/<slug:course>/", include("softmark.coursework.urls")),
    path("courses/<slug:course>/", include("softmark.lessons.urls")),
    path("courses/<slug:course>/", include("softmark.submissions.urls")),
    path("courses/<slug:course>/", include("softmark.grading.urls")),
    path("courses/<slug:course>/", include("softmark.gradebook.urls")),
    path("", include("softmark.ui.urls")),
    path("accounts/email/", address_is_fixed, name="account_email"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("livez", health.alive, name="livez"),
    path("healthz", health.healthy, name="healthz"),
    path("metrics", health.metrics, name="metrics"),
]

handler400 = "softmark.config.errors.bad_request"
handler403 = "softmark.config.errors.forbidden"
handler404 = "softmark.config.errors.not_found"
handler500 = "softmark.config.errors.broken"
