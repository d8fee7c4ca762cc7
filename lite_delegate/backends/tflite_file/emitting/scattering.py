"""Operators that put elements at places."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from .call import LoweredCall, Write
from .indexing import inside


def write_scatter_elements(call: LoweredCall) -> list[TfliteTensor]:
    """The operand with elements at places along an axis replaced, or added to."""
    x, updates = call.x(0), call.x(2)
    axis = call.integer("axis", 0) % max(x.rank, 1)
    places = call.builtins.cast(inside(call, 1, x.shape[axis]), "int32")
    strides = [math.prod(x.shape[a + 1 :]) for a in range(x.rank)]
    grid = np.indices(updates.shape)
    others = sum((grid[a] * strides[a] for a in range(x.rank) if a != axis), np.zeros(updates.shape, np.int64))
    flat = call.pair("MUL", places, call.scalar(strides[axis], "int32"), "MulOptions")
    flat = call.pair("ADD", flat, call.builtins.constant(others.astype(np.int32)), "AddOptions")
    total, count = math.prod(x.shape), math.prod(updates.shape)
    rows = call.builtins.reshape(flat, (count, 1))
    constant = call.term(1).constant
    if constant is not None:
        axis_size = max(x.shape[axis], 1)
        known = (constant.astype(np.int64) % axis_size) * strides[axis] + others
        rows = call.builtins.constant(known.reshape(count, 1).astype(np.int32))
    y = _put(
        call, call.builtins.reshape(x, (total,)), rows, call.builtins.reshape(updates, (count,)), constant is not None
    )
    return [call.builtins.reshape(y, x.shape)]


def write_scatter_nd(call: LoweredCall) -> list[TfliteTensor]:
    """The operand with slices at places of several axes replaced, or added to."""
    x, updates, places = call.x(0), call.x(2), call.term(1)
    depth = places.shape[-1]
    sizes = np.array(x.shape[:depth])
    if places.constant is not None:
        rows = call.builtins.constant((places.constant.astype(np.int64) % sizes).astype(np.int32))
    else:
        given = call.builtins.cast(call.x(1), "int32")
        below = call.pair("LESS", given, call.scalar(0, "int32"), "LessOptions", "bool")
        moved = call.pair("ADD", given, call.builtins.constant(sizes.astype(np.int32)), "AddOptions")
        rows = call.several("SELECT_V2", [below, moved, given], "SelectV2Options")
    return [_put(call, x, rows, updates, places.constant is not None)]


def _put(call: LoweredCall, x: TfliteTensor, rows: TfliteTensor, updates: TfliteTensor, is_known: bool) -> TfliteTensor:
    """Numbers at rows; SCATTER_ND adds up numbers for the same row, so that numbers may be replaced once alone."""
    how = call.text("reduction", "none")
    added = _scattered(call, rows, updates, x)
    if how == "add":
        return call.pair("ADD", x, added, "AddOptions")
    call.wanted(how == "none" and is_known, RejectCode.ATTRIBUTE, "elements added, or replaced at constant places", how)
    call.wanted(rows.data is not None, RejectCode.NOT_CONSTANT, "places to replace must be constant")
    assert rows.data is not None
    flat = rows.data.reshape(-1, rows.shape[-1])
    single = len(np.unique(flat, axis=0)) == len(flat)
    call.wanted(single, RejectCode.ATTRIBUTE, "elements are replaced once")
    mask = np.zeros(x.shape, bool)
    mask[tuple(flat.T)] = True
    return call.several("SELECT_V2", [call.builtins.constant(mask), added, x], "SelectV2Options")


def _scattered(call: LoweredCall, rows: TfliteTensor, updates: TfliteTensor, x: TfliteTensor) -> TfliteTensor:
    operands = [rows, updates, call.builtins.ints(x.shape)]
    return call.builtins.op("SCATTER_ND", operands, x.shape, None, "ScatterNdOptions")


OPERATORS: dict[str, Write] = {"ScatterElements": write_scatter_elements, "ScatterND": write_scatter_nd}
"""Writers of this file by ONNX's names."""
