"""Lines for people, and exact texts for keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from lite_delegate.basics.words.one_line import LONGEST, Brief, brief, exact, extents, fitted, quoted, some
from lite_delegate.ir.primitives import Softmax
from lite_delegate.partition import PartitionOptions


@dataclass
class Plain:
    value: object
    other: float = -0.0


@dataclass(repr=False)
class Short(Brief):
    value: object
    other: float = -0.0


@pytest.mark.parametrize(
    "value",
    [
        1,
        "it's",
        (),
        (1,),
        [1, (2.5, None)],
        {"a": (True, "b")},
        frozenset({"x"}),
        Plain((1, Plain("x"))),
        np.float32(1.5),
    ],
)
def test_an_exact_text_is_the_repr_of_a_value_without_short_words(value: object) -> None:
    assert exact(value) == repr(value)


def test_an_exact_text_leaves_nothing_out() -> None:
    long = tuple(range(1000))
    assert exact(Short(long)) == f"Short(value={long}, other=-0.0)"
    assert exact([Short({"a": Short(1)})]) == "[Short(value={'a': Short(value=1, other=-0.0)}, other=-0.0)]"
    assert exact(Softmax(axis=long)) == f"Softmax(axis={long})"
    assert len(repr(Short(long))) <= LONGEST < len(exact(Short(long)))
    assert exact(Short(0.0, 0.0)) != exact(Short(0.0))


def test_partition_options_that_differ_at_the_end_have_different_exact_texts() -> None:
    first, second = PartitionOptions(), PartitionOptions(calibration_ms=1)
    assert exact(first) != exact(second)


def test_values_inside_of_a_line() -> None:
    assert brief(np.zeros((2, 3), np.int8)) == "int8[2, 3]"
    assert brief(object()) == "<object>"
    assert brief("x" * 500).startswith("'xxx")
    assert len(brief("x" * 500)) <= 80


def test_texts() -> None:
    assert fitted("<a\n  b at 0x7f00>", ">") == "<a b>"
    assert fitted("<" + "a" * 300 + ">", ">") == "<" + "a" * 195 + "...>"
    assert quoted("a" * 100) == "'" + "a" * 28 + "..." + "a" * 28 + "'"
    assert quoted("it's\n") == '"it\'s\\n"'
    assert (extents([1, -1]), extents(None)) == ("[1,-1]", "[...]")
    assert (some("abcde"), some("abc"), some("")) == ("a, b, c, 2 more", "a, b, c", "")
