"""Routes: a permutation that a device does not take as several that it takes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, pairwise, permutations

from ...basics.data_class import dataclass
from ...delegate import DelegateLimits
from ...ir.axes import Axes, identity

MOST_FACTORS = 6
"""The most axes of a permutation with a route, axes that move together counted once."""
MOST_STEPS = 3
"""Transposes of a route at most."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One permutation of a route.

    Attributes:
        groups: the neighboring factors, by number, that each axis consists of; none for an axis of 1.
        axes: the permutation of these.
    """

    groups: tuple[Axes, ...]
    axes: Axes


@lru_cache(maxsize=1024)
def route(order: Axes, limits: DelegateLimits) -> tuple[Leg, ...] | None:
    """The fewest permutations within the limits that bring numbers from 0 on into an order, taken in groups.

    Args:
        order: the numbers, none of which is the successor of the number before it.
        limits: the limits of the device.

    Returns:
        None where no such permutations exist, or more than ``MOST_STEPS`` are needed.
    """
    if order == identity(len(order)):
        return ()
    if len(order) > MOST_FACTORS:
        return None
    moves = _moves(len(order), limits)
    known: dict[Axes, tuple[Leg, ...]] = {identity(len(order)): ()}
    front = list(known)
    for _ in range(MOST_STEPS):
        reached = []
        for state in front:
            for cuts, axes in moves:
                groups = tuple(state[a:b] for a, b in pairwise(cuts))
                made = tuple(number for axis in axes for number in groups[axis])
                if made not in known:
                    known[made] = (*known[state], Leg(groups, axes))
                    reached.append(made)
            if order in known:
                return known[order]
        front = reached
    return None


def _moves(count: int, limits: DelegateLimits) -> list[tuple[Axes, Axes]]:
    """The cuts of a row of factors into axes, with the permutations of the axes; the cuts of fewest axes first."""
    return sorted(_all_moves(count, limits), key=lambda move: len(move[1]))


def _all_moves(count: int, limits: DelegateLimits) -> Iterator[tuple[Axes, Axes]]:
    if limits.permutations is not None:
        for axes in sorted(filter(limits.allows, limits.permutations)):
            for inside in combinations_with_replacement(range(count + 1), len(axes) - 1):
                yield (0, *inside, count), axes
        return
    for rank in range(2, min(count, limits.max_rank or count) + 1):
        for inside in combinations(range(1, count), rank - 1):
            yield from (((0, *inside, count), axes) for axes in permutations(range(rank)))
