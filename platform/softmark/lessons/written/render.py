"""A lesson's blocks as HTML that is safe to put into a page.

On top of what every text may hold: {q}, {k}, {v} and {w} for query, key, value and weight in their colours, alone or
with words, {q}[the query]; {{ name }} for a fact of the draw; pictures that lie beside the lesson, which become part
of the page; and [words](item:name) for an item of the course, which is a link where the reader sees that item.
Quotation marks become those of a book. Facts are filled in after Markdown was read, so that none can be read as
Markdown or HTML.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from softmark.lessons.written.facts import MARK, Facts, fill_code
from softmark.lessons.written.facts import shown as shown_fact
from softmark.lessons.written.lesson import Block, Widget
from softmark.ui.markdown import Markdown

PICTURES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".svg": "image/svg+xml",
}  # fmt: skip
_TOP = 2  # the highest heading: the lesson's title is the page's first
_ROLES = {"q": "query", "k": "key", "v": "value", "w": "weight"}
_ROLE = re.compile(r"\{([qkvw])\}(?:\[([^\[\]\n]{1,200})\])?")
_ITEM = re.compile(r"item:", re.IGNORECASE)
_NOTHING: Mapping[str, Any] = MappingProxyType({})
# <s> and <pad> are what a text about tokens says
_TAG = re.compile(r"<!|<\?|</?([A-Za-z][A-Za-z0-9-]*)")
_ELEMENTS = (nh3.ALLOWED_TAGS - {"s"}) | frozenset(
    "audio body button canvas embed font form frame head html iframe input label link main meta object option script "
    "section select source style svg textarea title video".split()
)
_WORD = re.compile(r"[^\W\d_]{2}")
_SOURCES = ("code_inline", "fence", "code_block", "math_inline", "math_inline_double", "math_block")


@dataclass(frozen=True)
class Shown:
    """A block as HTML; of a widget, what stands in its place for who cannot use it, and the widget itself."""

    html: SafeString
    widget: Widget | None = None


def shown(
    blocks: Sequence[Block], facts: Facts = _NOTHING, data: Mapping[str, bytes] = _NOTHING,
    links: Mapping[str, str] = _NOTHING,
) -> tuple[Shown, ...]:  # fmt: skip
    """The blocks in their order.

    data: the bytes of the lesson's pictures, by name. links: the addresses of the items that the reader sees, by name.
    """
    return tuple(
        Shown(format_html('<p class="widget-alt">{}</p>', block.alt), block)
        if isinstance(block, Widget)
        else Shown(
            _fixed_html(block.source)
            if _is_fixed(block.source)
            else text_html(block.source, facts, data, links)
        )
        for block in blocks
    )


def _is_fixed(text: str) -> bool:
    """Whether it reads the same for everybody: it may name a fact, a picture or an item."""
    return not ("{{" in text or "![" in text or _ITEM.search(text))


@lru_cache(2048)
def _fixed_html(text: str) -> SafeString:
    """A page holds dozens of them, and is asked for again after each commit."""
    return text_html(text)


def text_html(
    text: str, facts: Facts = _NOTHING, data: Mapping[str, bytes] = _NOTHING, links: Mapping[str, str] = _NOTHING
) -> SafeString:  # fmt: skip
    """Markdown of a lesson as HTML."""
    tokens = _LESSONS.parse(text)
    for token in _walk(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{max(int(token.tag[1]), _TOP)}"
        elif token.type in _SOURCES:
            token.content = fill_code(token.content, facts)
        if token.children:
            token.children = list(_linked(token.children, links))
    _keep_together(tokens, facts)
    return _LESSONS.render(tokens, {"facts": facts, "data": data})


def _keep_together(tokens: Sequence[Token], facts: Facts) -> None:
    """A cell of a table that holds numbers and no words is one line: a vector is read as a whole."""
    for cell, inside in pairwise(tokens):
        said = _words(inside.children or [], facts) if cell.type in ("td_open", "th_open") else ""
        if " " in said and not _WORD.search(said):
            cell.attrJoin("class", "nowrap")


def _linked(tokens: Sequence[Token], links: Mapping[str, str]) -> Iterator[Token]:
    """With the addresses of the items that links name; what leads nowhere is left as its words."""
    leads = True
    for token in tokens:
        if token.type == "link_open":
            name = _item_named(token)
            leads = name is None or name in links
            if name is not None and name in links:
                token.attrSet("href", links[name])
        if leads or token.type not in ("link_open", "link_close"):
            yield token


def _item_named(link: Token) -> str | None:
    """The name of the item that a link leads to; None where it leads elsewhere."""
    address = unquote(str(link.attrGet("href") or ""))
    scheme = _ITEM.match(address)
    return address[scheme.end() :] if scheme else None


def plain_words(text: str) -> str:
    """One line of Markdown where there can be no markup: formulas and code by their source.

    What is more than that stays as it was written.
    """
    tokens = _LESSONS.parse(text)
    is_line = [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    return _words(tokens, _NOTHING) if is_line else text


# -- what a text names, for whoever checks it


@dataclass(frozen=True)
class Named:
    """kind: fact, picture, item or title (a heading of level 1). line: from 0, in the text."""

    kind: str
    name: str
    line: int
    alt: str = ""


def named_in(text: str) -> Iterator[Named]:
    """The facts, pictures, items and titles in Markdown."""
    line = 0
    for token in _LESSONS.parse(text):
        line = token.map[0] if token.map else line
        if token.type == "heading_open" and token.tag == "h1":
            yield Named("title", "", line)
        if token.type in _SOURCES:
            before = token.type == "fence"
            for mark in MARK.finditer(token.content):
                yield Named("fact", mark[1], line + before + token.content[: mark.start()].count("\n"))
        at = line
        for child in _walk(token.children or []):
            if child.type in ("softbreak", "hardbreak"):
                at += 1
            elif child.type == "fact":
                yield Named("fact", child.content, at)
            elif child.type in _SOURCES:
                for mark in MARK.finditer(child.content):
                    yield Named("fact", mark[1], at)
            elif child.type == "link_open" and (item := _item_named(child)) is not None:
                yield Named("item", item, at)
            elif child.type == "image":
                yield Named("picture", str(child.attrGet("src") or ""), at, _words(child.children or [], {}))


def html_in(text: str) -> Iterator[int]:
    """The lines, from 0, where somebody wrote HTML, which would be shown as it is: tags and comments."""
    if "<" not in text:
        return
    line = 0
    for token in _WITH_HTML.parse(text):
        line = token.map[0] if token.map else line
        at = line
        if token.type == "html_block" and _is_html(token.content):
            yield at
        for child in _walk(token.children or []):
            if child.type in ("softbreak", "hardbreak"):
                at += 1
            elif child.type == "html_inline" and _is_html(child.content):
                yield at


def _is_html(text: str) -> bool:
    tags = _TAG.finditer(text)
    return any(tag[1] is None or tag[1].casefold() in _ELEMENTS for tag in tags)


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or [])


def _words(tokens: Sequence[Token], facts: Facts) -> str:
    """A text without its marks; words in a colour keep the letter that stands beside them."""
    said = []
    for token in _walk(tokens):
        if token.type in ("softbreak", "hardbreak"):
            said.append(" ")
        elif token.type == "fact":
            said.append(_fact_text(token, facts))
        elif token.type == "role_close":
            said.append(f" ({token.markup})")
        elif not token.children:
            said.append(token.content or (token.markup if token.type == "role" else ""))
    return "".join(said).strip()


# -- the notations


def _read_role(state: StateInline, silent: bool) -> bool:
    found = _ROLE.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "{" else None
    if found is None:
        return False
    if not silent and found[2] is None:
        state.push("role", "", 0).markup = found[1]
    elif not silent:
        state.push("role_open", "span", 1).markup = found[1]
        end, state.pos, state.posMax = state.posMax, found.start(2), found.end(2)
        state.md.inline.tokenize(state)
        state.posMax = end
        state.push("role_close", "span", -1).markup = found[1]
    state.pos = found.end()
    return True


def _read_fact(state: StateInline, silent: bool) -> bool:
    found = MARK.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "{" else None
    if found is None:
        return False
    if not silent:
        state.push("fact", "", 0).content = found[1]
    state.pos = found.end()
    return True


def _role(
    _: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """The letter, or the words with the letter beside them: never colour alone."""
    letter, kind = tokens[at].markup, tokens[at].type
    opened = "" if kind == "role_close" else f'<span class="{_ROLES[letter]}">'
    if kind == "role_open":
        return opened
    return f"{opened}{letter}</span>" if opened else f"<sup>{letter}</sup></span>"


def _fact(
    _: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    return html.escape(_fact_text(tokens[at], env.get("facts", {})))


def _fact_text(token: Token, facts: Facts) -> str:
    text = shown_fact(token.content, facts)
    return f"{{{{{token.content}}}}}" if text is None else text


def _image(
    _: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """A picture of the lesson's own as part of the page; in place of any other, its text."""
    token = tokens[at]
    alt = html.escape(_words(token.children or [], env.get("facts", {})))
    name = str(token.attrGet("src") or "")
    kind, data = PICTURES.get(PurePosixPath(name).suffix.lower()), env.get("data", {}).get(name)
    if kind is None or data is None:
        return f"<em>{alt}</em>"
    return f'<img src="data:{kind};base64,{base64.b64encode(data).decode()}" alt="{alt}">'


def _notations(parser: MarkdownIt) -> None:
    parser.options["typographer"] = True  # of what that could be, the quotation marks alone
    parser.enable("smartquotes")
    parser.inline.ruler.before("link", "fact", _read_fact)
    parser.inline.ruler.before("link", "role", _read_role)
    parser.add_render_rule("fact", _fact)
    for kind in ("role", "role_open", "role_close"):
        parser.add_render_rule(kind, _role)
    parser.add_render_rule("image", _image)


_LESSONS = Markdown(_notations, tags={"sup"}, classes=set(_ROLES.values()), inline_images=True)
# Never shown: only it tells what would be HTML from what is code, a formula or an escaped sign.
_WITH_HTML = Markdown(_notations, lambda parser: parser.options.update(html=True))
