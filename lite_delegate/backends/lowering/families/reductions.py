"""Reductions over axes, and softmax."""

from __future__ import annotations

from ....delegate import Kernel, RejectCode
from ....ir.primitives import LogSoftmax, ReduceFusion, Softmax
from ....ir.types.enums import ReduceMode
from ....semantics.operands import int_values, normalized, operand, primitive_of, required
from ..lowering import Lowering, wanted
from ..term import Lowered, Shape, Term
from .elementwise import affine, as_it_lies
from .extremes import extreme
from .means import mean
from .reshaping import reshaped
from .results import as_model, given_shape, like
from .whole_sums import whole_reduction

MODES = {
    ReduceMode.ReduceMax: "ReduceMax",
    ReduceMode.ReduceMin: "ReduceMin",
    ReduceMode.ReduceProd: "ReduceProd",
    ReduceMode.ReduceSum: "ReduceSum",
    ReduceMode.ReduceSumSquare: "ReduceSumSquare",
    ReduceMode.ReduceASum: "ReduceL1",
    ReduceMode.ReduceL2: "ReduceL2",
    ReduceMode.ReduceAll: "ReduceMin",
}
OF_NOTHING = frozenset(MODES) - {ReduceMode.ReduceASum, ReduceMode.ReduceAll}
"""Reductions of no elements that runtimes have, of real numbers."""
EXTREMES = (ReduceMode.ReduceMax, ReduceMode.ReduceMin)
LEAST_COEFF = 1e-5
"""A ``coeff`` that is not larger than this counts as 1, as does any without ``reduce_to_end``."""


def lower_reduce_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """One reduction over constant axes."""
    primitive, x, given = primitive_of(kernel, ReduceFusion), lowering.value(required(kernel, 0)), operand(kernel, 1)
    wanted(given is None or given.is_const, RejectCode.NOT_CONSTANT, "axes must be constant")
    held = 0 not in x.shape or (x.dtype.kind == "f" and primitive.mode in OF_NOTHING)
    wanted(held, RejectCode.SHAPE, "a reduced tensor must have elements", f"has {x.shape}")
    if x.rank == 0:
        x = reshaped(lowering, x, (1,))
    named = [normalized(axis, x.rank) for axis in (() if given is None else int_values(given))]
    if primitive.reduce_to_end:
        wanted(len(named) == 1, RejectCode.ATTRIBUTE, "reduce_to_end needs one axis", f"has {named}")
        named = list(range(named[0], x.rank))
    axes = sorted(set(named)) or list(range(x.rank))
    kept = tuple(1 if axis in axes else dim for axis, dim in enumerate(x.shape))
    if x.dtype.kind in "iu" and primitive.mode not in EXTREMES:
        return reshaped(lowering, as_model(whole_reduction(lowering, primitive.mode, x, axes)), given_shape(kernel))
    places = sorted(x.order.index(axis) for axis in axes)
    y = _reduced(lowering, primitive.mode, as_it_lies(lowering, x), places, tuple(kept[axis] for axis in x.order))
    if primitive.reduce_to_end and abs(primitive.coeff) > LEAST_COEFF:
        y = affine(lowering, y, primitive.coeff, 0.0)
    return reshaped(lowering, Lowered(kept, x.dtype, x.order, y), given_shape(kernel))


def _reduced(lowering: Lowering, mode: ReduceMode, x: Term, places: list[int], shape: Shape) -> Term:
    if mode == ReduceMode.ReduceMean:
        return mean(lowering, x, places, shape)
    if mode in EXTREMES:
        return extreme(lowering, MODES[mode], x, lowering.ints(places), shape)
    return lowering.emit(MODES[mode], [x, lowering.ints(places)], x.dtype, shape, keepdims=1)


def lower_all(kernel: Kernel, lowering: Lowering) -> Lowered:
    """True where all elements along axes are; an empty list of axes reduces nothing."""
    x, given = lowering.value(required(kernel, 0)), operand(kernel, 1)
    wanted(given is None or given.is_const, RejectCode.NOT_CONSTANT, "axes must be constant")
    axes = range(x.rank) if given is None else [normalized(axis, x.rank) for axis in int_values(given)]
    if not axes:
        return x
    source, places = as_it_lies(lowering, x), sorted(x.order.index(axis) for axis in axes)
    kept = tuple(1 if axis in axes else dim for axis, dim in enumerate(x.shape))
    physical = tuple(kept[axis] for axis in x.order)
    y = lowering.emit("ReduceMin", [source, lowering.ints(places)], x.dtype, physical, keepdims=1)
    return reshaped(lowering, Lowered(kept, x.dtype, x.order, y), given_shape(kernel))


def lower_softmax(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``exp(x) / sum(exp(x))`` along an axis."""
    x = lowering.value(required(kernel, 0))
    given = primitive_of(kernel, Softmax).axis or (-1,)
    return like(x, _along(lowering, "Softmax", x, given[0]))


def lower_log_softmax(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x - log(sum(exp(x)))`` along an axis."""
    x = lowering.value(required(kernel, 0))
    return like(x, _along(lowering, "LogSoftmax", x, primitive_of(kernel, LogSoftmax).axis))


def _along(lowering: Lowering, op: str, x: Lowered, axis: int) -> Term:
    source = as_it_lies(lowering, x)
    return lowering.emit(op, [source], x.dtype, source.shape, axis=x.order.index(normalized(axis, x.rank)))


LOWERINGS = {
    "ReduceFusion": lower_reduce_fusion,
    "All": lower_all,
    "Softmax": lower_softmax,
    "LogSoftmax": lower_log_softmax,
}
