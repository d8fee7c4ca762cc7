"""Elements by their places: gathers, one-hot."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import EmbeddingLookupFusion, OneHot
from ....semantics.operands import normalized, operand, primitive_of, required
from ....tensors.tensor import Tensor
from ..lowering import Lowering, constant_value, wanted
from ..term import Lowered, Term
from .elementwise import BOOL, as_it_lies
from .movement import known
from .places import as_int64, as_places, never_negative
from .reshaping import reshaped
from .results import as_model, given_shape


def lower_gather(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Slices at places along an axis; the axes of the places stand where that axis was."""
    x, axis = lowering.value(required(kernel, 0)), known(kernel, 2, "the axis")[0]
    return _gathered(lowering, x, required(kernel, 1), normalized(axis, x.rank))


def _gathered(lowering: Lowering, x: Lowered, indices: Tensor, axis: int) -> Lowered:
    places = lowering.in_order(lowering.value(indices))
    more = len(places.shape) - 1
    shape = (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :])
    order: list[int] = []
    for each in x.order:
        order += range(axis, axis + more + 1) if each == axis else [each if each < axis else each + more]
    physical = tuple(shape[each] for each in order)
    operands = [as_it_lies(lowering, x), as_places(lowering, places)]
    y = lowering.emit("Gather", operands, x.dtype, physical, axis=x.order.index(axis))
    return Lowered(shape, x.dtype, tuple(order), y)


def lower_gather_d(kernel: Kernel, lowering: Lowering) -> Lowered:
    """One element along an axis for each place."""
    x, axis = lowering.value(required(kernel, 0)), known(kernel, 1, "the axis")[0]
    places = as_places(lowering, lowering.in_order(lowering.value(required(kernel, 2))))
    operands = [lowering.in_order(x), places]
    return as_model(lowering.emit("GatherElements", operands, x.dtype, places.shape, axis=normalized(axis, x.rank)))


def lower_gather_nd(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x[i_0, ..., i_{K-1}]`` for every row of places."""
    x, places = lowering.value(required(kernel, 0)), lowering.value(required(kernel, 1))
    wanted(places.rank > 0 and 0 < places.shape[-1] <= x.rank, RejectCode.SHAPE, "rows of 1 place and more")
    operands = [lowering.in_order(x), as_int64(lowering, lowering.in_order(places))]
    return as_model(lowering.emit("GatherND", operands, x.dtype, given_shape(kernel)))


def lower_embedding_lookup(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Rows of tables by their numbers; rows longer than ``max_norm`` are scaled down to it."""
    most = primitive_of(kernel, EmbeddingLookupFusion).max_norm
    values = [lowering.value(table) for table in kernel.inputs[:-1]]
    count = sum(value.shape[0] for value in values)
    table = lowering.in_order(values[0])
    if len(values) > 1:
        shape = (count, *values[0].shape[1:])
        table = lowering.emit("Concat", [lowering.in_order(v) for v in values], table.dtype, shape, axis=0)
    ids = never_negative(lowering, lowering.value(kernel.inputs[-1]), count)
    shape = (*ids.shape, *table.shape[1:])
    rows = lowering.emit("Gather", [table, ids], table.dtype, shape, axis=0)
    return as_model(rows if most == 0 else _shortened(lowering, rows, len(ids.shape), most))


def _shortened(lowering: Lowering, rows: Term, first: int, most: float) -> Term:
    axes = range(first, len(rows.shape))
    kept = (*rows.shape[:first], *(1 for _ in axes))
    norm = lowering.emit("ReduceL2", [rows, lowering.ints(axes)], rows.dtype, kept, keepdims=1) if axes else None
    norm = norm or lowering.emit("Abs", [rows], rows.dtype, kept)
    limit = lowering.scalar(most, rows.dtype)
    longer = lowering.emit("Greater", [norm, limit], BOOL, kept)
    factor = lowering.emit("Div", [limit, norm], rows.dtype, kept)
    factor = lowering.emit("Where", [longer, factor, lowering.scalar(1, rows.dtype)], rows.dtype, kept)
    return lowering.emit("Mul", [rows, factor], rows.dtype, rows.shape)


def lower_one_hot(kernel: Kernel, lowering: Lowering) -> Lowered:
    """One value at the place of a new axis that an index names, another elsewhere.

    Without a fourth input indices below 0 count from the end.
    """
    indices, shape = lowering.value(required(kernel, 0)), given_shape(kernel)
    rank = len(shape)
    axis = normalized(primitive_of(kernel, OneHot).axis, rank)
    wide = lowering.in_order(reshaped(lowering, indices, (*indices.shape[:axis], 1, *indices.shape[axis:])))
    wide = as_places(lowering, wide)
    steps = np.arange(shape[axis], dtype=wide.dtype).reshape(-1, *(1,) * (rank - 1 - axis))
    hit = lowering.emit("Equal", [wide, lowering.array(steps)], BOOL, shape)
    if operand(kernel, 3) is None:
        below = lowering.emit("Equal", [wide, lowering.array(steps - shape[axis])], BOOL, shape)
        hit = lowering.emit("Or", [hit, below], BOOL, shape)
    on, off = _two_values(kernel, lowering)
    return as_model(lowering.emit("Where", [hit, on, off], on.dtype, shape))


def _two_values(kernel: Kernel, lowering: Lowering) -> tuple[Term, Term]:
    given, other = lowering.value(required(kernel, 2)), operand(kernel, 3)
    if other is not None:
        return _single(lowering, given), _single(lowering, lowering.value(other))
    wanted(given.constant is not None, RejectCode.NOT_CONSTANT, "the two values must be constant")
    assert given.constant is not None
    off, on = given.constant.ravel()
    return _single(lowering, constant_value(np.array(on))), _single(lowering, constant_value(np.array(off)))


def _single(lowering: Lowering, value: Lowered) -> Term:
    return lowering.in_order(reshaped(lowering, value, ()))


LOWERINGS = {
    "Gather": lower_gather,
    "GatherD": lower_gather_d,
    "GatherNd": lower_gather_nd,
    "EmbeddingLookupFusion": lower_embedding_lookup,
    "OneHot": lower_one_hot,
}
