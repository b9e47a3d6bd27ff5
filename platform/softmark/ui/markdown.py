"""Markdown for an assignment's statement: tables, math as MathML, code in colour; sanitised, classes only."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments.token import STANDARD_TYPES

from softmark.ui import code, mathml


def render(text: str, *, top: int = 2, title: bool = True) -> SafeString:
    """The text as HTML that is safe to put into a page, its highest headings at level `top`.

    Without `title` a heading of level 1 that the text starts with is left out: the page says it already.
    """
    tokens = _PARSER.parse(text)
    if not title and tokens and tokens[0].tag == "h1":
        del tokens[:3]  # opened, said, closed
    _shift_headings(tokens, top)
    _use_classes(tokens)
    rendered = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return mark_safe(_CLEANER.clean(rendered))


def _shift_headings(tokens: Sequence[Token], top: int) -> None:
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    shift = top - min((int(token.tag[1]) for token in headings), default=top)
    for token in headings:
        token.tag = f"h{min(int(token.tag[1]) + shift, 6)}"


def _use_classes(tokens: Sequence[Token]) -> None:
    """Tables say how a column is aligned by a style, which the site's security policy does not let in."""
    for token in tokens:
        style = token.attrs.pop("style", None)
        if style:
            token.attrSet("class", "align-" + str(style).removeprefix("text-align:").strip())


def _math(source: str, options: dict[str, Any]) -> str:
    try:
        return mathml.render(source.strip(), block=bool(options["display_mode"]))
    except mathml.NotMath as error:
        note = f"(a formula, but {error}: this is its source)"
        return str(
            format_html(
                '<code class="math-broken">{}</code> <span class="math-note">{}</span>', source.strip(), note
            )
        )


def _fence(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """A block of code that can be scrolled by keyboard."""
    token = tokens[index]
    coloured = code.highlight(token.content, token.info.strip()) or html.escape(token.content)
    return f'<pre class="code" tabindex="0"><code>{coloured}</code></pre>\n'


def _table_open(*_: Any) -> str:
    return '<div class="table-scroll" role="group" aria-label="Table" tabindex="0"><table class="table">\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "typographer": False}).enable("table")
    parser.use(dollarmath_plugin, renderer=_math, allow_labels=False, allow_space=False, double_inline=True)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    return parser


_PARSER = _parser()

_MATHML = set(
    "math mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub"
    " msubsup msup mtable mtd mtext mtr munder munderover menclose".split()
)
_MATHML_ATTRIBUTES = set(
    "accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height"
    " largeop linethickness lspace mathsize mathvariant maxsize minsize movablelimits notation rowlines rowspacing"
    " rspace scriptlevel separator stretchy symmetric voffset width".split()
)
_HTML = set(
    "a blockquote br code div em h1 h2 h3 h4 h5 h6 hr img li ol p pre span strong table tbody td th thead tr ul".split()
)
_CLASSES = {name for name in STANDARD_TYPES.values() if name} | set(
    "align-center align-left align-right block code inline letter math math-broken math-note table table-scroll".split()
)

_CLEANER = nh3.Cleaner(
    tags=_HTML | _MATHML,
    attributes={
        "a": {"href", "title"},
        "img": {"src", "alt", "title"},
        "ol": {"start"},
        "div": {"role", "aria-label", "tabindex"},
        "pre": {"tabindex"},
        **dict.fromkeys(_MATHML, _MATHML_ATTRIBUTES),
    },
    allowed_classes=dict.fromkeys(("code", "div", "mi", "pre", "span", "table", "td", "th"), _CLASSES),
    url_schemes={"http", "https", "mailto"},
)
