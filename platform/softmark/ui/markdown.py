"""Markdown for statements and lessons: tables, math as MathML, code in colour; sanitised, classes only."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
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


class Markdown:
    """A way of reading Markdown: what every text may hold, and what some texts may hold beside it.

    plugins: each adds its rules to the parser.
    tags:    further tags that these write.
    classes: further classes of their spans.
    inline_images: pictures are part of the page (data:), and none may lie anywhere else.
    """

    def __init__(
        self,
        *plugins: Callable[[MarkdownIt], None],
        tags: Iterable[str] = (),
        classes: Iterable[str] = (),
        inline_images: bool = False,
    ) -> None:
        self._parser = _parser()
        for plugin in plugins:
            plugin(self._parser)
        self._cleaner = _cleaner(frozenset(tags), frozenset(classes), inline_images)

    def parse(self, text: str) -> list[Token]:
        return self._parser.parse(text)

    def render(self, tokens: list[Token], env: dict[str, Any] | None = None) -> SafeString:
        """What was parsed as HTML that is safe to put into a page. `env` is for the rules of plugins."""
        _use_classes(tokens)
        rendered = self._parser.renderer.render(tokens, self._parser.options, env if env is not None else {})
        return mark_safe(self._cleaner.clean(_FORMULA.sub(_kept_together, rendered)))


def render(text: str, *, top: int = 2, title: bool = True) -> SafeString:
    """The text as HTML that is safe to put into a page, its highest headings at level `top`.

    Without `title` a heading of level 1 that the text starts with is left out: the page says it already.
    """
    tokens = _STATEMENTS.parse(text)
    if not title and tokens and tokens[0].tag == "h1":
        del tokens[:3]  # opened, said, closed
    _shift_headings(tokens, top)
    return _STATEMENTS.render(tokens)


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
            token.attrJoin("class", "align-" + str(style).removeprefix("text-align:").strip())


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


# Browsers may break a line between a formula and the comma behind it, which text alone never has.
_FORMULA = re.compile(
    r'((?:[(\[“‘]|&quot;)*)(<span class="math inline"><math.*?</math></span>)((?:[.,;:!?)\]’”…\'-]|&quot;)*)',
    re.DOTALL,
)


def _kept_together(found: re.Match[str]) -> str:
    before, formula, behind = found.groups()
    return f'<span class="nowrap">{found[0]}</span>' if before or behind else formula


def _math_block(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """A formula on lines of its own; where it is wider than the page, it can be scrolled by keyboard."""
    formula = _math(tokens[index].content, {"display_mode": True})
    return f'<div class="math block" role="group" aria-label="Formula" tabindex="0">\n{formula}\n</div>\n'


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
    parser.add_render_rule("math_block", _math_block)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    return parser


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
    "align-center align-left align-right block code inline letter math math-broken math-note nowrap table"
    " table-scroll".split()
)

_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+=*")


def _cleaner(tags: frozenset[str], classes: frozenset[str], inline_images: bool) -> nh3.Cleaner:
    def only_inline(tag: str, attribute: str, value: str) -> str | None:
        if (tag, attribute) == ("img", "src"):
            return value if _PICTURE.fullmatch(value) else None
        return None if attribute == "href" and value.lstrip().lower().startswith("data:") else value

    allowed_classes = {
        **dict.fromkeys(("code", "div", "mi", "pre", "span", "table", "td", "th"), _CLASSES),
        "span": _CLASSES | classes,
    }
    return nh3.Cleaner(
        tags=_HTML | _MATHML | tags,
        attributes={
            "a": {"href", "title"},
            "img": {"src", "alt", "title"},
            "ol": {"start"},
            "div": {"role", "aria-label", "tabindex"},
            "pre": {"tabindex"},
            **dict.fromkeys(_MATHML, _MATHML_ATTRIBUTES),
        },
        allowed_classes=allowed_classes,
        url_schemes={"http", "https", "mailto"} | ({"data"} if inline_images else set()),
        attribute_filter=only_inline if inline_images else None,
    )


_STATEMENTS = Markdown()
