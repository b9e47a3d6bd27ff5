"""The lesson on queries, keys and values: every number that stands in it is computed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.reference import attention, scores, softmax
from softmark.lessons.variants import REFERENCES
from softmark.lessons.variants.costs import LLAMA_3_1_8B
from softmark.lessons.written.folder import check_texts

NAME = "query-key-value.md"
TOKENS = ["the", "river", "bank"]
Q = np.array([[2.0, 2, 0, 0]])
K = np.array([[0.0, 0, 0, 0], [2, 0, 0, 0], [1, 1, 0, 0]])
V = np.array([[0.0, 0], [4, 0], [0, 4]])


@pytest.fixture(scope="module")
def folder(root: Path) -> Path:
    return root / "fixtures" / "lessons"


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    """In one line."""
    return " ".join((folder / NAME).read_text().split())


def short(row: Any) -> str:
    """[2, 0]: the numbers that the lesson writes of a vector."""
    return f"[{', '.join(f'{number:g}' for number in row[:2])}]"


def test_nothing_is_wrong_with_it(folder: Path) -> None:
    checked = check_texts(NAME, (folder / NAME).read_text(), {})
    assert checked.problems == ()
    assert [predict.id for predict in checked.lessons[0].predicts] == [
        "how-many-vectors", "bank-least", "bank-most", "bank-shares", "a-long-key", "wider-vectors",
    ]  # fmt: skip


def test_two_products(text: str) -> None:
    query, fits, fits_not = np.array([1, 2]), np.array([3, 1]), np.array([2, -1])
    assert (
        f"The query {short(query)} and the key {short(fits)} give $1 \\cdot 3 + 2 \\cdot 1 = {query @ fits}$"
        in text
    )
    assert (
        f"The same query and the key {short(fits_not).replace('-', '−')} give "
        f"$1 \\cdot 2 + 2 \\cdot (-1) = {query @ fits_not}$" in text
    )


def test_the_figures_given(text: str) -> None:
    """In the stops and in the widget the same as here."""
    keys = dict(zip(TOKENS, map(short, K), strict=True))
    values = dict(zip(TOKENS, map(short, V), strict=True))
    by_token = [[f"{token}: {row}" for token, row in rows.items()] for rows in (keys, values)]
    in_stops = f"q: {short(Q[0])}, keys: {{{', '.join(by_token[0])}}}, d_k: {Q.shape[-1]}}}"
    assert text.count(in_stops) == 3
    in_widget = (
        f"q: {short(Q[0])} keys: {' '.join(by_token[0])} values: {' '.join(by_token[1])} d_k: {Q.shape[-1]} "
    )
    assert text.count(in_widget) == 1
    assert f"The query of *bank* is {short(Q[0])}, and these are the keys" in text
    rows = [f"| *{token}* | {keys[token]} |" for token in TOKENS]
    assert f"| token | key | |---|---| {' '.join(rows)} All vectors" in text
    assert (
        f"values {values['the']} for *the*, {values['river']} for *river* and {values['bank']} for *bank*"
        in text
    )
    assert "All vectors have four numbers. The last two are zero" in text
    assert f"$d_k = {Q.shape[-1]}$, and we divide by {math.sqrt(Q.shape[-1]):g}" in text


def test_the_scores(text: str) -> None:
    raw = (K @ Q[0]).tolist()
    assert raw == [0, 4, 4]
    for token, key, score in zip(TOKENS, K, raw, strict=True):
        worked = f"${Q[0, 0]:g} \\cdot {key[0]:g} + {Q[0, 1]:g} \\cdot {key[1]:g} = {score:g}$"
        assert f"- *{token}*: {worked}" in text
    assert f"with any query is {raw[0]:g}. The other two have a score of {raw[1]:g} each." in text
    assert "The scores are {:g}, {:g} and {:g}. Which shares".format(*raw) in text
    given = {"q": [2, 2], "keys": dict(zip(TOKENS, K[:, :2].tolist(), strict=True)), "d_k": 4}
    assert REFERENCES["most_attended"](given).key == ["river", "bank"]
    assert REFERENCES["scores"](given).key == raw


def test_why_they_tie(text: str) -> None:
    river, bank = (float(np.linalg.norm(key)) for key in K[1:])
    along = K @ Q[0] / np.linalg.norm(Q[0])
    assert along[1] == pytest.approx(along[2])
    assert along[2] == pytest.approx(bank)
    assert along[1] == pytest.approx(river * math.cos(math.radians(45)))
    assert f"a length of $\\sqrt{{2}} = {bank:.2f}$" in text
    assert f"The key of *river* is longer, {river:g}, but points 45 degrees off" in text
    assert f"$2 \\cdot \\cos 45° = {along[1]:.2f}$, and of *bank* it is all of its {along[2]:.2f}" in text
    assert math.degrees(math.atan2(Q[0, 1], Q[0, 0])) == 45
    assert "points up to the right, at 45 degrees" in text


def test_the_table_by_hand(text: str) -> None:
    scaled = scores(Q, K)[0]
    powers = np.exp(scaled)
    shares = softmax(scaled)
    assert scaled.tolist() == [0, 2, 2]
    for at, token in enumerate(TOKENS):
        power = f"{powers[at]:.2f}" if at else "1"
        assert (
            f"| *{token}* | {short(K[at])} | {K[at] @ Q[0]:g} | {scaled[at]:g} | {power} | {shares[at]:.2f} |"
            in text
        )
    assert [f"{share:.2f}" for share in shares] == ["0.06", "0.47", "0.47"]
    total = f"{powers.sum():.2f}"
    assert f"| score | ÷ {math.sqrt(Q.shape[-1]):g} |" in text
    assert f"| sum | | | | {total} | 1 |" in text
    assert f"1 ÷ {total} = {shares[0]:.2f}, and {powers[1]:.2f} ÷ {total} = {shares[1]:.2f}." in text
    assert (
        "Scores: the 0, river 4, bank 4. Divided by 2: 0, 2, 2. "
        f"e to that power: 1, {powers[1]:.2f}, {powers[2]:.2f}. Shares: "
        f"{', '.join(f'{share:.2f}' for share in shares)}." in text
    )
    assert (
        f"{scaled[1] - scaled[0]:g} less than the others after the division, and $e^0$ is {powers[0]:g}"
        in text
    )
    assert "with 100, 102 and 102 in place of 0, 2 and 2" in text
    assert softmax(scaled + 100) == pytest.approx(shares)
    assert (shares > 0).all()


def test_powers_of_e(text: str) -> None:
    assert f"It raises $e = {math.e:.3f}$ to the power" in text
    powers = [f"$e^{n} = {math.exp(n):.2f}$" if n else "$e^0 = 1$" for n in range(5)]
    assert f"You may need some of these: {', '.join(powers)}." in text


def test_without_the_division(text: str) -> None:
    raw = K @ Q[0]
    powers = np.exp(raw)
    assert (
        f"without the division by 2: 1, {powers[1]:.2f} and {powers[2]:.2f}, "
        f"divided by their sum of {powers.sum():.2f}. *the* would get {softmax(raw)[0]:.2f}." in text
    )
    assert "With 0, 4 and 4 it looks sensible" in text


def test_which_mistake_it_was() -> None:
    """Typed with two decimals, each mistake is taken for itself, and what is right for right."""
    given = {"q": [2, 2], "keys": dict(zip(TOKENS, K[:, :2].tolist(), strict=True)), "d_k": 4}
    found = REFERENCES["shares"](given)
    told = {"right": found.key, **found.mistakes}
    assert set(found.mistakes) == {"not-scaled", "no-exponential"}
    for name, shares in told.items():
        typed = np.round(shares, 2)
        near = [other for other, each in told.items() if (abs(typed - np.array(each)) <= 0.005).all()]
        assert near == [name]


def test_the_blend(text: str) -> None:
    """It is told behind the stop that follows the table, which asks for it."""
    shown = ["[{:.2f}, {:.2f}]".format(*attention(Q, k, V)[0]) for k in (K, K * np.array([[1], [2], [1]]))]
    assert f"the last column of your table sums to {shown[0]}." in text
    assert f"With the long key, the same values sum to {shown[1]}: nearly all water" in text
    assert (
        text.index("::::{predict} a-long-key") < text.index("sums to [1.87, 1.87]") == text.index("sums to [")
    )


def test_a_long_key(text: str) -> None:
    longer = K * np.array([[1], [2], [1]])
    raw, scaled = longer @ Q[0], scores(Q, longer)[0]
    powers, shares = np.exp(scaled), softmax(scaled)
    assert f"from {short(K[1])} to {short(longer[1])}, and leaves the rest" in text
    assert f"The score of *river* is $2 \\cdot 4 + 2 \\cdot 0 = {raw[1]:g}$, twice what it was" in text
    assert f"That of *bank* is still {raw[2]:g}." in text
    assert f"Divided by 2, they are {scaled[1]:g} and {scaled[2]:g}." in text
    factor = shares[1] / shares[2]
    assert factor == pytest.approx(math.exp(scaled[1] - scaled[2]))
    assert (
        f"The difference is {scaled[1] - scaled[2]:g}, so the factor is $e^4 / e^2 = e^2 = {factor:.2f}$"
        in text
    )
    assert f'power: "More than {int(factor)} times as large."' in text
    assert 'double: "2 times' in text
    assert 'four: "4 times' in text
    assert f"now 1, {powers[1]:.2f} and {powers[2]:.2f}, with a sum of {powers.sum():.2f}" in text
    assert (
        "The shares are {:.3f} for *the*, {:.3f} for *river* and {:.3f} for *bank*.".format(*shares) in text
    )
    assert f"has grown from {K[1] @ Q[0]:g} to {raw[1]:g}." in text
    assert f"saw the scaled score of {scaled[1]:g}" in text
    assert f"the scaled scores differ by {scaled[1] - scaled[2]:g}." in text
    assert f"doubling 2 to {scaled[1]:g} is much more than a factor of two" in text


def test_wider_vectors(text: str) -> None:
    narrow, wide = 16, 64
    sizes = math.sqrt(narrow), math.sqrt(wide)
    assert f"from $d_k = {narrow}$ to $d_k = {wide}$ numbers" in text
    assert f"It grows from {narrow} to {wide}." in text
    assert "and grows from {:g} to {:g}. So".format(*sizes) in text
    assert f"answer: {sizes[1] / sizes[0]:g} ---" in text
    assert "is {0:g}/{0:g} = 1 before and {1:g}/{1:g} = 1 after".format(*sizes) in text
    assert f"+++ if answer={wide / narrow:g} That is the factor of the variance" in text
    assert (
        "+++ if answer={1:g} {1:g} is the typical size for 64 numbers. For 16 numbers it is {0:g}".format(
            *sizes
        )
        in text
    )
    assert "+++ if answer=16 Four times the width" in text


def test_products_of_random_numbers() -> None:
    draw = np.random.default_rng(4)
    for d in (16, 64):
        products = (draw.normal(size=(20_000, d)) * draw.normal(size=(20_000, d))).sum(axis=1)
        assert products.std() == pytest.approx(math.sqrt(d), rel=0.03)


def test_without_the_root(text: str) -> None:
    gap, width = 8, 64
    assert (
        f"Take two keys whose scores differ by {gap}, which is nothing unusual with {width} numbers" in text
    )
    sure, root, mild = (softmax(np.array([gap / by, 0.0])) for by in (1, math.sqrt(width), width))
    assert f"gets $e^{gap} = {sure[0] / sure[1]:.0f}$ times the share of the second" in text
    assert f"of two tokens it takes {sure[0]:.4f}." in text
    assert (
        f"Divided by {math.sqrt(width):g}, the scores differ by {gap / math.sqrt(width):g}, and the shares are "
        f"{root[0]:.2f} and {root[1]:.2f}." in text
    )
    rates = [each[0] * each[1] for each in (root, sure)]
    assert f"That is {rates[0]:.2f} for {root[0]:.2f}, but {rates[1]:.4f} for {sure[0]:.4f}." in text
    tiny = 1e-6
    for logits, rate in zip(([1.0, 0], [8.0, 0]), rates, strict=True):
        moved = softmax(np.array([logits[0] + tiny, 0]))[0] - softmax(np.array(logits))[0]
        assert moved / tiny == pytest.approx(rate, rel=1e-3)
    assert f"The difference of {gap} would become {gap}/{width} = {gap / width}" in text
    assert f"only {mild[0] / mild[1]:.2f} times the other" in text


def test_a_real_model(text: str) -> None:
    model = LLAMA_3_1_8B
    assert (
        f"each of {model.layers} layers has {model.heads} heads, with $d_k = {model.head_width}$, so scores are "
        f"divided by $\\sqrt{{{model.head_width}}} = {math.sqrt(model.head_width):.1f}$" in text
    )
