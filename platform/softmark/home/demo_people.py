"""The people of the demo course, who all have the same password, which everybody may know."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet

from softmark.accounts.backends import DEMO_DOMAIN
from softmark.accounts.models import User
from softmark.courses.models import Enrolment

COURSE = "attention"
DOMAIN = DEMO_DOMAIN
PASSWORD = "softmark-demo"


def demo_people() -> QuerySet[User]:
    """Those of the demo course, with their enrolment in it, staff first. Empty where it is not loaded."""
    there = Enrolment.objects.filter(course__slug=COURSE).select_related("section")
    people = User.objects.filter(email__endswith=f"@{DOMAIN}", is_active=True)
    return people.prefetch_related(Prefetch("enrolments", there)).order_by("-is_staff", "pk")
