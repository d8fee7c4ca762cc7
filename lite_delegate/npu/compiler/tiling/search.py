"""The search for the grid that moves the fewest bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from .cost import Costs
from .grid import Problem, TileGrid
from .rule import TERMS

MOST_COUNTS = 24
"""Numbers of parts that are tried along one axis, at most; small ones are never left out."""
MOST_TILES = 4096
"""A step is not cut into more."""


def best_grid(problem: Problem, capacity: int, setup: int) -> TileGrid | None:
    """The grid whose tiles fit into ``capacity`` bytes and that moves fewest, setting up a transfer counted
    as ``setup`` bytes; of several the one with fewest tiles.

    Tried are cuts along one axis and along two, in both orders, along the first two axes of the rule (rows and
    output channels of a convolution), and along the sums; where none of them fits, along all the rule's axes.
    First with room for transfers beside the computation; where nothing fits so, without. None: nothing fits.
    """
    axes = [axis for axis in problem.units if problem.extent(axis) > problem.units[axis]]
    main = [axis for axis in axes if axis != TERMS][:2]
    costs = Costs(problem, capacity, setup)
    for chosen in (main + [TERMS] * (TERMS in axes), axes):
        for doubled in (True, False):
            fitting = [grid for order in _orders(chosen) for grid in _fitting(problem, costs, order, doubled=doubled)]
            if fitting:
                return min(fitting, key=lambda grid: (costs.bytes_moved(grid), grid.tiles))
    return _everything(problem, costs, axes)


def _orders(axes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """One axis, or two in both orders; the sums come last."""
    for axis in axes:
        yield (axis,)
    for pair in permutations(axes, 2):
        if pair[0] != TERMS:
            yield pair


def _fitting(problem: Problem, costs: Costs, order: tuple[int, ...], *, doubled: bool) -> Iterator[TileGrid]:
    """For each number of parts along the axes before the last, the fewest along the last one that fit."""
    *outer, inner = order
    firsts: list[tuple[tuple[int, int], ...]] = [()]
    if outer:
        firsts = [((outer[0], count),) for count in counts(problem, outer[0])[1:]]
    for first in firsts:
        options = counts(problem, inner)[1:]

        def fits(count: int, first: tuple[tuple[int, int], ...] = first) -> bool:
            grid = TileGrid((*first, (inner, count)))
            return grid.tiles <= MOST_TILES and costs.fits(grid, doubled=doubled)

        low, high = 0, len(options)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(options[middle]) else (middle + 1, high)
        if low < len(options) and fits(options[low]):
            yield TileGrid((*first, (inner, options[low])))


def counts(problem: Problem, axis: int) -> list[int]:
    """Numbers of parts worth trying along an axis: one for each size that the largest part can have."""
    units = problem.extent(axis) // problem.units[axis]
    distinct = sorted({-(-units // -(-units // count)) for count in range(1, min(units, 4096) + 1)} | {units})
    if len(distinct) <= MOST_COUNTS:
        return distinct
    half = MOST_COUNTS // 2
    step = (len(distinct) - 1 - half) / (half - 1)
    return distinct[:half] + [distinct[half + int(i * step)] for i in range(half)]


def _everything(problem: Problem, costs: Costs, axes: Sequence[int]) -> TileGrid | None:
    """The grid that cuts one axis after another to single units until a tile fits; the sums at the very end."""
    ordered = [axis for axis in axes if axis != TERMS] + [TERMS] * (TERMS in axes)
    cut: tuple[tuple[int, int], ...] = ()
    for axis in ordered:
        for count in counts(problem, axis)[1:]:
            grid = TileGrid((*cut, (axis, count)))
            if grid.tiles > MOST_TILES:
                return None
            if costs.fits(grid, doubled=False):
                return grid
        cut = (*cut, (axis, problem.extent(axis) // problem.units[axis]))
    return None
