"""The theme switch and the style guide."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import cast
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET

from softmark.ui.theme import COOKIE, COOKIE_AGE, THEMES
from softmark.ui.words import STATUSES, VERDICTS


def theme(request: HttpRequest) -> HttpResponse:
    """Remembers the theme and goes back. For a reader without JavaScript; theme.js does it on the spot."""
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure()):
        back = "/"
    response = HttpResponseRedirect(back)
    chosen = request.POST.get("theme")
    if chosen in THEMES:
        response.set_cookie(
            COOKIE, chosen, max_age=COOKIE_AGE, samesite="Lax", secure=bool(settings.SESSION_COOKIE_SECURE)
        )
    return response


class SampleForm(forms.Form):
    """A form with something wrong in it, for the style guide."""

    address = forms.EmailField(label="Email", help_text="The address that your course knows.")
    weight = forms.DecimalField(label="Attention weight of the second key", max_value=1, min_value=0)
    sure = forms.ChoiceField(
        label="How sure are you?",
        choices=[("50", "A guess"), ("75", "Fairly"), ("95", "Very")],
        widget=forms.RadioSelect,
    )
    part = forms.ChoiceField(label="Part", choices=[("q", "Queries"), ("k", "Keys")])
    why = forms.CharField(label="Why", widget=forms.Textarea(attrs={"rows": 3}), required=False)
    remember = forms.BooleanField(label="Remember me on this computer", required=False)


@require_GET
@login_required
def guide(request: HttpRequest) -> HttpResponse:
    """Every component, on one page, for staff: to look at, and for the browser tests to check."""
    if not cast(bool, getattr(request.user, "is_staff", False)):
        raise PermissionDenied("The style guide is for staff.")
    sample = SampleForm({"address": "ada@example", "weight": "1.5", "sure": "75", "part": "q"})
    return render(
        request,
        "ui/guide.html",
        {
            "verdicts": [word for word in VERDICTS if word not in ("queued", "running")],
            "statuses": list(STATUSES),
            "form": sample,
            "instant": datetime(2026, 3, 5, 23, 0, tzinfo=ZoneInfo("Europe/Berlin")),
            "zone": ZoneInfo("Europe/Berlin"),
            "value": Decimal("9.999"),
            "most": Decimal(10),
            "prose": PROSE,
            "code": CODE,
            "schemes": ["light", "dark"],
        },
    )


CODE = """import numpy as np


def attention(q, k, v):
    \"\"\"Scaled dot-product attention.\"\"\"
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))  # the largest becomes 1
    return weights / weights.sum(-1, keepdims=True) @ v, 0x1F
"""

PROSE = r"""## Looking something up

Each **query** asks a question, each **key** says what its position has to offer, and each *value* is what one gets
there. With $d = 4$ the scores are halved, and a [link](https://example.org/) looks like this:

$$
\mathrm{attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right) V
$$

| argument | shape | holds |
|---|:---:|---:|
| `q` | `(..., Tq, d)` | 4 |
| `k` | `(..., Tk, d)` | 16 |

> A weighted mean lies between its values.

1. First compare,
2. then mix.

```python
weights = softmax(q @ k.T / d**0.5)
```

A formula that cannot be read shows its source: $\frac{1}$.
"""
