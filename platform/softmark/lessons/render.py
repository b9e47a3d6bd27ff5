"""A lesson's blocks as HTML that is safe to put into a page.

On top of what every text may hold: {q}, {k}, {v} and {w} for query, key, value and weight in their colours, alone or
with words, {q}[the query]; {{ name }} for a fact of the draw; and pictures that lie beside the lesson, which become
part of the page. Facts are filled in after Markdown was read, so that none can be read as Markdown or HTML.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from softmark.lessons.facts import MARK, Facts, fill_code
from softmark.lessons.facts import shown as shown_fact
from softmark.lessons.model import Block, Widget
from softmark.ui.markdown import Markdown

PICTURES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".svg": "image/svg+xml",
}  # fmt: skip
_TOP = 2  # the highest heading: the lesson's title is the page's first
_ROLES = {"q": "query", "k": "key", "v": "value", "w": "weight"}
_ROLE = re.compile(r"\{([qkvw])\}(?:\[([^\[\]\n]{1,200})\])?")
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_SOURCES = ("code_inline", "fence", "code_block", "math_inline", "math_inline_double", "math_block")


@dataclass(frozen=True)
class Shown:
    """A block as HTML; of a widget, what stands in its place for who cannot use it, and the widget itself."""

    html: SafeString
    widget: Widget | None = None


def shown(
    blocks: Sequence[Block], facts: Facts = _NOTHING, data: Mapping[str, bytes] = _NOTHING
) -> tuple[Shown, ...]:
    """The blocks in their order. data: the bytes of the lesson's pictures, by name."""
    return tuple(
        Shown(format_html('<p class="widget-alt">{}</p>', block.alt), block)
        if isinstance(block, Widget)
        else Shown(text_html(block.source, facts, data))
        for block in blocks
    )


def text_html(text: str, facts: Facts = _NOTHING, data: Mapping[str, bytes] = _NOTHING) -> SafeString:
    """Markdown of a lesson as HTML."""
    tokens = _LESSONS.parse(text)
    for token in _walk(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{max(int(token.tag[1]), _TOP)}"
        elif token.type in _SOURCES:
            token.content = fill_code(token.content, facts)
    return _LESSONS.render(tokens, {"facts": facts, "data": data})


# -- what a text names, for whoever checks it


@dataclass(frozen=True)
class Named:
    """kind: fact, picture or title (a heading of level 1). line: from 0, in the text."""

    kind: str
    name: str
    line: int
    alt: str = ""


def named_in(text: str) -> Iterator[Named]:
    """The facts, pictures and titles in Markdown."""
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
            elif child.type == "image":
                yield Named("picture", str(child.attrGet("src") or ""), at, _words(child.children or [], {}))


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or [])


def _words(tokens: Sequence[Token], facts: Facts) -> str:
    """The text of a picture, without its marks."""
    said = []
    for token in _walk(tokens):
        if token.type in ("softbreak", "hardbreak"):
            said.append(" ")
        elif token.type == "fact":
            said.append(_fact_text(token, facts))
        elif not token.children:
            said.append(token.content or (token.markup if token.type == "role" else ""))
    return "".join(said).strip()


# -- the notations


def _read_role(state: StateInline, silent: bool) -> bool:
    found = _ROLE.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "{" else None
    if found is None:
        return False
    if not silent:
        token = state.push("role", "", 0)
        token.markup, token.content = found[1], found[2] or ""
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
    letter, words = tokens[at].markup, tokens[at].content
    if not words:
        return f'<span class="{_ROLES[letter]}">{letter}</span>'
    return f'<span class="{_ROLES[letter]}">{html.escape(words)}<sup>{letter}</sup></span>'


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
    parser.inline.ruler.before("link", "fact", _read_fact)
    parser.inline.ruler.before("link", "role", _read_role)
    parser.add_render_rule("fact", _fact)
    parser.add_render_rule("role", _role)
    parser.add_render_rule("image", _image)


_LESSONS = Markdown(_notations, tags={"sup"}, classes=set(_ROLES.values()), inline_images=True)
