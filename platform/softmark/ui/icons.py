"""The icons, as the strokes inside a 24 by 24 box. They decorate: a word always stands beside them."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

STROKES = {
    "check": '<path d="M5 12.5 10 17.5 19 7"/>',
    "cross": '<path d="m6.5 6.5 11 11m0-11-11 11"/>',
    "shape": '<path d="M4 8V4h4m8 0h4v4m0 8v4h-4m-8 0H4v-4"/><path d="m9 9 6 6m0-6-6 6"/>',
    "type": '<path d="M5 7V5h14v2M12 5v14m-3 0h6"/>',
    "infinity": '<path d="M12 12c-2.2-3.3-3.8-4.5-5.5-4.5a4.5 4.5 0 0 0 0 9c1.7 0 3.3-1.2 5.5-4.5s3.8-4.5 5.5-4.5'
    'a4.5 4.5 0 0 1 0 9c-1.7 0-3.3-1.2-5.5-4.5"/>',
    "exception": '<path d="M12 4 3 19.5h18L12 4Z"/><path d="M12 10v4.5m0 2.5v.1"/>',
    "clock": '<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3.5 2"/>',
    "memory": '<rect x="6" y="6" width="12" height="12" rx="1.5"/><path d="M9 6V3m6 3V3M9 21v-3m6 3v-3'
    'M6 9H3m3 6H3m18-6h-3m3 6h-3"/>',
    "output": '<path d="M4 6h16M4 11h16M4 16h9m4 0v.1m3-.1v.1"/>',
    "crash": '<path d="M13.5 3 6 13.5h5L10.5 21 18 10.5h-5L13.5 3Z"/>',
    "hand": '<circle cx="12" cy="12" r="8.5"/><path d="m6 6 12 12"/>',
    "dash": '<path d="M6 12h12"/>',
    "wrench": '<path d="M14.5 6.5a4.5 4.5 0 0 1 5.6-1.4l-3 3 1.8 1.8 2-3a4.5 4.5 0 0 1-6 5.6L8 19.5a2 2 0 0 1-3-3'
    'l7-7a4.5 4.5 0 0 1 2.5-3Z"/>',
    "queue": '<path d="M6 12h.1m5.9 0h.1m5.9 0h.1"/>',
    "running": '<path d="M12 3.5a8.5 8.5 0 1 0 8.5 8.5"/>',
    "pause": '<path d="M9 6v12m6-12v12"/>',
    "info": '<circle cx="12" cy="12" r="8.5"/><path d="M12 11v5.5m0-9v.1"/>',
    "warning": '<path d="M12 4 3 19.5h18L12 4Z"/><path d="M12 10v4.5m0 2.5v.1"/>',
    "system": '<rect x="3.5" y="4.5" width="17" height="12" rx="1.5"/><path d="M9 20h6m-3-3.5V20"/>',
    "eye": '<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z"/>'
    '<circle cx="12" cy="12" r="3"/>',
    "eye-off": '<path d="M9.5 5.8A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a16 16 0 0 1-2.6 3.4M6 7.5A15 15 0 0 0 2.5 12S6'
    ' 18.5 12 18.5a9 9 0 0 0 4.5-1.2M4 4l16 16"/>',
    "sun": '<circle cx="12" cy="12" r="4"/><path d="M12 3v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4'
    'm0-12.8L17 7M7 17l-1.4 1.4"/>',
    "moon": '<path d="M19.5 14A8 8 0 0 1 10 4.5 8 8 0 1 0 19.5 14Z"/>',
    "user": '<circle cx="12" cy="8.5" r="4"/><path d="M4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5"/>',
    "chevron": '<path d="m7 10 5 5 5-5"/>',
}


def icon(name: str) -> SafeString:
    """An icon as inline SVG, hidden from screen readers."""
    return format_html(
        '<svg class="icon icon-{}" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">{}</svg>',
        name,
        mark_safe(STROKES[name]),
    )
