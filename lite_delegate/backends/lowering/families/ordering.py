"""Elements by their rank along an axis, and running sums."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import ArgMaxFusion, ArgMinFusion, CumSum, TopKFusion
from ....semantics.operands import normalized, primitive_of, required
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .elementwise import BOOL, as_it_lies, cast, unary
from .movement import known
from .reshaping import reshaped
from .results import like

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


def lower_top_k(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """The largest elements along an axis, and their places."""
    x, count = lowering.value(required(kernel, 0)), known(kernel, 1, "k")[0]
    axis = normalized(primitive_of(kernel, TopKFusion).axis, x.rank)
    values, places = _top(lowering, x, axis, count)
    return [values, _as_int32(lowering, places)][: len(kernel.outputs)]


def _bottom(lowering: Lowering, x: Lowered, axis: int, count: int) -> list[Lowered]:
    """The smallest elements, NaN before all: of floats, the largest of the negative ones."""
    if x.dtype.kind != "f":
        return _top(lowering, x, axis, count, largest=False)
    values, places = _top(lowering, like(x, unary(lowering, "Neg", as_it_lies(lowering, x))), axis, count)
    return [like(values, unary(lowering, "Neg", as_it_lies(lowering, values))), places]


def _top(lowering: Lowering, x: Lowered, axis: int, count: int, *, largest: bool = True) -> list[Lowered]:
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    physical = tuple(shape[each] for each in x.order)
    made = lowering.emit_several(
        "TopK",
        [as_it_lies(lowering, x), lowering.ints([count])],
        [(x.dtype, physical), (INT64, physical)],
        axis=x.order.index(axis),
        largest=int(largest),
        sorted=1,
    )
    return [Lowered(shape, term.dtype, x.order, term) for term in made]


def _as_int32(lowering: Lowering, value: Lowered) -> Lowered:
    return Lowered(value.shape, INT32, value.order, cast(lowering, as_it_lies(lowering, value), INT32))


def lower_arg_max(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """Places, values or both of the largest or the smallest elements along an axis."""
    largest = kernel.type == "ArgMaxFusion"
    primitive = primitive_of(kernel, ArgMaxFusion) if largest else primitive_of(kernel, ArgMinFusion)
    x = lowering.value(required(kernel, 0))
    axis = normalized(primitive.axis, x.rank)
    if primitive.top_k == 1:
        values, places = _single(lowering, x, axis, "ArgMax" if largest else "ArgMin")
    else:
        values, places = (_top if largest else _bottom)(lowering, x, axis, primitive.top_k)
    both = [_as_int32(lowering, places), values]
    chosen = both if len(kernel.outputs) == 2 else both[int(primitive.out_max_value) :][:1]
    shapes = [tuple(tensor.shape) for tensor in kernel.outputs]
    return [reshaped(lowering, value, shape) for value, shape in zip(chosen, shapes, strict=True)]


def _single(lowering: Lowering, x: Lowered, axis: int, op: str) -> list[Lowered]:
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    physical, source = tuple(shape[each] for each in x.order), as_it_lies(lowering, x)
    place = x.order.index(axis)
    found = lowering.emit(op, [source], INT64, physical, axis=place, keepdims=1)
    if x.dtype.kind == "f" and _can_choose(lowering):
        found = _nan_first(lowering, source, found, place)
    values = lowering.emit("GatherElements", [source, found], x.dtype, physical, axis=place)
    return [Lowered(shape, term.dtype, x.order, term) for term in (values, found)]


def _can_choose(lowering: Lowering) -> bool:
    """Whether the backend has Where. A backend without it promises nothing about NaN."""
    one = Term(None, INT64, (1,))
    return lowering.can("Where", [Term(None, BOOL, (1,)), one, one], [(INT64, (1,))])


def _nan_first(lowering: Lowering, x: Term, found: Term, place: int) -> Term:
    """The place of the first NaN along an axis with NaNs, else ``place``: ONNX leaves open which NaN is found."""
    strange = lowering.emit("IsNaN", [x], BOOL, x.shape)
    any_strange = lowering.emit("ReduceMax", [strange, lowering.ints([place])], BOOL, found.shape, keepdims=1)
    marks = cast(lowering, strange, np.dtype(np.uint8))
    first = lowering.emit("ArgMax", [marks], INT64, found.shape, axis=place, keepdims=1)
    return lowering.emit("Where", [any_strange, first, found], INT64, found.shape)


def lower_cum_sum(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Sums of all elements up to each along an axis."""
    primitive, x = primitive_of(kernel, CumSum), lowering.value(required(kernel, 0))
    axis = known(kernel, 1, "the axis")
    wanted(len(axis) == 1, RejectCode.ATTRIBUTE, "one axis", f"are {axis}")
    source = as_it_lies(lowering, x)
    place = lowering.small(np.array(x.order.index(normalized(axis[0], x.rank)), np.int32))
    flags = {"exclusive": int(primitive.exclusive), "reverse": int(primitive.reverse)}
    return Lowered(x.shape, x.dtype, x.order, lowering.emit("CumSum", [source, place], x.dtype, source.shape, **flags))


LOWERINGS = {
    "TopKFusion": lower_top_k,
    "ArgMaxFusion": lower_arg_max,
    "ArgMinFusion": lower_arg_max,
    "CumSum": lower_cum_sum,
}
