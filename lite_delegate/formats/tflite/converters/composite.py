"""Operators that are a few of ours together."""

from __future__ import annotations

import math

import numpy as np

from ....basics.counted import counted
from ....flatbuffer.problem import FormatProblem
from ....ir import DataType, Value, to_numpy
from ...rejection import Why
from ..conversion import Converter, OperatorConversion

_LONGEST_DIAGONAL = 4096


def matrix_diag(c: OperatorConversion) -> None:
    """ExpandDims and Where with a mask: 1 to 4096 rows, a known number; no quantized integers."""
    c.reject_unless(not c.x().quant_params, Why.DTYPE, "diagonals of quantized integers")
    zero = c.constant("zero", np.zeros((), to_numpy(c.x().dtype)))
    c.node("Where", [_diagonal(c, c.dim(c.x(), -1)), _column(c, c.x()), zero], c.y())


def matrix_set_diag(c: OperatorConversion) -> None:
    """ExpandDims and Where with a mask: square matrices of 1 to 4096 rows, a known number."""
    rows, columns = c.dim(c.x(), -2), c.dim(c.x(), -1)
    c.reject_unless(rows == columns, Why.SHAPE, f"matrices must be square, found {c.x().shape}")
    c.node("Where", [_diagonal(c, columns), _column(c, c.x(1)), c.x()], c.y())


def _diagonal(c: OperatorConversion, size: int) -> Value:
    known = 0 < size <= _LONGEST_DIAGONAL
    c.reject_unless(
        known, Why.SHAPE, f"the diagonal must have 1 to {counted(_LONGEST_DIAGONAL, 'element')}, found {size:,}"
    )
    c.budget.charge(size * size)
    return c.constant("diagonal", np.eye(size, dtype=np.bool_))


def _column(c: OperatorConversion, x: Value) -> Value:
    made = c.between(x, "column", same_shape=False)
    c.node("ExpandDims", [x, c.constant("last", [-1])], made)
    return made


def bucketize(c: OperatorConversion) -> None:
    """Less, LogicalNot, Cast and ReduceFusion count the boundaries that a FLOAT32, INT32 or INT64 element reaches."""
    given = c.option("BucketizeOptions")["boundaries"]
    boundaries = np.zeros(0, np.float32) if given is None else given.astype(np.float32)
    x = c.x()
    if x.dtype != DataType.FLOAT32:
        c.reject_unless(x.dtype in (DataType.INT32, DataType.INT64), Why.DTYPE, f"buckets of {x.dtype.name}")
        real = c.between(x, "real", DataType.FLOAT32)
        c.cast(x, real)
        x = real
    below, above = (c.between(c.y(), name, DataType.BOOL, same_shape=False) for name in ("below", "above"))
    counted = c.between(c.y(), "counted", DataType.INT32, same_shape=False)
    c.node("Less", [_column(c, x), c.constant("boundaries", boundaries)], below)
    c.node("LogicalNot", [below], above)
    c.cast(above, counted)
    c.node("ReduceFusion", [counted, c.constant("axis", [-1])], c.y(), mode="ReduceSum", keep_dims=False)


def dynamic_update_slice(c: OperatorConversion) -> None:
    """ScatterNdUpdate at every place of a box, moved inside where it sticks out; shapes must be known."""
    x, update, start = c.x(), c.x(1), c.x(2)
    shape, box = x.shape or (), update.shape or ()
    known = len(shape) == len(box) > 0 and min(*shape, *box) >= 0
    c.reject_unless(known, Why.SHAPE, f"shapes must be known, found {x.shape} and {update.shape}")
    room = [outer - inner for outer, inner in zip(shape, box, strict=True)]
    if min(room) < 0:
        raise FormatProblem(f"an update {box} is larger than {shape}", "inputs[1]")
    c.budget.charge(8 * math.prod(box) * len(box))
    if start.dtype != DataType.INT32:
        wide, start = start, c.between(start, "int32", DataType.INT32)
        c.cast(wide, start)
    first, inside = (c.between(start, name, DataType.INT32) for name in ("first", "inside"))
    c.node("Maximum", [start, c.constant("origin", [0] * len(box))], first)
    c.node("Minimum", [first, c.constant("room", room)], inside)
    grid = np.ascontiguousarray(np.moveaxis(np.indices(box, dtype=np.int32), 0, -1))
    places = Value(f"{c.operator.name}/places", DataType.INT32, (*box, len(box)))
    c.node("AddFusion", [c.constant("grid", grid), inside], places)
    c.node("ScatterNdUpdate", [x, places, update], c.y())


def broadcast_in_dim(c: OperatorConversion) -> None:
    """Reshape and BroadcastTo; shapes must be known."""
    target, source = _declared(c), c.x().shape
    given = c.option("StablehloBroadcastInDimOptions")["broadcast_dimensions"]
    places = [] if given is None else given[:9].tolist()
    fits = source is not None and len(places) == len(source) and all(0 <= p < len(target) for p in places)
    c.reject_unless(fits, Why.SHAPE, f"{source} to the dimensions {places} of {list(target)}")
    spread = [1] * len(target)
    for place, size in zip(places, source or (), strict=True):
        spread[place] = size
    c.reject_unless(min(spread, default=1) > 0, Why.SHAPE, f"dimensions must be known, found {source}")
    made = c.between(c.y(), "spread", same_shape=False)
    c.node("Reshape", [c.x(), c.constant("spread", spread)], made)
    c.node("BroadcastTo", [made, c.constant("shape", list(target))], c.y())


def _declared(c: OperatorConversion) -> tuple[int, ...]:
    """The shape that the file declares of the output; rejects the operator where it is not known."""
    shape = c.y().shape
    c.reject_unless(shape is not None and min(shape, default=1) > 0, Why.SHAPE, f"the output must be known, is {shape}")
    return shape or ()


CONVERTERS: dict[str, Converter] = {
    "MATRIX_DIAG": matrix_diag,
    "MATRIX_SET_DIAG": matrix_set_diag,
    "BUCKETIZE": bucketize,
    "DYNAMIC_UPDATE_SLICE": dynamic_update_slice,
    "STABLEHLO_BROADCAST_IN_DIM": broadcast_in_dim,
}
"""Converters of this file by the schema's names."""
