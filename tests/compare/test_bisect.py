"""The search for a bad stretch against every stretch there is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.compare.subgraphs.bisect import smallest_bad


class Asked:
    """Answers whether a stretch is bad: it holds a bad element, or all elements of a bad group."""

    def __init__(self, *groups: set[int]) -> None:
        self.groups = groups
        self.stretches: list[tuple[int, int]] = []

    def __call__(self, start: int, stop: int) -> bool:
        assert start < stop
        self.stretches.append((start, stop))
        return self.is_bad(start, stop)

    def is_bad(self, start: int, stop: int) -> bool:
        return any(group <= set(range(start, stop)) for group in self.groups)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 64, 100])
def test_every_single_fault_is_found_in_few_tries(count: int) -> None:
    for fault in range(count):
        asked = Asked({fault})
        assert smallest_bad(count, asked) == (fault, fault + 1)
        assert len(asked.stretches) <= 2 * math.ceil(math.log2(count)) if count > 1 else not asked.stretches
        assert sum(stop - start for start, stop in asked.stretches) <= 2 * count + len(asked.stretches)


@pytest.mark.parametrize("count", [2, 5, 16])
def test_two_that_are_wrong_only_together(count: int) -> None:
    for first in range(count):
        for last in range(first + 1, count):
            assert smallest_bad(count, Asked({first, last})) == (first, last + 1)


def test_of_several_faults_the_first_is_found() -> None:
    assert smallest_bad(10, Asked({3}, {7})) == (3, 4)


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=4))
    )
)
def test_what_is_found_is_bad_and_no_part_of_it_is(case: tuple[int, list[set[int]]]) -> None:
    count, groups = case
    asked = Asked(*groups)
    start, stop = smallest_bad(count, asked)
    assert asked.is_bad(start, stop)
    inner = [(a, b) for a in range(start, stop) for b in range(a + 1, stop + 1) if (a, b) != (start, stop)]
    assert not any(asked.is_bad(a, b) for a, b in inner)


def test_what_is_not_monotonic_still_gives_something_that_was_found_bad() -> None:
    def is_bad(start: int, stop: int) -> bool:
        return (start, stop) in {(2, 8), (2, 6)}  # (0, 8) is known to be bad

    assert smallest_bad(8, is_bad) == (2, 6)
