#!/usr/bin/env python
"""Django's command line for the site."""

import os
import sys
from pathlib import Path

# Lessons are checked by their authors, where no site is: nothing is encrypted there, and nothing connected to.
WITHOUT_A_SITE = {
    "check_lessons": {"SECRET_KEY": "none", "DATABASE_URL": "postgres:///none", "REDIS_URL": "redis://none"}
}

if __name__ == "__main__":
    # platform/ holds the package `softmark`; it stands behind the standard library, whose `platform` it must not hide.
    sys.path.insert(1, str(Path(__file__).resolve().parent / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "softmark.config.settings")
    for name, value in WITHOUT_A_SITE.get("".join(sys.argv[1:2]), {}).items():
        os.environ[name] = os.environ.get(name) or value
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as missing:
        if settings.configured:
            raise
        sys.exit(str(missing))
