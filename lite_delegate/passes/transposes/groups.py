"""Reshapes as groups of axes: the permutation on one side for a permutation on the other side."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.axes import Axes

Shape = tuple[int, ...]
Group = tuple[Axes, Axes]
"""Axes of the operand and axes of the result that hold the same elements in the same order."""


def groups_of(source: Shape, target: Shape) -> tuple[Group, ...]:
    """The smallest groups of neighboring axes that a reshape keeps; axes of one element are left out.

    (2, 3, 4) to (6, 4) has the groups ((0, 1), (0,)) and ((2,), (1,)).

    Args:
        source: the sizes of the operand, none of them 0.
        target: the sizes of the result, which has as many elements.
    """
    left = [axis for axis, size in enumerate(source) if size != 1]
    right = [axis for axis, size in enumerate(target) if size != 1]
    groups: list[Group] = []
    while left or right:
        ins, outs = [left.pop(0)], [right.pop(0)]
        size_in, size_out = source[ins[0]], target[outs[0]]
        while size_in != size_out:
            if size_in < size_out:
                ins.append(left.pop(0))
                size_in *= source[ins[-1]]
            else:
                outs.append(right.pop(0))
                size_out *= target[outs[-1]]
        groups.append((tuple(ins), tuple(outs)))
    return tuple(groups)


def across(axes: Axes, groups: Sequence[Group], size_of: Shape) -> Axes | None:
    """The result's permutation for a permutation of the operand; None where the permutation tears a group apart.

    Args:
        axes: the permutation of the operand.
        groups: as ``groups_of`` gives them, (operand, result); the other way round to go from result to operand.
        size_of: the shape of the result.
    """
    by_first = {ins[0]: (ins, outs) for ins, outs in groups}
    inside = {axis for ins, _ in groups for axis in ins}
    order = [axis for axis in axes if axis in inside]
    found: list[int] = []
    while order:
        ins, outs = by_first.get(order[0], ((), ()))
        if not ins or tuple(order[: len(ins)]) != ins:
            return None
        found.extend(outs)
        order = order[len(ins) :]
    return _with_ones(found, size_of)


def _with_ones(order: list[int], shape: Shape) -> Axes:
    """The axes of one element put in: each before the one that it stands before."""
    result = list(order)
    for axis in reversed(range(len(shape))):
        if axis not in result:
            result.insert(result.index(axis + 1) if axis + 1 < len(shape) else len(result), axis)
    return tuple(result)
