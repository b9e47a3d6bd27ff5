"""People. Who may do what is a matter of their enrolments, not of their account."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower


class UserManager(BaseUserManager["User"]):
    """Makes users by their address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, **{"is_staff": True, "is_superuser": True} | fields)

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by an email address in lower case."""

    email = models.EmailField("email address", unique=True, max_length=254)
    name = models.CharField(max_length=150, blank=True)
    is_staff = models.BooleanField(
        "administrator", default=False, help_text="May use the administration pages."
    )
    is_active = models.BooleanField(
        "active", default=True, help_text="Take this away instead of deleting somebody."
    )
    date_joined = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        ordering = ("name", "email")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(email=Lower("email")), name="user_email_is_lower_case",
                violation_error_message="Write the address in lower case.",
            ),
        )  # fmt: skip

    def __str__(self) -> str:
        return self.name or self.email

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return str(self)
