"""Code as HTML: classes only, coloured by code.css."""

from __future__ import annotations

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from pygments import highlight as pygments_highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer, get_lexer_by_name
from pygments.util import ClassNotFound


def highlight(text: str, language: str) -> str:
    """The inside of a <pre>, or nothing for a language that is not known."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return ""
    return str(pygments_highlight(text, lexer, HtmlFormatter(nowrap=True)))


MOST_COLOURED = 20_000  # characters: colouring takes ten seconds for a million of them


def render(text: str, marked: int | None = None) -> SafeString:
    """A whole Python file with numbered lines, each one a target (#L12). A very long one is shown as it is."""
    if len(text) > MOST_COLOURED:
        return format_html('<pre class="code" tabindex="0"><code>{}</code></pre>', text)
    # A token that runs over several lines is closed and opened again at each, so the lines can be taken apart.
    html = str(pygments_highlight(text, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)))
    lines = html.removesuffix("\n").split("\n")
    rows = format_html_join(
        "",
        '<span class="line{}" id="L{}"><a class="line-number" href="#L{}" aria-label="Line {}">{}</a>'
        '<span class="line-text">{}</span>\n</span>',
        (
            (" is-marked" if number == marked else "", number, number, number, number, mark_safe(line))
            for number, line in enumerate(lines, start=1)
        ),
    )
    return format_html('<pre class="code code-lines" tabindex="0"><code>{}</code></pre>', rows)
