"""Small subsets that hold, against trying all subsets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np
import pytest

from lite_delegate.compare.losses.minimizing import OutOfBudget, minimal_subset, smaller_subset


def all_subsets(count: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(count), size) for size in range(1, count + 1)))


@pytest.mark.parametrize("seed", range(30))
def test_any_single_item_is_needed(seed: int) -> None:
    """Goals that need one of several sets of items; also such where more may be worse."""
    rng = np.random.default_rng(seed)
    needed = [set(rng.choice(9, rng.integers(1, 5), replace=False).tolist()) for _ in range(2)]
    bad = int(rng.integers(9)) if seed % 3 == 0 else None

    def holds(chosen: Sequence[int]) -> bool:
        found = set(chosen)
        whole = len(found) == 9
        return any(each <= found for each in needed) and (whole or bad is None or bad not in found)

    kept, is_minimal = minimal_subset(range(9), holds)
    assert is_minimal
    assert holds(kept)
    assert kept == sorted(kept)
    assert len(kept) == 1 or not any(holds([x for x in kept if x != item]) for item in kept)

    best = min(len(each) for each in all_subsets(9) if holds(each))
    smaller, is_known = smaller_subset(range(9), len(kept), holds, 1000)
    assert is_known
    assert len(kept if smaller is None else smaller) == best


def test_a_few_of_many_take_few_tries() -> None:
    tried = 0

    def holds(chosen: Sequence[int]) -> bool:
        nonlocal tried
        tried += 1
        return {3, 700} <= set(chosen)

    assert minimal_subset(range(1000), holds) == ([3, 700], True)
    assert tried < 100


def test_the_best_so_far_where_the_budget_ends() -> None:
    left = 5

    def holds(chosen: Sequence[int]) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise OutOfBudget
        return 7 in chosen

    kept, is_minimal = minimal_subset(range(1000), holds)
    assert 7 in kept
    assert len(kept) < 1000
    assert not is_minimal


def test_too_many_sets_are_not_tried() -> None:
    assert smaller_subset(range(100), 3, lambda chosen: True, 1000) == (None, False)
    assert smaller_subset(range(100), 1, lambda chosen: True, 1000) == (None, True)
