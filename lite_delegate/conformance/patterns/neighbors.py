"""Reductions next to nodes that add, drop, join or move axes. Each chain reads an input of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, cycle

from .draft import PatternDraft
from .families import reduce
from .layers import reshape, transpose
from .pattern import Pattern

MODES = ("Mean", "Max", "Sum", "Min")
Shape = tuple[int, ...]
View = Callable[[PatternDraft, str], str]


def _unsqueeze(*axes: int) -> View:
    return lambda d, x: d.node("Unsqueeze", x, axis=axes)


def _squeeze(*axes: int) -> View:
    return lambda d, x: d.node("Squeeze", x, axis=axes)


def _reshape(*shape: int) -> View:
    return lambda d, x: reshape(d, x, *shape)


def _transpose(*order: int) -> View:
    return lambda d, x: transpose(d, x, *order)


VIEWS: Mapping[str, tuple[Shape, Sequence[View], int]] = {
    **{f"unsqueeze_{axis}": ((2, 3, 5), (_unsqueeze(axis),), 4) for axis in range(4)},
    "unsqueeze_1_3": ((2, 3, 5), (_unsqueeze(1, 3),), 5),
    "squeeze_1": ((2, 1, 3, 5), (_squeeze(1),), 3),
    "squeeze_unsqueeze": ((2, 1, 3, 5), (_squeeze(1), _unsqueeze(2)), 4),
    "reshape_adds": ((2, 3, 5), (_reshape(2, 3, 1, 5),), 4),
    "reshape_moves": ((2, 1, 3, 5), (_reshape(2, 3, 5, 1),), 4),
    "reshape_joins": ((2, 3, 4, 5), (_reshape(6, 4, 5),), 3),
    "reshape_splits": ((2, 6, 5), (_reshape(2, 3, 2, 5),), 4),
    "transpose": ((2, 3, 4, 5), (_transpose(2, 0, 3, 1),), 4),
    "transpose_of_1": ((2, 3, 1, 5), (_transpose(0, 2, 1, 3),), 4),
    "unsqueeze_transpose": ((2, 3, 5), (_unsqueeze(3), _transpose(3, 1, 0, 2)), 4),
    "transpose_unsqueeze": ((2, 3, 5), (_transpose(2, 0, 1), _unsqueeze(3)), 4),
}
"""By name: the shape of the input, what is done with it, and the number of axes that come of it."""
BEHIND: Mapping[str, View] = {
    "unsqueeze": _unsqueeze(1),
    "transpose": _transpose(1, 0, 2),
    "transpose_last": _transpose(0, 2, 1),
    "reshape": _reshape(-1, 1),
}


def reduced_views() -> Iterator[Pattern]:
    """Reductions of reshaped or transposed tensors over all choices of axes."""
    modes = cycle(MODES)
    for name, (shape, steps, rank) in VIEWS.items():
        for keep in (True, False):
            d = PatternDraft("reshaped + reduction", f"{name}_{'kept' if keep else 'dropped'}")
            made = []
            for axes in _choices(rank):
                x = d.input(*shape)
                for step in steps:
                    x = step(d, x)
                made.append(reduce(d, x, next(modes), *axes, keep=keep))
            yield d.done(*made)


def views_of_reductions() -> Iterator[Pattern]:
    """Results of reductions, reshaped or transposed, and reduced again."""
    modes = cycle(MODES)
    for name, view in BEHIND.items():
        for shape in ((2, 3, 1, 5), (2, 3, 4, 5)):
            d = PatternDraft("reduction + reshaped", f"{name}_of_{shape[2]}")
            made = []
            for axis in range(4):
                y = view(d, reduce(d, d.input(*shape), next(modes), axis, keep=False))
                made += [y, reduce(d, y, next(modes), 0)]
            yield d.done(*made)


def _choices(rank: int) -> Iterator[tuple[int, ...]]:
    for count in range(1, rank):
        yield from combinations(range(rank), count)
