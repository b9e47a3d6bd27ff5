"""Django's settings. What differs between machines comes from the environment; docs/operators.md lists it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import environ
from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from softmark.config.logs import LOGGING, configure_structlog

env = environ.Env()

PACKAGE = Path(__file__).resolve().parent.parent
REPOSITORY = PACKAGE.parent.parent

DEBUG = env.bool("DEBUG", default=False)
SECURE = env.bool("SECURE", default=not DEBUG)  # reached by https, perhaps through a proxy
SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set. `make run` makes one; elsewhere set it to a long random text."
    )
ALLOWED_HOSTS = [
    *env.list("ALLOWED_HOSTS", default=[]),
    "localhost",
    "127.0.0.1",
    "[::1]",
]  # health checks, too
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# -- services

DATABASES = {"default": env.db("DATABASE_URL")}
DATABASES["default"] |= {
    "CONN_MAX_AGE": 60,
    "CONN_HEALTH_CHECKS": True,
    "ATOMIC_REQUESTS": False,  # actions say where a transaction begins
}
DATABASES["default"].setdefault(
    "OPTIONS", {}
).update(  # a server that is gone without a word is noticed in seconds
    connect_timeout=5, keepalives_idle=10, keepalives_interval=5, keepalives_count=3, tcp_user_timeout=15_000
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL")
CACHES = {  # holds only what may be lost: how often somebody got a password wrong
    "default": {
        "BACKEND": "softmark.config.cache.ForgivingRedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "softmark",
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
    }
}

# -- applications

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "softmark.ui",
    "softmark.accounts",  # before allauth: its templates take the place of those
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "django_prometheus",
    "django_structlog",
    "template_partials",
    "softmark.courses",
    "softmark.coursework",
    "softmark.lessons",
    "softmark.submissions",
    "softmark.grading",
    "softmark.gradebook",
    "softmark.home",
    "softmark.config",
]

MIDDLEWARE = [
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "softmark.ui.body.in_utf8",  # before all that read a form
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]

ROOT_URLCONF = "softmark.config.urls"
WSGI_APPLICATION = "softmark.config.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
            "builtins": ["softmark.ui.templatetags.ui"],
        },
    }
]

# -- people

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["softmark.accounts.backends.SiteBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]  # fmt: skip
ACCOUNT_ADAPTER = "softmark.accounts.adapter.ClosedAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # people are enrolled by their course, which knows their address
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
# A lecture hall may have one address for all; a person has five tries.
ACCOUNT_RATE_LIMITS = {"login": "300/m/ip", "login_failed": "100/m/ip,5/5m/key"}
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
EMAIL_TIMEOUT = 10  # the reaper and the letters share a process, and a silent mail server must not stop both
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="softmark@localhost")

# -- security

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
SESSION_COOKIE_AGE = 14 * 24 * 3600
CSRF_FAILURE_VIEW = "softmark.config.errors.csrf_failure"
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
ALLAUTH_TRUSTED_PROXY_COUNT = int(BEHIND_PROXY)  # else a class behind one address shares its wrong passwords
SECURE_SSL_REDIRECT = SECURE and env.bool("SSL_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^healthz$", r"^metrics$"]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "style-src": [SELF, NONCE],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "img-src": [SELF, "data:"],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 12 << 20  # a notebook may have 10 MB
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000

# -- pages

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATIC_ROOT = env.path("STATIC_ROOT", default=str(REPOSITORY / "var" / "static"))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = DEBUG
if DEBUG:
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}

# -- the demo course

DEMO = env.bool("DEMO", default=False)  # may be loaded, and its people's passwords stand on the first page

# -- grading

SUBMISSIONS_PER_MINUTE = env.int("SUBMISSIONS_PER_MINUTE", default=6)  # of one student
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

DJANGO_STRUCTLOG_USER_ID_FIELD = (
    None  # else every request, even one for a sign of life, asks the database who it is
)

configure_structlog()
LOGGING = LOGGING
LOGGING_CONFIG = "logging.config.dictConfig"
