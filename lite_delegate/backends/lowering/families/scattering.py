"""Elements and slices written at places, or combined with the elements there."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import ScatterElements
from ....semantics.operands import normalized, operand, primitive_of, required
from ..lowering import Lowering, constant_value, wanted
from ..places import outside
from ..term import Lowered, Shape, Term
from .borders import expanded
from .elementwise import BOOL, cast
from .onnx_operators import attributes_of
from .places import INT32, as_int32, as_int64, as_places, is_inside, never_negative
from .reshaping import reshaped
from .results import as_model, given_shape

MOST_ROWS = np.iinfo(np.int32).max


def lower_scatter_elements(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A tensor with one element along an axis replaced for each place."""
    return _elements(kernel, lowering, primitive_of(kernel, ScatterElements).axis, "none")


def lower_scatter_elements_of_onnx(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A tensor with elements replaced, or combined with the elements there."""
    found = attributes_of(kernel)
    return _elements(kernel, lowering, int(found.get("axis", 0)), str(found.get("reduction", "none")))


def _elements(kernel: Kernel, lowering: Lowering, axis: int, how: str) -> Lowered:
    x, indices, updates = (lowering.value(required(kernel, position)) for position in range(3))
    places, terms = as_places(lowering, lowering.in_order(indices)), [lowering.in_order(x), lowering.in_order(updates)]
    return as_model(combined(lowering, terms[0], places, terms[1], how, normalized(axis, x.rank)))


def lower_scatter_nd(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Zeros with numbers added to parts."""
    indices, updates = (lowering.value(required(kernel, position)) for position in (1, 2))
    zeros = lowering.array(np.zeros(given_shape(kernel), updates.dtype))
    return _scattered(lowering, zeros, indices, updates, "add")


def lower_scatter_nd_update(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A tensor with parts replaced; of several updates of one place the last counts."""
    return _parts(kernel, lowering, "none")


def lower_tensor_scatter_add(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A tensor with numbers added to parts."""
    return _parts(kernel, lowering, "add")


def lower_scatter_nd_of_onnx(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A tensor with parts replaced, or combined with the parts there."""
    return _parts(kernel, lowering, str(attributes_of(kernel).get("reduction", "none")))


def _parts(kernel: Kernel, lowering: Lowering, how: str) -> Lowered:
    x, indices, updates = (lowering.value(required(kernel, position)) for position in range(3))
    return _scattered(lowering, lowering.in_order(x), indices, updates, how)


def lower_sparse_to_dense(kernel: Kernel, lowering: Lowering) -> Lowered:
    """One value everywhere but at coordinates, which have values of their own."""
    shape, given = given_shape(kernel), operand(kernel, 3)
    indices, values = (lowering.value(required(kernel, position)) for position in (0, 2))
    rest = constant_value(np.zeros((), values.dtype)) if given is None else lowering.value(given)
    rows = reshaped(lowering, indices, (math.prod(indices.shape) // len(shape), len(shape)))
    each = reshaped(lowering, values, values.shape if values.shape == rows.shape[:1] else ())
    filled = lowering.in_order(expanded(lowering, reshaped(lowering, rest, ()), shape))
    return _scattered(lowering, filled, rows, expanded(lowering, each, rows.shape[:1]), "none", from_end=False)


def lower_invert_permutation(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``y[x[i]] = i``; unwritten elements hold a place that does not exist, at which the run fails."""
    x = lowering.value(required(kernel, 0))
    places = never_negative(lowering, x, x.shape[0])
    numbers = np.arange(x.shape[0], dtype=INT32)
    missing, each = lowering.array(np.full_like(numbers, x.shape[0])), lowering.array(numbers)
    found = lowering.emit("ScatterElements", [missing, places, each], INT32, x.shape, axis=0)
    y = lowering.emit("Gather", [each, found], INT32, x.shape, axis=0)
    return as_model(cast(lowering, y, x.dtype))


def _scattered(
    lowering: Lowering, x: Term, indices: Lowered, updates: Lowered, how: str, *, from_end: bool = True
) -> Lowered:
    """Slices written at rows of places; places below 0 count from the end, or are not taken.

    Runtimes write slices in any order, which matters where a place occurs twice: then the slices are written element by
    element, in order.
    """
    wanted(indices.rank > 0 and indices.shape[-1] > 0, RejectCode.SHAPE, "rows of 1 place and more")
    if how == "none" and _is_each_once(indices, x.shape):
        places = as_int64(lowering, lowering.in_order(indices))
        return as_model(lowering.emit("ScatterND", [x, places, lowering.in_order(updates)], x.dtype, x.shape))
    depth = indices.shape[-1]
    flat = (math.prod(x.shape[:depth]), math.prod(x.shape[depth:]))
    wanted(flat[0] <= MOST_ROWS, RejectCode.SHAPE, f"at most {MOST_ROWS} rows", f"has {flat[0]}")
    rows = _row_numbers(lowering, indices, x.shape[:depth], from_end=from_end)
    spread = (rows.shape[0], flat[1])
    given = lowering.in_order(reshaped(lowering, updates, spread))
    table = lowering.in_order(reshaped(lowering, as_model(x), flat))
    made = combined(lowering, table, spread_rows(lowering, rows, spread), given, how, 0)
    return reshaped(lowering, as_model(made), x.shape)


def _is_each_once(indices: Lowered, shape: Shape) -> bool:
    if indices.constant is None:
        return False
    rows = indices.constant.reshape(-1, indices.shape[-1]).astype(np.int64) % shape[: indices.shape[-1]]
    return len(np.unique(rows, axis=0)) == len(rows)


def _row_numbers(lowering: Lowering, indices: Lowered, dims: Sequence[int], *, from_end: bool) -> Term:
    """The row that each coordinate means, where the dimensions are flattened into one; int32 (R,).

    A coordinate outside of one dimension means a row that is not there.

    Raises:
        NotLowered: a constant one is outside.
    """
    sizes = np.array(dims)
    if indices.constant is not None:
        found = indices.constant.reshape(-1, len(dims)).astype(np.int64)
        wrong = outside(found, -sizes if from_end else np.zeros_like(sizes), sizes - 1)
        wanted(not wrong, RejectCode.ATTRIBUTE, "coordinates must be inside", wrong)
        return lowering.array(np.ravel_multi_index(tuple((found % sizes).T), tuple(dims)).astype(INT32))
    shape = (math.prod(indices.shape[:-1]),)
    narrow = as_model(as_int32(lowering, lowering.in_order(indices)))
    coordinates = lowering.in_order(reshaped(lowering, narrow, (*shape, len(dims))))
    columns = [_column(lowering, coordinates, axis) for axis in range(len(dims))]
    if len(dims) == 1 and from_end:
        return columns[0]
    total, inside = _counted(lowering, columns[0], dims[0], from_end=from_end)
    for column, size in zip(columns[1:], dims[1:], strict=True):
        number, is_there = _counted(lowering, column, size, from_end=from_end)
        scaled = lowering.emit("Mul", [total, lowering.scalar(size, INT32)], INT32, shape)
        total = lowering.emit("Add", [scaled, number], INT32, shape)
        inside = lowering.emit("And", [inside, is_there], BOOL, shape)
    return lowering.emit("Where", [inside, total, lowering.scalar(math.prod(dims), INT32)], INT32, shape)


def _column(lowering: Lowering, coordinates: Term, axis: int) -> Term:
    at = lowering.small(np.array(axis, np.int64))
    return lowering.emit("Gather", [coordinates, at], INT32, coordinates.shape[:1], axis=1)


def _counted(lowering: Lowering, column: Term, size: int, *, from_end: bool) -> tuple[Term, Term]:
    """Coordinates along one axis counted from its beginning, and whether they are inside of it."""
    shape = column.shape
    if from_end:
        below = lowering.emit("Less", [column, lowering.scalar(0, INT32)], BOOL, shape)
        moved = lowering.emit("Add", [column, lowering.scalar(size, INT32)], INT32, shape)
        column = lowering.emit("Where", [below, moved, column], INT32, shape)
    return column, is_inside(lowering, column, size)


def spread_rows(lowering: Lowering, rows: Term, shape: Shape) -> Term:
    """The number of a row (R,) for each of its elements (R, S)."""
    return lowering.in_order(expanded(lowering, reshaped(lowering, as_model(rows), (shape[0], 1)), shape))


def combined(lowering: Lowering, x: Term, places: Term, updates: Term, how: str, axis: int) -> Term:
    """ScatterElements; halves are combined in float32, bools as the numbers 0 and 1."""
    operands = [x, places, updates]
    if how == "none":
        return lowering.emit("ScatterElements", operands, x.dtype, x.shape, axis=axis)
    wide = {"float16": np.dtype(np.float32), "bool": INT32}.get(x.dtype.name, x.dtype)
    how = {"add": "max", "mul": "min"}.get(how, how) if x.dtype == BOOL else how
    operands = [cast(lowering, x, wide), places, cast(lowering, updates, wide)]
    made = lowering.emit("ScatterElements", operands, wide, x.shape, axis=axis, reduction=how)
    return cast(lowering, made, x.dtype)


LOWERINGS = {
    "ScatterElements": lower_scatter_elements,
    "ScatterNdUpdate": lower_scatter_nd_update,
    "ScatterNd": lower_scatter_nd,
    "TensorScatterAdd": lower_tensor_scatter_add,
    "SparseToDense": lower_sparse_to_dense,
    "InvertPermutation": lower_invert_permutation,
    "ai.onnx.ScatterElements": lower_scatter_elements_of_onnx,
    "ai.onnx.ScatterND": lower_scatter_nd_of_onnx,
}
