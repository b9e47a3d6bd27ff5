"""The tags that every template has (config/settings.py names this module among the builtins).

`{% verdict_badge %}`, `{% status_badge %}`, `{% points %}`, `{% duration %}`, `{% when %}`, `{% left %}`, `{% icon %}`,
`{% field %}`, `{% fields %}`, `{% pane_switch %}`, `{% python %}`, the filter `markdown`, and two that enclose:
`{% notice %}...{% endnotice %}` and `{% empty %}...{% endempty %}`. The style guide, /style/, shows them all.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from importlib.metadata import version
from typing import Any
from zoneinfo import ZoneInfo

from django import forms, template
from django.forms.boundfield import BoundField
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from softmark.ui import code, icons, markdown, theme, words

register = template.Library()

NO_POINTS = SafeString('<span aria-hidden="true">–</span><span class="visually-hidden">no points yet</span>')

register.simple_tag(icons.icon, name="icon")


# -- outcomes


@register.simple_tag
def verdict_badge(verdict: str) -> SafeString:
    """The verdict of a check or a submission; also 'queued' and 'running'."""
    return _badge(words.outcome(str(verdict), words.VERDICTS))


@register.simple_tag
def status_badge(status: str) -> SafeString:
    """A submission's status."""
    return _badge(words.outcome(str(status), words.STATUSES))


def _badge(outcome: words.Outcome) -> SafeString:
    return format_html(
        '<span class="badge badge-{}">{}{}</span>', outcome.tone, icons.icon(outcome.icon), outcome.word
    )


# -- numbers and times


@register.simple_tag
def points(value: Decimal | float | None, most: Decimal | float | None = None) -> SafeString:
    """`{% points 7.5 10 %}` is '7.5 / 10', `{% points 7.5 %}` is '7.5', and without a value it is a dash."""
    exact_most = None if most is None else Decimal(str(most))
    shown, shown_most = words.shown_points(Decimal(str(value or 0)), exact_most)
    said = NO_POINTS if value is None else shown
    of = format_html('<span class="points-of"> / {}</span>', shown_most) if shown_most else ""
    return format_html('<span class="points">{}{}</span>', said, of)


@register.simple_tag
def duration(length: float | timedelta, short: bool = False) -> str:
    """`{% duration 125 %}` is '2 minutes 5 seconds'; with `short=True` it is '2 min 5 s'."""
    seconds = length.total_seconds() if isinstance(length, timedelta) else float(length)
    return words.shown_duration(seconds, short)


@register.simple_tag
def when(instant: datetime | None, place: Any = None) -> SafeString:
    """A moment in a zone (a ZoneInfo, its name, or a course, which has one); times.js adds the reader's own time.

    Without a place it is the zone that Django is set to. Without an instant it is a dash.
    """
    if instant is None:
        return SafeString("–")
    local = timezone.localtime(instant, _zone(place))
    return format_html(
        '<time class="when" datetime="{}">{}</time>',
        local.isoformat(timespec="seconds"),
        words.shown_instant(local),
    )


def _zone(place: Any) -> tzinfo | None:
    place = getattr(place, "zone", place)
    return ZoneInfo(place) if isinstance(place, str) and place else place or None


@register.simple_tag
def left(instant: datetime) -> str:
    """'3 days 4 hours left', or '2 hours ago'."""
    return words.time_left(instant, timezone.now())


# -- forms


@register.simple_tag
def field(bound: BoundField) -> SafeString:
    """A form's field with its label, its help and what is wrong with it, tied together."""
    widget = bound.field.widget
    return render_to_string(
        "ui/components/field.html",
        {
            "field": bound,
            "is_checkbox": isinstance(widget, forms.CheckboxInput),
            "is_group": bool(widget.use_fieldset),
        },
    )


@register.simple_tag
def fields(form: forms.BaseForm) -> SafeString:
    """All fields of a form, after what is wrong with the whole of it."""
    return render_to_string("ui/components/fields.html", {"form": form})


# -- text


@register.filter(name="markdown")
def markdown_filter(text: str) -> SafeString:
    return markdown.render(text)


@register.simple_tag
def python(text: str, line: int | None = None) -> SafeString:
    """Python code with line numbers that can be linked to (#L12); `line` is the one to point at."""
    return code.render(text, line)


# -- blocks


@register.simple_block_tag
def notice(content: str, tone: str = "info", title: str = "") -> SafeString:
    """`{% notice "bad" title="..." %}<p>...</p>{% endnotice %}`: info, good, warn or bad."""
    return render_to_string("ui/components/notice.html", {"content": content, "tone": tone, "title": title})


@register.simple_block_tag
def empty(content: str, title: str) -> SafeString:
    """What a list that holds nothing says: what will be here, and how to start."""
    return render_to_string("ui/components/empty.html", {"content": content, "title": title})


@register.simple_tag
def pane_switch(*titles: str, selected: int = 1, name: str = "pane") -> SafeString:
    """Inside `.panes`, before its `.pane` children: shows one pane at a time where there is no room for all."""
    return render_to_string(
        "ui/components/pane_switch.html", {"titles": titles, "selected": selected, "name": name}
    )


# -- the page around


@register.simple_tag(takes_context=True)
def page_theme(context: Context) -> theme.Theme:
    """The reader's choice: system, light or dark."""
    return theme.theme_of(context.get("request"))


@register.simple_tag
def softmark_version() -> str:
    return version("softmark")
