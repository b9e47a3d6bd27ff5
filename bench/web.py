"""The site as it is served, with one view more, which does nothing for somebody who is signed in: for gunicorn."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import include, path

application = get_wsgi_application()  # before the site's addresses are read, which need its apps


@login_required
def nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


urlpatterns = [path("nothing/", nothing), path("", include(settings.ROOT_URLCONF))]
settings.ROOT_URLCONF = __name__
