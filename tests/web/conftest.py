"""What the tests of pages share."""

from __future__ import annotations

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def uncollected_static_files(settings: Settings) -> None:
    """Pages name static files as they lie in the tree; nothing is collected first, or needs `make assets`."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.WHITENOISE_AUTOREFRESH = True  # no complaint about the folder of collected files
