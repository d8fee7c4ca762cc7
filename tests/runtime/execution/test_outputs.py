"""Outputs of a run: memory that nobody else has, whatever the last kernels gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate.runtime.execution.run import _own

NOTHING_LENT: frozenset[int] = frozenset()


def whole_and_part() -> Sequence[Array]:
    whole = np.arange(6.0)
    return whole, whole[2:4]


def part_and_whole() -> Sequence[Array]:
    return whole_and_part()[::-1]


def two_parts() -> Sequence[Array]:
    whole = np.arange(6.0)
    return whole[:4], whole[2:]


def same_twice() -> Sequence[Array]:
    whole = np.arange(6.0)
    return whole, whole


def turned() -> Sequence[Array]:
    return (np.arange(6.0).reshape(2, 3).T,)


def read_only() -> Sequence[Array]:
    array = np.arange(6.0)
    array.flags.writeable = False
    return (array,)


@pytest.mark.parametrize("given", [whole_and_part, part_and_whole, two_parts, same_twice, turned, read_only])
def test_outputs_are_apart_in_order_and_writable(given: Callable[[], Sequence[Array]]) -> None:
    outputs = given()
    expected = [array.copy() for array in outputs]
    owned = _own(outputs, [], NOTHING_LENT)
    for array, values in zip(owned, expected, strict=True):
        np.testing.assert_array_equal(array, values)
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert not any(np.shares_memory(a, b) for a, b in combinations(owned, 2))


@pytest.mark.parametrize(
    "made",
    [lambda x: x, lambda x: x[1:], lambda x: x.base, lambda x: x.reshape(2, -1)],
    ids=["x", "part", "base", "2d"],
)
def test_what_is_an_input_is_copied(made: Callable[[Array], Array]) -> None:
    whole = np.arange(8.0)
    x = whole[:6]
    owned = _own([made(x)], [x], NOTHING_LENT)
    np.testing.assert_array_equal(owned[0], made(x))
    assert not np.shares_memory(owned[0], whole)


def test_what_is_lent_is_copied_and_what_is_new_is_not() -> None:
    first, second = np.arange(3.0), np.arange(4.0)
    owned = _own([first, second], [], frozenset({0}))
    assert not np.shares_memory(owned[0], first)
    assert owned[1] is second
