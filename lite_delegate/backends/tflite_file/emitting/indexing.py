"""Operators that pick elements, and that find their places."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from .call import LoweredCall, Write


def inside(call: LoweredCall, position: int, size: int) -> TfliteTensor:
    """Places along an axis of a size, int32 or int64, counted from its beginning."""
    term = call.term(position)
    if term.constant is not None:
        return call.builtins.constant((term.constant.astype(np.int64) % max(size, 1)).astype(np.int32))
    x = call.x(position)
    below = call.pair("LESS", x, call.scalar(0, x.dtype), "LessOptions", "bool")
    moved = call.pair("ADD", x, call.scalar(size, x.dtype), "AddOptions")
    return call.several("SELECT_V2", [below, moved, x], "SelectV2Options")


def write_gather(call: LoweredCall) -> list[TfliteTensor]:
    """Slices at places along an axis."""
    x = call.x()
    axis = call.integer("axis", 0) % x.rank
    places = inside(call, 1, x.shape[axis])
    return [call.builtins.op("GATHER", [x, places], call.shape, None, "GatherOptions", axis=axis)]


def write_gather_elements(call: LoweredCall) -> list[TfliteTensor]:
    """Elements at places along an axis: of all elements in a row."""
    x = call.x()
    axis = call.integer("axis", 0) % x.rank
    places = call.builtins.cast(inside(call, 1, x.shape[axis]), "int32")
    strides = [math.prod(x.shape[a + 1 :]) for a in range(x.rank)]
    grid = np.indices(call.shape).reshape(x.rank, *call.shape)
    others = sum((grid[a] * strides[a] for a in range(x.rank) if a != axis), np.zeros(call.shape, np.int64))
    flat = call.pair("MUL", places, call.scalar(strides[axis], "int32"), "MulOptions")
    flat = call.pair("ADD", flat, call.builtins.constant(others.astype(np.int32)), "AddOptions")
    row = call.builtins.reshape(x, (math.prod(x.shape),))
    return [call.builtins.op("GATHER", [row, flat], call.shape, None, "GatherOptions", axis=0)]


def write_gather_nd(call: LoweredCall) -> list[TfliteTensor]:
    """Slices at places of several axes."""
    x, places = call.x(0), call.term(1)
    batch = call.integer("batch_dims", 0)
    call.wanted(batch == 0, RejectCode.ATTRIBUTE, "places without a batch", f"{batch}")
    sizes = x.shape[: places.shape[-1]]
    if places.constant is not None:
        rows = places.constant.astype(np.int64)
        given = call.builtins.constant((rows % np.array(sizes)).astype(np.int32))
    else:
        given = call.x(1)
        below = call.pair("LESS", given, call.scalar(0, given.dtype), "LessOptions", "bool")
        ends = call.builtins.constant(np.array(sizes, given.dtype))
        moved = call.pair("ADD", given, ends, "AddOptions")
        given = call.several("SELECT_V2", [below, moved, given], "SelectV2Options")
    return [call.builtins.op("GATHER_ND", [x, given], call.shape, None, "GatherNdOptions")]


def write_one_hot(call: LoweredCall) -> list[TfliteTensor]:
    """One number at given places, another one everywhere else."""
    (depth,), values = call.places(1, "the depth"), call.x(2)
    axis = call.integer("axis", -1) % call.rank
    places = inside_or_out(call, depth)
    row = np.arange(depth, dtype=np.int32).reshape([depth if a == axis else 1 for a in range(call.rank)])
    column = call.builtins.reshape(places, (*places.shape[:axis], 1, *places.shape[axis:]))
    hot = call.pair("EQUAL", column, call.builtins.constant(row), "EqualOptions", "bool")
    off, on = (call.builtins.reshape(_at(call, values, place), ()) for place in (0, 1))
    return [call.several("SELECT_V2", [hot, on, off], "SelectV2Options")]


def inside_or_out(call: LoweredCall, size: int) -> TfliteTensor:
    """The first operand's places as int32, those from the end counted from the beginning."""
    x = call.builtins.cast(call.x(0), "int32")
    below = call.pair("LESS", x, call.scalar(0, "int32"), "LessOptions", "bool")
    moved = call.pair("ADD", x, call.scalar(size, "int32"), "AddOptions")
    return call.several("SELECT_V2", [below, moved, x], "SelectV2Options")


def _at(call: LoweredCall, x: TfliteTensor, place: int) -> TfliteTensor:
    where = [call.builtins.ints([place]), call.builtins.ints([1])]
    return call.builtins.op("SLICE", [x, *where], (1,), None, "SliceOptions")


def _arg(kind: str, table: str) -> Write:
    def write(call: LoweredCall) -> list[TfliteTensor]:
        x = call.x()
        axis = call.integer("axis", 0) % x.rank
        last = not call.integer("select_last_index", 0)
        call.wanted(last, RejectCode.ATTRIBUTE, "the first of several places")
        shape = (*x.shape[:axis], *x.shape[axis + 1 :])
        place = call.builtins.constant(np.array(axis, np.int32))
        found = call.builtins.op(kind, [x, place], shape, "int32", table, output_type=2)
        return [call.builtins.cast(call.builtins.reshape(found, call.shape), call.dtype)]

    return write


def write_top_k(call: LoweredCall) -> list[TfliteTensor]:
    """The largest or smallest elements along an axis, in order, and their places."""
    x, (count,) = call.x(), call.places(1, "the number of elements")
    axis = call.integer("axis", -1) % x.rank
    largest = bool(call.integer("largest", 1))
    call.wanted(largest, RejectCode.ATTRIBUTE, "TOPK_V2 finds the largest")
    order = [*(a for a in range(x.rank) if a != axis), axis]
    back = np.argsort(order).tolist()
    turned = call.builtins.transpose(x, order)
    shape = (*turned.shape[:-1], count)
    given = [turned, call.builtins.constant(np.array(count, np.int32))]
    values, places = call.builtins.ops("TOPK_V2", given, [(None, shape), ("int32", shape)], "TopKV2Options")
    return [
        call.builtins.transpose(values, back),
        call.builtins.cast(call.builtins.transpose(places, back), call.results[1][0].name),
    ]


def write_trilu(call: LoweredCall) -> list[TfliteTensor]:
    """The upper or lower triangle of matrices, 0 elsewhere."""
    x = call.x()
    diagonal = call.places(1, "the diagonal")[0] if call.has(1) else 0
    ones = np.ones(x.shape[-2:], bool)
    mask = np.triu(ones, diagonal) if call.integer("upper", 1) else np.tril(ones, diagonal)
    flags = call.builtins.constant(mask)
    return [call.several("SELECT_V2", [flags, x, call.scalar(0, x.dtype)], "SelectV2Options")]


OPERATORS: dict[str, Write] = {
    "Gather": write_gather,
    "GatherElements": write_gather_elements,
    "GatherND": write_gather_nd,
    "OneHot": write_one_hot,
    "ArgMax": _arg("ARG_MAX", "ArgMaxOptions"),
    "ArgMin": _arg("ARG_MIN", "ArgMinOptions"),
    "TopK": write_top_k,
    "Trilu": write_trilu,
}
"""Writers of this file by ONNX's names."""
