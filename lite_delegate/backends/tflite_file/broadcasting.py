"""Operands of different shapes: kernels take up to four dimensions there, so axes stretched alike are joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...delegate import RejectCode
from ...formats.tflite.export import TfliteTensor
from .builtins import Builtins
from .node import DirectNode

MOST = {"ADD": 6, "MUL": 6, "SUB": 5, "DIV": 5, "MAXIMUM": 5, "MINIMUM": 5, "SELECT_V2": 4}
"""The dimensions that kernels broadcast over; others do over four."""
_USUAL = 4


def broadcast(
    node: DirectNode, kind: str, xs: Sequence[TfliteTensor], table: str = "", dtype: str | None = None, **options: Any
) -> None:
    """Writes an operator of several operands that gives the kernel's only result.

    Raises:
        NotLowered: LiteRT's kernel does not take the types, or so many dimensions.
    """
    beyond = max((x.rank for x in xs), default=0) > MOST.get(kind, _USUAL)
    is_open = any(dim < 0 for x in xs for dim in x.shape)
    node.wanted(not (beyond and is_open), RejectCode.RANK, "axes of known dimensions are joined")
    folded, shape = joined(node.builtins, xs, MOST.get(kind, _USUAL))
    if shape is None:
        node.write(kind, xs, table, dtype, **options)
        return
    node.wanted(not node.is_quantized, RejectCode.RANK, "integers are broadcast over four dimensions", f"{node.shape}")
    node.give(node.builtins.reshape(node.builtins.op(kind, folded, shape, dtype, table, **options), node.shape))


def joined(
    builtins: Builtins, xs: Sequence[TfliteTensor], most: int
) -> tuple[list[TfliteTensor], tuple[int, ...] | None]:
    """Operands with fewer dimensions where a kernel could not take theirs, and the result's dimensions then.

    The dimensions are None where the operands stay as they are.
    """
    shapes = [x.shape for x in xs]
    if len({*shapes}) == 1 or max(map(len, shapes)) <= most:
        return list(xs), None
    full = np.broadcast_shapes(*shapes)
    padded = [(1,) * (len(full) - len(shape)) + tuple(shape) for shape in shapes]
    groups: list[list[int]] = []
    for axis in range(len(full)):
        alike = bool(groups) and _pattern(padded, full, axis) == _pattern(padded, full, groups[-1][0])
        if groups and (alike or full[axis] == 1):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    small = [tuple(int(np.prod([shape[axis] for axis in group])) for group in groups) for shape in padded]
    return [builtins.reshape(x, shape) for x, shape in zip(xs, small, strict=True)], tuple(
        int(np.prod([full[axis] for axis in group])) for group in groups
    )


def _pattern(shapes: Sequence[Sequence[int]], full: Sequence[int], axis: int) -> tuple[bool, ...]:
    """Which operands are stretched along an axis."""
    return tuple(shape[axis] == full[axis] for shape in shapes)
