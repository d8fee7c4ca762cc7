"""Coordinates of sparse tensors."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel
from ....semantics.operands import required
from ..lowering import Lowering, constant_value
from ..term import Lowered, Shape, Term
from .elementwise import cast
from .movement import known
from .places import INT32
from .results import as_model, given_dtype

INT64 = np.dtype(np.int64)


def lower_sparse_reshape(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """Coordinates by way of their places in a row, and the new shape, which is known."""
    indices = lowering.value(required(kernel, 0))
    source, wanted = known(kernel, 1, "the shape"), known(kernel, 2, "the new shape")
    total, fixed = math.prod(source), math.prod(dim for dim in wanted if dim >= 0)
    target = tuple(dim if dim >= 0 else total // fixed for dim in wanted)
    dtype = INT32 if total <= np.iinfo(np.int32).max else INT64
    rows = _rows(lowering, cast(lowering, lowering.in_order(indices), dtype), source)
    columns = [_coordinate(lowering, rows, target, axis) for axis in range(len(target))]
    shape = (indices.shape[0], len(target))
    made = columns[0] if len(columns) == 1 else lowering.emit("Concat", columns, dtype, shape, axis=1)
    sizes = constant_value(np.array(target, given_dtype(kernel, 1)))
    return [as_model(cast(lowering, made, indices.dtype)), sizes]


def _rows(lowering: Lowering, indices: Term, shape: Shape) -> Term:
    """The place in a row (M, 1) of each coordinate (M, K)."""
    total: Term | None = None
    column = (indices.shape[0], 1)
    for axis in range(len(shape)):
        part = lowering.emit("Gather", [indices, lowering.ints([axis])], indices.dtype, column, axis=1)
        step = lowering.scalar(math.prod(shape[axis + 1 :]), indices.dtype)
        part = lowering.emit("Mul", [part, step], indices.dtype, column)
        total = part if total is None else lowering.emit("Add", [total, part], indices.dtype, column)
    return lowering.array(np.zeros(column, indices.dtype)) if total is None else total


def _coordinate(lowering: Lowering, rows: Term, shape: Shape, axis: int) -> Term:
    """One coordinate of places in a row; the first is not beyond its axis, and the last has no others behind it."""
    step, dtype = math.prod(shape[axis + 1 :]), rows.dtype
    if step != 1:
        rows = lowering.emit("Div", [rows, lowering.scalar(step, dtype)], dtype, rows.shape)
    if axis == 0:
        return rows
    return lowering.emit("Mod", [rows, lowering.scalar(shape[axis], dtype)], dtype, rows.shape, fmod=0)


LOWERINGS = {"SparseReshape": lower_sparse_reshape}
