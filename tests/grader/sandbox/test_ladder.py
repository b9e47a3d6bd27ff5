"""Which rung is taken, what the setting allows, and how it is said that none can be had. No process is started here."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from grader.sandbox import ladder, view, zygotes
from grader.sandbox.ladder import MINIMUM_SETTING, RUNGS, Rung, SandboxUnavailable
from grader.sandbox.zygotes import ZygoteLost, open_pair

Offer = Callable[..., list[int]]


class Pair:
    def __init__(self, rung: Rung) -> None:
        self.rung = rung


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Offer:
    """`offer(2, 4)`: a machine with just these rungs. The list that it returns holds which were tried."""
    monkeypatch.delenv(MINIMUM_SETTING, raising=False)

    def make(*numbers: int) -> list[int]:
        tried: list[int] = []

        def pair(rung: Rung, arrays: str) -> Pair:
            tried.append(rung.number)
            if rung.number not in numbers:
                raise ZygoteLost(f"no {rung.number} here")
            return Pair(rung)

        monkeypatch.setattr(zygotes, "ZygotePair", pair)
        return tried

    return make


def opened(exactly: int | None = None, minimum: int | None = None) -> int:
    return open_pair(exactly, minimum).rung.number


@pytest.mark.parametrize(
    ("offered", "minimum", "taken"),
    [
        ((1, 2, 3, 4), None, 1),
        ((2, 3, 4), None, 2),
        ((3, 4), None, 3),
        ((3, 4), 4, 3),
        ((4,), 4, 4),
        ((1, 4), 1, 1),
        ((2, 4), 2, 2),
    ],
)
def test_the_strongest_rung_that_is_offered_is_taken(
    offered: tuple[int, ...], minimum: int | None, taken: int, offer: Offer
) -> None:
    tried = offer(*offered)
    assert opened(minimum=minimum) == taken
    assert tried == list(range(1, taken + 1)), "stronger ones first, weaker ones not at all"


@pytest.mark.parametrize(
    ("offered", "minimum"), [((4,), None), ((4,), 3), ((2, 3, 4), 1), ((3, 4), 2), ((), 4), ((), None)]
)
def test_nothing_weaker_than_the_minimum_is_tried(
    offered: tuple[int, ...], minimum: int | None, offer: Offer
) -> None:
    tried = offer(*offered)
    with pytest.raises(SandboxUnavailable) as refused:
        opened(minimum=minimum)
    weakest = minimum or 3
    assert tried == list(range(1, weakest + 1))
    assert f"No sandbox of rung {weakest} or stronger can be had on this machine" in str(refused.value)
    for number in tried:
        assert f"rung {number}: no {number} here" in str(refused.value)
    assert "--local" in str(refused.value)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_exactly_one_rung(number: int, offer: Offer) -> None:
    tried = offer(1, 2, 3, 4)
    assert opened(exactly=number) == number
    assert tried == [number]
    offer()
    with pytest.raises(
        SandboxUnavailable, match=f"^Rung {number} cannot be had on this machine: no {number} here"
    ):
        opened(exactly=number)


def test_the_setting_bounds_what_is_taken(offer: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(4)
    monkeypatch.setenv(MINIMUM_SETTING, "4")
    assert opened() == 4
    monkeypatch.setenv(MINIMUM_SETTING, " 2 ")
    with pytest.raises(SandboxUnavailable, match="rung 2 or stronger"):
        opened()
    with pytest.raises(SandboxUnavailable, match="Rung 4 is weaker than rung 2"):
        opened(exactly=4)
    with pytest.raises(SandboxUnavailable, match="rung 2 or stronger"):
        opened(minimum=4)
    monkeypatch.setenv(MINIMUM_SETTING, "")
    with pytest.raises(SandboxUnavailable, match="rung 3 or stronger"):
        opened()


@pytest.mark.parametrize("text", ["0", "5", "-1", "three", "3.0", "1 2", "٣"])
def test_a_setting_that_is_none_is_refused(text: str, offer: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = offer(1, 2, 3, 4)
    monkeypatch.setenv(MINIMUM_SETTING, text)
    with pytest.raises(SandboxUnavailable, match=MINIMUM_SETTING):
        opened()
    assert tried == [], "a slip of the pen must not weaken the sandbox"


def test_other_systems_and_machines_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert ladder.obstacle(RUNGS[3]) == "the sandbox needs Linux"
    monkeypatch.undo()

    class Machine:
        machine = "riscv64"

    monkeypatch.setattr("os.uname", Machine)
    assert ladder.obstacle(RUNGS[3]) == "the sandbox does not know the machine type riscv64"


def test_without_bubblewrap_there_are_no_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "bubblewrap", lambda: None)
    assert [ladder.obstacle(rung) for rung in RUNGS] == ["bubblewrap is not installed"] * 2 + [None] * 2


def test_without_its_capabilities_root_is_no_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "bubblewrap", lambda: "/usr/bin/bwrap")
    monkeypatch.setattr(ladder, "_is_root", lambda: False)
    assert ladder.obstacle(RUNGS[0]) == "it needs root with its capabilities"
    assert ladder.obstacle(RUNGS[1]) is None


def test_bubblewrap_gets_no_more_than_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "bubblewrap", lambda: "/usr/bin/bwrap")
    for rung in RUNGS[:2]:
        for role in (view.judge_view(), view.child_view()):
            words = ladder.command(rung, role)
            text = " ".join(words)
            assert text.index("--cap-drop ALL") < text.index("--cap-add")
            for word in (
                "--unshare-pid",
                "--unshare-net",
                "--unshare-ipc",
                "--unshare-uts",
                "--die-with-parent",
            ):
                assert word in words
            assert not {"--bind", "--dev-bind", "--proc", "--share-net", "--bind-try"} & set(words), (
                "nothing to write"
            )
            assert words[-5:] == ["--remount-ro", "/dev", "--remount-ro", "/", "--"]
    for rung in RUNGS[2:]:
        assert ladder.command(rung, view.child_view()) == []


def test_the_childs_view_holds_no_grader() -> None:
    child, judge = view.child_view(), view.judge_view()
    assert {package.name for package in child.packages} <= {"inside", "numpy", "numpy.libs"}
    assert not any(package.name in ("grader", "array_api_compat") for package in child.packages)
    assert {package.name for package in judge.packages} <= {
        "grader",
        "array_api_compat",
        "numpy",
        "numpy.libs",
    }
    outside = view.readable_outside(child)
    assert not any(str(view.GRADER) == path for path in outside)
    assert not any(path.endswith(("site-packages", "dist-packages")) for path in outside)
