"""Repetition: operators that repeat or pick elements, as slices and a Concat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ....ir import Node, Value
from ..facts import RewriteFacts
from ..movement import Shape
from .parts import NodeParts, parts_for

MOST_PIECES = 8
"""A Concat of more pieces is no small form of one node."""


def repetition_parts(node: Node, facts: RewriteFacts) -> Iterator[Sequence[Node]]:
    """BroadcastTo and TileFusion: each as the other operator, or as a Concat of equal pieces along each axis.

    No parts for a node that repeats nothing, and for tensors without elements.
    """
    given, made = facts.shape(node.inputs[0]), facts.shape(node.outputs[0])
    if given is None or made is None or given == made or 0 in made or 0 in given:
        return
    wide = (1,) * (len(made) - len(given)) + given
    counts = [size // from_size for size, from_size in zip(made, wide, strict=True)]
    for make in (_tiled, _joined) if node.op_type == "BroadcastTo" else (_joined,):
        parts = parts_for(node, facts)
        if parts is not None and (make is _tiled or max(counts, default=1) <= MOST_PIECES):
            x = parts.x if wide == given else parts.of("Reshape", parts.x, parts.ints(*wide), shape=wide)
            make(parts, x, wide, counts)
            yield parts.done()


def _tiled(parts: NodeParts, x: Value, shape: Shape, counts: Sequence[int]) -> None:
    parts.of("TileFusion", x, parts.ints(*counts))


def _joined(parts: NodeParts, x: Value, shape: Shape, counts: Sequence[int]) -> None:
    for axis, count in enumerate(counts):
        if count > 1:
            shape = (*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
            x = parts.of("Concat", *[x] * count, shape=shape, axis=axis)


def gather_parts(node: Node, facts: RewriteFacts) -> Iterator[Sequence[Node]]:
    """Gather by constant indices: by int32 ones, or a slice for each stretch of neighbors, joined again."""
    shape, axes = facts.shape(node.inputs[0]), facts.ints(node.inputs[2])
    indices, parts = facts.constant(node.inputs[1]), parts_for(node, facts)
    if not shape or not axes or indices is None or not indices.size or parts is None:
        return
    axis = axes[0] % len(shape)
    places = np.where(indices < 0, indices + shape[axis], indices).astype(np.int32)
    if places.min() < 0 or places.max() >= shape[axis]:
        return
    if indices.dtype != np.int32:
        parts.of("Gather", parts.x, parts.constant(places), parts.ints(axis))
        yield parts.done()
    stretches = _stretches([int(place) for place in places.reshape(-1)])
    parts = parts_for(node, facts)
    if parts is not None and len(stretches) <= MOST_PIECES:
        _sliced(parts, shape, axis, stretches)
        yield parts.done()


def _stretches(places: Sequence[int]) -> list[tuple[int, int]]:
    """Places as (first, count) of neighbors."""
    found: list[tuple[int, int]] = []
    for place in places:
        first, count = found[-1] if found else (place, 0)
        if place == first + count:
            found[-1:] = [(first, count + 1)]
        else:
            found.append((place, 1))
    return found


def _sliced(parts: NodeParts, shape: Shape, axis: int, stretches: Sequence[tuple[int, int]]) -> None:
    def of_axis(size: int) -> Shape:
        return (*shape[:axis], size, *shape[axis + 1 :])

    pieces = []
    for first, count in stretches:
        begin = [first if a == axis else 0 for a in range(len(shape))]
        size = of_axis(count)
        pieces.append(parts.of("SliceFusion", parts.x, parts.ints(*begin), parts.ints(*size), shape=size))
    total = of_axis(sum(count for _, count in stretches))
    joined = pieces[0] if len(pieces) == 1 else parts.of("Concat", *pieces, shape=total, axis=axis)
    if total != parts.shape:
        parts.of("Reshape", joined, parts.ints(*parts.shape))
