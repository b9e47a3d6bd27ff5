"""The ground floor of all pages: words, components, themes, sign-in and error pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django import forms
from django.contrib.staticfiles import finders
from django.core import mail
from django.http import HttpRequest
from django.template import Context, Template
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from grader.report import Verdict
from softmark.submissions.models import Status
from softmark.ui import code, markdown, words
from softmark.ui.spreadsheet import plain_text
from tests.factories import PASSWORD, make_user

BERLIN = ZoneInfo("Europe/Berlin")


def rendered(source: str, **context: Any) -> str:
    return Template(source).render(Context(context))


# -- words


@pytest.mark.parametrize(
    ("value", "most", "shown"),
    [
        ("10", "10", ("10", "10")),
        ("7.50", "10.00", ("7.5", "10")),
        ("9.999", "10", ("9.99", "10")),  # what is below the most never looks like it
        ("9.995", "10", ("9.99", "10")),
        ("2.345", "10", ("2.35", "10")),  # halves go up
        ("3.332", "3.333", ("3.332", "3.333")),
        ("11", "10", ("11", "10")),  # extra credit
        ("0", "0", ("0", "0")),
        ("-0.001", "10", ("0", "10")),
        ("100", "1E+2", ("100", "100")),
    ],
)
def test_points(value: str, most: str, shown: tuple[str, str]) -> None:
    assert words.shown_points(Decimal(value), Decimal(most)) == shown


amounts = st.decimals(min_value=0, max_value=1000, places=6)


@given(amounts, amounts)
def test_points_below_the_most_are_shown_below_it(value: Decimal, most: Decimal) -> None:
    shown, shown_most = words.shown_points(value, most)
    assert (value < most) == (Decimal(shown) < Decimal(shown_most)) or value >= most
    assert abs(Decimal(shown) - value) <= Decimal("0.01")


@pytest.mark.parametrize(
    ("seconds", "long", "short"),
    [
        (0, "under a millisecond", "0 ms"),
        (0.0123, "12 milliseconds", "12 ms"),
        (0.001, "1 millisecond", "1 ms"),
        (1, "1 second", "1 s"),
        (3.24, "3.2 seconds", "3.2 s"),
        (59.7, "1 minute", "1 min"),
        (125, "2 minutes 5 seconds", "2 min 5 s"),
        (3600, "1 hour", "1 h"),
        (90_061, "1 day 1 hour", "1 d 1 h"),
        (86_400 + 58 * 60, "1 day 58 minutes", "1 d 58 min"),
        (2 * 86_400, "2 days", "2 d"),
    ],
)
def test_duration(seconds: float, long: str, short: str) -> None:
    assert words.shown_duration(seconds) == long
    assert words.shown_duration(seconds, short=True) == short


def test_time_left() -> None:
    now = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
    assert words.time_left(datetime(2026, 3, 8, 16, 0, 30, tzinfo=UTC), now) == "3 days 4 hours left"
    assert words.time_left(datetime(2026, 3, 5, 12, 0, 30, tzinfo=UTC), now) == "less than a minute left"
    assert words.time_left(datetime(2026, 3, 5, 10, 0, tzinfo=UTC), now) == "2 hours ago"


def test_every_verdict_and_status_has_its_word() -> None:
    assert {str(verdict) for verdict in Verdict} <= set(words.VERDICTS)
    assert {str(status) for status in Status} == set(words.STATUSES)
    assert words.outcome("brand new", words.VERDICTS).word == "Brand new"


# -- tags


def test_a_badge_says_its_word_beside_a_hidden_icon() -> None:
    badge = rendered("{% verdict_badge verdict %}", verdict=Verdict.WRONG_ANSWER)
    assert "badge-bad" in badge
    assert badge.endswith("</svg>Wrong answer</span>")
    assert 'aria-hidden="true"' in badge


@pytest.mark.parametrize("place", [BERLIN, "Europe/Berlin", SimpleNamespace(zone=BERLIN)])
def test_a_time_stands_in_the_zone_it_is_given(place: object) -> None:
    shown = rendered("{% when at place %}", at=datetime(2026, 3, 5, 22, 0, tzinfo=UTC), place=place)
    assert 'datetime="2026-03-05T23:00:00+01:00"' in shown
    assert ">Thu 5 Mar 2026, 23:00 CET<" in shown


def test_a_zone_without_a_name_is_said_by_its_offset() -> None:
    at = datetime(2026, 3, 5, 22, 0, tzinfo=UTC)
    assert rendered("{% when at 'America/Sao_Paulo' %}", at=at).count("19:00 UTC−03:00") == 1
    assert rendered("{% when None %}") == "–"


@time_machine.travel(datetime(2026, 3, 5, 22, 0, tzinfo=UTC), tick=False)
def test_left() -> None:
    assert rendered("{% left at %}", at=datetime(2026, 3, 5, 23, 30, tzinfo=UTC)) == "1 hour 30 minutes left"


def test_points_that_are_not_there_yet() -> None:
    shown = rendered("{% points None 10 %}")
    assert "no points yet" in shown
    assert "/ 10" in shown
    assert rendered("{% points 7.50 %}") == '<span class="points">7.5</span>'


def test_a_notice_escapes_what_it_is_told() -> None:
    shown = rendered("{% notice 'bad' title=name %}{{ name }}{% endnotice %}", name="<b>")
    assert shown.count("&lt;b&gt;") == 2
    assert "<b>" not in shown


class Sample(forms.Form):
    address = forms.EmailField(help_text="Yours.")
    sure = forms.ChoiceField(choices=[("a", "A"), ("b", "B")], widget=forms.RadioSelect)
    keep = forms.BooleanField(required=False)


def test_a_field_is_tied_to_its_label_help_and_errors() -> None:
    shown = rendered("{% fields form %}", form=Sample({"address": "<nobody>", "sure": "a"}))
    described = re.search(r'<input type="email"[^>]*aria-describedby="([^"]*)"', shown)
    assert described
    for name in described[1].split():
        assert f'id="{name}"' in shown
    assert 'aria-invalid="true"' in shown
    assert '<label class="field-label" for="id_address">' in shown
    assert "<legend" in shown  # radio buttons are a group
    assert "&lt;nobody&gt;" in shown
    assert "<nobody>" not in shown


def test_code_has_a_target_for_each_line() -> None:
    shown = code.render('x = "<b>"\ny = """\n\n"""\n', marked=3)
    assert re.findall(r'id="(L\d)"', shown) == ["L1", "L2", "L3", "L4"]
    assert '<span class="line is-marked" id="L3">' in shown
    assert "<b>" not in shown


def test_long_code_is_shown_without_the_work_of_colouring_it() -> None:
    text = "x = '<b>'\n" * 200_000
    before = process_time()
    shown = code.render(text, marked=3)
    assert process_time() - before < 0.5  # seconds; coloured it took over ten
    assert shown.count("x = &#x27;&lt;b&gt;&#x27;\n") == 200_000
    assert "<b>" not in shown


# -- markdown


def test_a_sign_stands_close_to_its_number() -> None:
    shown = str(markdown.render("$2 \\cdot (-1) = -x - (a) - 1$"))
    assert shown.count('<mo form="prefix">−</mo>') == 2
    assert shown.count("<mo>−</mo>") == 2, "between two things"


@pytest.mark.parametrize(
    ("text", "before", "behind"),
    [
        ("$x$, y", "", ","),
        ("a ($x$)? Yes", "(", ")?"),
        ("a “$x$” b", "“", "”"),
        ('a "$x$" b', '"', '"'),
        ("the $x$-th", "", "-"),
        ("**a**: $x$.", "", "."),
    ],
)
def test_a_formula_stays_with_the_marks_around_it(text: str, before: str, behind: str) -> None:
    shown = re.sub(r'<span class="math inline"><math.*</math></span>', "F", str(markdown.render(text)))
    assert f'<span class="nowrap">{before}F{behind}</span>' in shown.replace("&quot;", '"')


def test_a_formula_among_words_is_held_by_nothing() -> None:
    assert "nowrap" not in str(markdown.render("a $x$ b, **$y$** and $z$"))


def test_infinity_is_a_thing_and_the_minus_before_it_its_sign() -> None:
    sign = '<mo form="prefix">−</mo><mi>∞</mi>'
    for formula in (
        "-\\infty",
        "e^{-\\infty}",
        "m = -\\infty",
        "\\begin{cases} 0 & a \\\\ -\\infty & b \\end{cases}",
    ):
        assert sign in str(markdown.render(f"${formula}$")), formula
    assert "<mo>−</mo><mi>∞</mi>" in str(markdown.render("$x - \\infty$")), "between two things"


def test_the_assignments_statements_render_whole(root: Path) -> None:
    prompts = sorted(root.glob("assignments/*/prompt.md"))
    assert prompts
    for prompt in prompts:
        shown = markdown.render(prompt.read_text(), title=False)
        assert "math-broken" not in shown, prompt
        assert "$" not in shown, prompt
        assert "<math" in shown
        assert "<h1" not in shown
        assert "style=" not in shown


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert)",
        "<img src=x onerror=alert(1)>",
        r"$\text{<script>}$",
        '```"><script>\nx\n```',
        "![x](data:text/html,x)",
    ],
)
def test_markdown_lets_nothing_act(hostile: str) -> None:
    shown = markdown.render(hostile)
    assert not re.search(r"<script|<[^>]*(javascript:|onerror|data:)", shown)


@pytest.mark.parametrize("formula", [r"\frac{1}", r"\frac{", r"\unheard{x}", "x^", "}", "x_1_2", r"\left("])
def test_a_broken_formula_shows_its_source(formula: str) -> None:
    shown = markdown.render(f"See ${formula}$ there.")
    assert "math-broken" in shown
    assert "there." in shown


def test_headings_go_below_the_pages_own() -> None:
    shown = markdown.render("# Title\n\n## Part\n")
    assert "<h2>Title</h2>" in shown
    assert "<h3>Part</h3>" in shown
    assert markdown.render("# Title\n\n## Part\n", title=False).strip() == "<h2>Part</h2>"


def test_tables_and_code_carry_classes() -> None:
    shown = markdown.render("| a | b |\n|---|--:|\n| 1 | 2 |\n\n```python\ndef f(): ...\n```\n")
    assert '<td class="align-right">2</td>' in shown
    assert '<span class="k">def</span>' in shown


@given(st.text(alphabet="$\\{}_^ab1 \n|`*[]()#<>&-", max_size=60))
def test_markdown_never_fails(text: str) -> None:
    markdown.render(text)


# -- colours


def tokens(root: Path) -> dict[str, tuple[str, str]]:
    """The colours of tokens.css, white and near-black."""
    css = (root / "platform/softmark/ui/static/ui/tokens.css").read_text()
    pairs = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", css)
    return {name: (light, dark) for name, light, dark in pairs}


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


PAPERS = ["paper", "surface", "sunken"]
TEXTS = "ink muted accent accent-strong good bad warn query key value weight".split()
CODES = [f"code-{name}" for name in "comment keyword string number name".split()]


def readable_pairs() -> Iterator[tuple[str, str, float]]:
    yield from ((text, paper, 4.5) for text in TEXTS for paper in PAPERS)
    yield from ((text, paper, 4.5) for text in CODES for paper in ("paper", "surface", "code-line"))
    yield from ((text, "code-selection", 4.5) for text in ("ink", *CODES))
    yield from ((tone, f"{tone}-tint", 4.5) for tone in ("accent", "good", "bad", "warn"))
    yield from (
        (text, f"{tone}-tint", 4.5) for text in ("ink", "muted") for tone in ("accent", "good", "bad", "warn")
    )
    yield from (("on-accent", accent, 4.5) for accent in ("accent", "accent-strong"))
    yield from (("edge", paper, 3) for paper in PAPERS)
    yield from ((f"{name}-mark", "paper", 3) for name in ("query", "key", "value", "weight"))


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_contrast(root: Path, theme: int) -> None:
    colours = tokens(root)
    low = [
        f"{text} on {paper}: {found:.2f}"
        for text, paper, least in readable_pairs()
        if (found := contrast(colours[text][theme], colours[paper][theme])) < least
    ]
    assert not low, "\n".join(low)


# -- static files


def test_every_static_file_that_a_page_names_is_there_or_gets_built(root: Path) -> None:
    build = (root / "frontend/build.js").read_text()
    named = {
        name
        for template in (root / "platform/softmark").rglob("templates/**/*.html")
        for name in re.findall(r"""{% static ["']([^"']+)["'] %}""", template.read_text())
    }
    fonts = (root / "platform/softmark/ui/static/ui/fonts.css").read_text()
    named |= {f"ui/{name}" for name in re.findall(r'url\("([^"]+)"\)', fonts)}
    for name in sorted(named):
        if name.startswith("ui/built/"):
            stem = name.removeprefix("ui/built/").removesuffix(".woff2")
            assert re.search(rf"\b{re.escape(stem)}\b", build), f"{name} is not built"
        else:
            assert finders.find(name), f"{name} is not there"


# -- the theme


@pytest.mark.django_db
def test_the_theme_is_served_with_the_page(client: Client) -> None:
    login = reverse("account_login")
    assert 'data-theme="system"' in client.get(login).content.decode()
    client.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in client.get(login).content.decode()
    client.cookies["theme"] = '"><script>'
    assert 'data-theme="system"' in client.get(login).content.decode()


@pytest.mark.django_db
def test_the_theme_can_be_chosen_without_a_script(client: Client) -> None:
    response = client.post(reverse("ui:theme"), {"theme": "light", "next": "/style/?a=1"})
    assert (response.status_code, response["Location"]) == (302, "/style/?a=1")
    assert client.cookies["theme"].value == "light"
    away = client.post(reverse("ui:theme"), {"theme": "pink", "next": "//elsewhere.example/"})
    assert away["Location"] == "/"
    assert client.cookies["theme"].value == "light"
    assert client.get(reverse("ui:theme"))["Location"] == "/"


# -- the style guide


@pytest.mark.django_db
def test_the_style_guide_is_for_staff(client: Client) -> None:
    guide = reverse("ui:guide")
    assert client.get(guide).status_code == 302
    client.force_login(make_user())
    refused = client.get(guide)
    assert refused.status_code == 403
    assert "The style guide is for staff." in refused.content.decode()
    client.force_login(make_user(is_staff=True))
    shown = client.get(guide)
    assert shown.status_code == 200
    html = shown.content.decode()
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", html)
    assert len(re.findall(r"<h1\b", html)) == 1
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


# -- error pages


@pytest.mark.parametrize("name", ["400", "500", "503", "csrf"])
def test_these_error_pages_need_nothing(name: str) -> None:
    """No request, no user, and no database: pytest-django would refuse one here."""
    shown = render_to_string(f"{name}.html", {"typed": ["x = '<b>'"], "path": "/courses/a/"})
    assert "<h1>" in shown
    if name in ("503", "csrf"):
        assert "x = &#x27;&lt;b&gt;&#x27;" in shown


def test_403_says_why() -> None:
    request = HttpRequest()
    request.path = "/courses/a/gradebook/"
    shown = render_to_string("403.html", {"reason": "Only staff see the gradebook."}, request=request)
    assert "Only staff see the gradebook." in shown


@pytest.mark.django_db
def test_a_page_that_is_not_there(client: Client) -> None:
    missing = client.get("/nowhere/")
    assert missing.status_code == 404
    assert "There is no such page" in missing.content.decode()


# -- sign-in


@pytest.mark.django_db
def test_signing_in_and_out(client: Client) -> None:
    make_user(email="ada@example.org", password=PASSWORD)
    login = reverse("account_login")
    wrong = client.post(login, {"login": "ada@example.org", "password": "no"})
    assert wrong.status_code == 200
    html = wrong.content.decode()
    assert 'role="alert"' in html
    assert 'value="ada@example.org"' in html  # what was typed is still there
    right = client.post(login, {"login": "Ada@Example.org", "password": PASSWORD, "next": "/style/"})
    assert right["Location"] == "/style/"
    assert "ada@example.org" in client.get(reverse("account_logout")).content.decode()
    client.post(reverse("account_logout"))
    assert "_auth_user_id" not in client.session


@pytest.mark.django_db
def test_the_administration_has_no_sign_in_of_its_own(client: Client) -> None:
    """Wrong passwords are counted by the site's; nothing counts them at Django's."""
    make_user(email="root@example.org", password=PASSWORD, is_staff=True, is_superuser=True)
    address = reverse("admin:login") + "?next=/admin/"
    answer = client.post(address, {"username": "root@example.org", "password": PASSWORD})
    assert answer["Location"] == reverse("account_login") + "?next=%2Fadmin%2F"
    assert "_auth_user_id" not in client.session
    client.post(answer["Location"], {"login": "root@example.org", "password": PASSWORD})
    assert client.get("/admin/").status_code == 200


@pytest.mark.django_db
def test_a_first_password_by_mail(client: Client) -> None:
    make_user(email="ada@example.org")
    reset = reverse("account_reset_password")
    client.post(reset, {"email": "ada@example.org"})
    (message,) = mail.outbox
    link = re.search(r"https?://[^/]+(/\S+)", str(message.body))
    assert link
    form = client.get(link[1], follow=True)
    assert "Choose a password" in form.content.decode()
    done = client.post(
        form.redirect_chain[-1][0], {"password1": PASSWORD, "password2": PASSWORD}, follow=True
    )
    assert "Your password is set" in done.content.decode()
    assert client.login(email="ada@example.org", password=PASSWORD)
    used = Client().get(link[1], follow=True)
    assert "This link has been used" in used.content.decode()


@pytest.mark.django_db
def test_nobody_learns_who_has_an_account(client: Client) -> None:
    make_user(email="ada@example.org")
    reset = reverse("account_reset_password")
    pages = [
        client.post(reset, {"email": address}, follow=True).content.decode().replace("csrf", "")
        for address in ("ada@example.org", "eve@example.org")
    ]
    known, unknown = (re.sub(r'value="[^"]*"', "", page) for page in pages)
    assert known == unknown
    assert "No course has enrolled this" in str(mail.outbox[1].body)


@pytest.mark.django_db
def test_sign_up_is_closed(client: Client) -> None:
    assert "Courses enrol their people" in client.get(reverse("account_signup")).content.decode()


# -- files for spreadsheets


def test_no_text_is_a_formula_and_numbers_stay_numbers() -> None:
    for number in ("-0.5", "+3", "-12", "-1e-5", "0", "2/3"):
        assert plain_text(number) == number
    for formula in ("=1+1", "-1+1", "-1 ", "-", "+A1", "-A1", "@SUM(A1)", "\t=1", "＝1", "-1\n=1", "-１"):
        assert plain_text(formula) == f"'{formula}"
