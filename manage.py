#!/usr/bin/env python
"""Django's command line for the site."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    # platform/ holds the package `softmark`; it stands behind the standard library, whose `platform` it must not hide.
    sys.path.insert(1, str(Path(__file__).resolve().parent / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "softmark.config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
