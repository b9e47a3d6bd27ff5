"""Looking everywhere that somebody can look on the site, and at all that comes back."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.contrib.staticfiles import finders
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

_LINK = re.compile(r'(?:href|src|action|hx-(?:get|post)|data-[\w-]*url)="([^"]+)"')
_CANARY = re.compile(r"canary-[\w-]+?-end")
_BASE64 = re.compile(r"base64,([A-Za-z0-9+/=]+)")
_WAYS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("GET", {}),
    ("GET", {"HX-Request": "true", "Accept": "application/json"}),
    ("POST", {}),
    ("POST", {"HX-Request": "true"}),
    ("PUT", {}),
)


def canaries(text: str) -> set[str]:
    """Those in the text, in what is escaped there, and in pictures that are a part of it."""
    inside = "".join(base64.b64decode(each).decode(errors="replace") for each in _BASE64.findall(text))
    return set(_CANARY.findall(text + html.unescape(text) + inside))


@dataclass
class Crawl:
    """What somebody who is signed in sees. Whatever a request changes is undone. Pages of lessons are asked for in
    every way, others by GET.

    urls, size: how many different ones were asked, and how many bytes came with headers. found: every canary.
    uncached: addresses of pages that a browser or a proxy might keep.
    """

    client: Client
    found: set[str] = field(default_factory=set)
    uncached: set[str] = field(default_factory=set)
    asked: set[tuple[str, str, str]] = field(default_factory=set)
    size: int = 0

    @property
    def urls(self) -> int:
        return len({address for _, address, _ in self.asked})

    def everywhere(self, arguments: Mapping[str, Iterable[Any]]) -> None:
        """Every named address, and every page that links lead to from there.

        arguments: by their names in the addresses, what each may be.
        """
        waiting = list(self._named(arguments))
        while waiting:
            address = waiting.pop()
            if ("GET", address, "") in self.asked or address == reverse("account_logout"):
                continue
            of_lessons = "/lessons/" in address
            for method, way in _WAYS if of_lessons else _WAYS[:1]:
                text = self._ask(method, address, way)
                links = (urljoin(address, html.unescape(each)) for each in _LINK.findall(text))
                parts = [urlsplit(each) for each in links]
                waiting += [
                    each.path + (f"?{each.query}" if each.query else "")
                    for each in parts
                    if not each.netloc and each.path.startswith("/") and not each.path.startswith("/static/")
                ]

    def lessons(self, arguments: Mapping[str, Iterable[Any]]) -> None:
        """The pages of lessons alone, and the front page of the course."""
        for address in self._named(arguments):
            if "/lessons/" in address or address in (
                "/",
                reverse("courses:course", args=arguments["course"]),
            ):
                for method, way in _WAYS[:2]:
                    self._ask(method, address, way)

    def _ask(self, method: str, address: str, way: Mapping[str, str]) -> str:
        key = (method, address, str(dict(way)) if way else "")
        if key in self.asked:
            return ""
        self.asked.add(key)
        with transaction.atomic():
            response = self.client.generic(
                method, address, b"", "application/x-www-form-urlencoded", headers=way
            )
            text = _text(response)
            transaction.set_rollback(True)
        self.size += len(text)
        self.found |= canaries(text)
        kept = "no-store" not in response.headers.get("Cache-Control", "")
        if kept and address.startswith("/courses/") and response.status_code == 200:
            self.uncached.add(address)
        return text

    def files(self) -> None:
        """Static files are everybody's, whoever asks and whenever."""
        for finder in finders.get_finders():
            for path, storage in finder.list([]):
                with storage.open(path) as file:
                    content = file.read()
                self.asked.add(("GET", f"/static/{path}", ""))
                self.size += len(content)
                self.found |= canaries(content.decode(errors="replace"))

    def _named(self, arguments: Mapping[str, Iterable[Any]]) -> Iterator[str]:
        for name, taken in _addresses(get_resolver(), "", ()):
            if not taken:
                yield reverse(name)
                continue
            for filled in _every(taken, arguments):
                yield reverse(name, kwargs=filled)


def _text(response: HttpResponseBase) -> str:
    """Status, headers with cookies, and body."""
    body = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
    return f"{response.status_code} {response.headers} {response.cookies.output()}\n{body.decode(errors='replace')}"


def _addresses(
    resolver: URLResolver, names: str, arguments: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for each in resolver.url_patterns:
        groups = [] if each.pattern.converters else list(each.pattern.regex.groupindex)
        taken = (*arguments, *each.pattern.converters, *groups)
        if isinstance(each, URLPattern):
            if each.name and set(taken) <= _FILLED:
                yield names + each.name, taken
        else:
            yield from _addresses(each, f"{names}{each.namespace}:" if each.namespace else names, taken)


_FILLED = frozenset({"course", "item", "stop", "user", "pk", "upload", "prediction", "draw"})


def _every(taken: tuple[str, ...], arguments: Mapping[str, Iterable[Any]]) -> Iterator[dict[str, Any]]:
    if not taken:
        yield {}
        return
    first, *rest = taken
    for value in arguments[first]:
        for others in _every(tuple(rest), arguments):
            yield {first: value, **others}
