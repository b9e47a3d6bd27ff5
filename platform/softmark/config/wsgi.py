"""The web's way in. WSGI: every view is synchronous, and a thread keeps its database connection."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "softmark.config.settings")

application = get_wsgi_application()
