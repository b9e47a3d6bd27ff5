"""What the reference for the token that gets least calls a wrong answer to it."""

from __future__ import annotations

from softmark.lessons.variants import REFERENCES, all_variants

least = REFERENCES["least_attended"]


def test_the_opposite_is_a_mistake() -> None:
    found = least({"q": [1, 1], "keys": {"a": [0, 0], "b": [2, 1], "c": [0, 0], "d": [1, 0]}})
    assert found.key == ["a", "c"]
    assert found.mistakes == {"most-attended": ["b"]}
    for variant in all_variants("small_integer_keys", 100):
        assert least(variant).mistakes == {"most-attended": REFERENCES["most_attended"](variant).key}


def test_what_is_right_is_no_mistake() -> None:
    tied = least({"q": [1, 1], "keys": {"a": [1, 0], "b": [0, 1]}})
    assert tied.key == ["a", "b"]
    assert tied.mistakes == {}
