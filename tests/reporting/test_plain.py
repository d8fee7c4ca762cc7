"""Plain data back to data classes: values, and where what is wrong is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pytest

from lite_delegate.errors import InputError
from lite_delegate.reporting.plain import from_plain


class Size(StrEnum):
    SMALL = "small"


@dataclass(frozen=True)
class Part:
    sizes: tuple[int, ...] = ()
    weight: float | None = None
    more: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Whole:
    name: str
    parts: tuple[Part, ...]
    by_key: Mapping[str, Size]
    words: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("it must have a name")


PLAIN = {"name": "n", "parts": [{"sizes": [1, 2]}, {"weight": 3, "more": {"a": [1, [2]]}}], "by_key": {"k": "small"}}


def test_values() -> None:
    found = from_plain(Whole, {**PLAIN, "words": ["b", "a"], "newer": 1}, "file")
    parts = (Part((1, 2)), Part(weight=3.0, more={"a": (1, (2,))}))
    assert found == Whole("n", parts, {"k": Size.SMALL}, frozenset({"a", "b"}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": [{}, {"sizes": [1, "2"]}]}, r"^file\.parts\[1\]\.sizes\[1\]: expected a whole number, found '2'\.$"),
        ({"parts": [{"sizes": [2**63]}]}, r"^file\.parts\[0\]\.sizes\[0\]: expected a whole number of 64 bits, found"),
        ({"parts": {}}, r"^file\.parts: expected a list, found \{\}\.$"),
        ({"parts": [{"weight": float("nan")}]}, r"^file\.parts\[0\]\.weight: expected a number, found nan\.$"),
        ({"parts": [{"more": {"a": float("inf")}}]}, r"^file\.parts\[0\]\.more\.a: expected a finite number, found"),
        ({"by_key": {"k": "large"}}, r"^file\.by_key\.k: expected one of small, found 'large'\.$"),
        ({"by_key": []}, r"^file\.by_key: expected an object, found \[\]\.$"),
        ({"name": None}, r"^file\.name: expected a string, found None\.$"),
        ({"name": ""}, r"^file: it must have a name$"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_plain(Whole, {**PLAIN, **changes}, "file")


def test_missing_keys_are_named() -> None:
    with pytest.raises(InputError, match=r"^file: the key 'parts', 'by_key' is missing\.$"):
        from_plain(Whole, {"name": "n"}, "file")
