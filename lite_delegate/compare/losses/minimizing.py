"""Minimizing: the search for small subsets that satisfy a test; it knows nothing of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from typing import TypeVar

_T = TypeVar("_T")
Holds = Callable[[Sequence[_T]], bool]
"""True when a subset does what is wanted. It need not be monotonic: a larger one may fail where a smaller one holds."""


class OutOfBudget(Exception):
    """Raised by a ``Holds`` that must not be asked any more."""


def minimal_subset(items: Sequence[_T], holds: Holds[_T], parts: int = 2) -> tuple[list[_T], bool]:
    """A subset that holds and of which no single item can be left out (delta debugging, Zeller and Hildebrandt, 2002).

    Parts are left out, the last ones first: halves, then quarters, down to single items. For n items that are all
    needed these are about 2 n tries, for k of n that are needed about k log2(n), at worst n squared.

    Args:
        items: known to hold.
        holds: asked about smaller subsets, which keep the order, never about the empty one.
        parts: how many parts the items are in at first; as many as there are items where most are needed.

    Returns:
        The subset; and True where leaving out any one of its items was tried and does not hold. It is False where
        ``holds`` raised ``OutOfBudget``: the subset is then the smallest that was found.
    """
    kept = list(items)
    try:
        while len(kept) > 1:
            rest = _without_a_part(kept, min(parts, len(kept)), holds)
            if rest is not None:
                kept, parts = rest, max(parts - 1, 2)
            elif parts >= len(kept):
                return kept, True
            else:
                parts *= 2
    except OutOfBudget:
        return kept, False
    return kept, True


def _without_a_part(items: Sequence[_T], parts: int, holds: Holds[_T]) -> list[_T] | None:
    bounds = [len(items) * i // parts for i in range(parts + 1)]
    for i in reversed(range(parts)):
        rest = [*items[: bounds[i]], *items[bounds[i + 1] :]]
        if rest and holds(rest):
            return rest
    return None


def smaller_subset(items: Sequence[_T], below: int, holds: Holds[_T], most: int) -> tuple[list[_T] | None, bool]:
    """A subset with the fewest items of all that hold, fewer than ``below``, by trying all of them.

    Args:
        items: to choose from.
        below: how many items the subset that is known has.
        holds: asked about subsets, which keep the order, never about the empty one.
        most: how many there may be to try; where there are more, none is tried.

    Returns:
        The subset, None where there is none; and True where that is so because all were tried.
    """
    if sum(comb(len(items), size) for size in range(1, below)) > most:
        return None, False
    try:
        for size in range(1, below):
            for chosen in combinations(items, size):
                if holds(list(chosen)):
                    return list(chosen), True
    except OutOfBudget:
        return None, False
    return None, True
