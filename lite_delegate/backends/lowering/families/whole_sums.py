"""Sums, means and products of integers, which wrap around as they do not where a backend has them as reductions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....delegate import RejectCode
from ....ir.types.enums import ReduceMode
from ..lowering import Lowering
from ..not_lowered import NotLowered
from ..term import Lowered, Term
from .elementwise import cast

SUMS = (ReduceMode.ReduceSum, ReduceMode.ReduceSumSquare, ReduceMode.ReduceASum, ReduceMode.ReduceMean)


def whole_reduction(lowering: Lowering, mode: ReduceMode, x: Lowered, axes: Sequence[int]) -> Term:
    """A reduction over axes of the model, which are left out of the result's.

    Raises:
        NotLowered: integers do not have the mode.
    """
    rows = _rows(lowering, x, axes)
    if mode == ReduceMode.ReduceProd:
        made = _product(lowering, rows)
    elif mode in SUMS:
        made = _sum(lowering, mode, rows)
    else:
        raise NotLowered(RejectCode.ATTRIBUTE, "a mode of integers", f"is {mode.name}")
    kept = tuple(dim for axis, dim in enumerate(x.shape) if axis not in axes)
    return lowering.emit("Reshape", [made, lowering.ints(kept)], x.dtype, kept)


def _rows(lowering: Lowering, x: Lowered, axes: Sequence[int]) -> Term:
    """The operand as a matrix: (kept elements, reduced elements)."""
    kept = [axis for axis in range(x.rank) if axis not in axes]
    term = lowering.in_order(x, (*kept, *axes))
    shape = (math.prod(x.shape[axis] for axis in kept), math.prod(x.shape[axis] for axis in axes))
    return lowering.emit("Reshape", [term, lowering.ints(shape)], x.dtype, shape)


def _sum(lowering: Lowering, mode: ReduceMode, rows: Term) -> Term:
    own = rows.dtype
    if mode == ReduceMode.ReduceSumSquare:
        rows = lowering.emit("Mul", [rows, rows], own, rows.shape)
    if mode == ReduceMode.ReduceASum and own.kind == "i":
        rows = lowering.emit("Abs", [rows], own, rows.shape)
    if mode == ReduceMode.ReduceMean:
        rows = cast(lowering, rows, np.dtype(np.uint64 if own.kind == "u" else np.int64))
    count = rows.shape[1]
    total = lowering.emit(
        "MatMul", [rows, lowering.array(np.ones((count, 1), rows.dtype))], rows.dtype, (rows.shape[0], 1)
    )
    if mode == ReduceMode.ReduceMean:
        total = lowering.emit("Div", [total, lowering.scalar(count, total.dtype)], total.dtype, total.shape)
    return cast(lowering, total, own)


def _product(lowering: Lowering, rows: Term) -> Term:
    """Halves of the columns are multiplied until one column is left."""
    while rows.shape[1] > 1:
        half = rows.shape[1] // 2
        parts = [_columns(lowering, rows, start, half) for start in (0, half)]
        made = lowering.emit("Mul", parts, rows.dtype, parts[0].shape)
        if rows.shape[1] % 2:
            last = _columns(lowering, rows, 2 * half, 1)
            made = lowering.emit("Concat", [made, last], rows.dtype, (rows.shape[0], half + 1), axis=1)
        rows = made
    return rows


def _columns(lowering: Lowering, rows: Term, start: int, count: int) -> Term:
    places = [lowering.ints([value]) for value in (start, start + count, 1, 1)]
    return lowering.emit("Slice", [rows, *places], rows.dtype, (rows.shape[0], count))
