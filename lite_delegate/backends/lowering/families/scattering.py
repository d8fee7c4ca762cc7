"""Elements and slices written at places, or combined with what is there."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import ScatterElements
from ....semantics.operands import normalized, operand, primitive_of, required
from ..lowering import Lowering, constant_value, wanted
from ..term import Lowered, Shape, Term
from .borders import expanded
from .elementwise import BOOL, cast
from .indexing import as_places
from .onnx_operators import attributes_of
from .reshaping import reshaped
from .results import as_model, given_shape

INT32 = np.dtype(np.int32)
MOST_ROWS = np.iinfo(np.int32).max


def lower_scatter_elements(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A tensor with one element along an axis replaced for each place."""
    return _elements(kernel, lowering, primitive_of(kernel, ScatterElements).axis, "none")


def lower_scatter_elements_of_onnx(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The same, or elements combined with what is there."""
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
    """A tensor with parts replaced or combined with what is there."""
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
    return _scattered(lowering, filled, rows, expanded(lowering, each, rows.shape[:1]), "none")


def lower_invert_permutation(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``y[x[i]] = i``."""
    x = lowering.value(required(kernel, 0))
    places = as_places(lowering, lowering.in_order(x))
    numbers = np.arange(x.shape[0]).astype(x.dtype)
    operands = [lowering.array(np.zeros_like(numbers)), places, lowering.array(numbers)]
    return as_model(lowering.emit("ScatterElements", operands, x.dtype, x.shape, axis=0))


def _scattered(lowering: Lowering, x: Term, indices: Lowered, updates: Lowered, how: str) -> Lowered:
    """Slices written at rows of places.

    Runtimes write slices in any order, which counts where a place is there twice: then they are written element by
    element, which goes in order.
    """
    wanted(indices.rank > 0 and indices.shape[-1] > 0, RejectCode.SHAPE, "rows of 1 place and more")
    if how == "none" and _is_each_once(indices, x.shape):
        places = as_places(lowering, cast(lowering, lowering.in_order(indices), np.dtype(np.int64)))
        return as_model(lowering.emit("ScatterND", [x, places, lowering.in_order(updates)], x.dtype, x.shape))
    depth = indices.shape[-1]
    flat = (math.prod(x.shape[:depth]), math.prod(x.shape[depth:]))
    wanted(flat[0] <= MOST_ROWS, RejectCode.SHAPE, f"at most {MOST_ROWS} rows", f"has {flat[0]}")
    rows = _row_numbers(lowering, indices, x.shape[:depth])
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


def _row_numbers(lowering: Lowering, indices: Lowered, dims: Sequence[int]) -> Term:
    """Which row each coordinate means where the dimensions lie as one, int32 (R,)."""
    if indices.constant is not None:
        rows = indices.constant.reshape(-1, len(dims)).astype(np.int64) % dims
        return lowering.array(np.ravel_multi_index(tuple(rows.T), tuple(dims)).astype(INT32))
    shape, total = (math.prod(indices.shape[:-1]),), None
    narrow = as_model(cast(lowering, lowering.in_order(indices), INT32))
    coordinates = lowering.in_order(reshaped(lowering, narrow, (*shape, len(dims))))
    for axis, size in enumerate(dims):
        at = lowering.small(np.array(axis, np.int64))
        column = lowering.emit("Gather", [coordinates, at], INT32, shape, axis=1)
        below = lowering.emit("Less", [column, lowering.scalar(0, INT32)], BOOL, shape)
        from_end = lowering.emit("Add", [column, lowering.scalar(size, INT32)], INT32, shape)
        column = lowering.emit("Where", [below, from_end, column], INT32, shape)
        if total is not None:
            scaled = lowering.emit("Mul", [total, lowering.scalar(size, INT32)], INT32, shape)
            column = lowering.emit("Add", [scaled, column], INT32, shape)
        total = column
    assert total is not None
    return total


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
