"""Dynamic quantization: integers whose scale is computed when the model runs, and products of such integers."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from ....basics.counted import counted
from ....delegate import Kernel, RejectCode
from ....semantics.operands import required
from ..lowering import Lowering, wanted
from ..term import Dtype, Lowered, Shape, Term
from .onnx_operators import operands_of, windows_of
from .results import as_model, given_shape

BYTE, INT32, SINGLE = (np.dtype(name) for name in ("uint8", "int32", "float32"))
EXACT = (1 << 24) // (255 * 255)
"""Terms of a sum of products of 8-bit integers that float32 holds exactly, in whatever order they are added."""
LAST = 255.0


def lower_dynamic_quantize(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """Integers, their scale and zero point: by the operator, or by its definition."""
    (x,) = (lowering.in_order(lowering.value(tensor)) for tensor in kernel.inputs)
    specs = [(BYTE, x.shape), (SINGLE, ()), (BYTE, ())]
    if lowering.can("DynamicQuantizeLinear", [x], specs):
        return [as_model(term) for term in lowering.emit_several("DynamicQuantizeLinear", [x], specs)]
    return [as_model(term) for term in _defined(lowering, x)]


def lower_mat_mul_integer(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Sums of products of 8-bit integers: by the operator where it is exact, or by exact parts in float32.

    Processors without instructions for it multiply uint8 by int8 in 16 bits, which overflow, and ONNX Runtime makes
    uint8 of constants alone.
    """
    (a, b), (a_point, b_point) = _integers_and_points(kernel, lowering)
    shape = given_shape(kernel)
    is_fixed = b.constant is not None and (b_point is None or b_point.constant is not None)
    is_one = a_point is None or a_point.shape in ((), (1,))
    operands, spec = [a, b, a_point, b_point], (INT32, shape)
    if is_one and (is_fixed or b.dtype == BYTE) and lowering.can("MatMulInteger", operands, [spec]):
        return as_model(lowering.emit("MatMulInteger", operands, *spec))
    wanted(len(a.shape) > 1 < len(b.shape), RejectCode.RANK, "products of matrices", f"{a.shape} by {b.shape}")
    column = None if a_point is None or is_one else _column(lowering, a_point)
    left, right = _centered(lowering, a, column or a_point), _centered(lowering, b, b_point)
    return as_model(_summed(lowering, left, right, shape))


def lower_conv_integer(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A convolution of 8-bit integers: by the operator where that is exact, or by exact parts in float32."""
    (x, weight), (x_point, w_point) = _integers_and_points(kernel, lowering)
    attributes, shape = windows_of(kernel), given_shape(kernel)
    operands, spec = [x, weight, x_point, w_point], (INT32, shape)
    is_fixed = weight.constant is not None and (w_point is None or w_point.constant is not None)
    is_one = w_point is None or w_point.shape in ((), (1,))
    if is_one and (is_fixed or weight.dtype == BYTE) and lowering.can("ConvInteger", operands, [spec], **attributes):
        return as_model(lowering.emit("ConvInteger", operands, INT32, shape, **attributes))
    rank = len(x.shape)
    spread = None if w_point is None or is_one else _reshaped(lowering, w_point, (*w_point.shape, *(1,) * (rank - 1)))
    left, right = _centered(lowering, x, x_point), _centered(lowering, weight, spread or w_point)
    terms = math.prod(weight.shape[2:])
    wanted(terms <= EXACT, RejectCode.SHAPE, f"windows of {EXACT} places at most", f"has {terms}")
    step = EXACT // terms
    whole = step >= weight.shape[1] or attributes["group"] == 1
    wanted(whole, RejectCode.SHAPE, "groups whose sums float32 holds", f"are of {counted(weight.shape[1], 'channel')}")
    total: Term | None = None
    for first, end in pairwise([*range(0, weight.shape[1], step), weight.shape[1]]):
        is_all = end - first == weight.shape[1]
        parts = [left if is_all else _part(lowering, left, 1, first, end), _part(lowering, right, 1, first, end)]
        made = lowering.emit("Conv", parts, SINGLE, shape, **attributes)
        total = _added(lowering, total, made, shape)
    assert total is not None
    return as_model(total)


def _integers_and_points(kernel: Kernel, lowering: Lowering) -> tuple[list[Term], list[Term | None]]:
    """The two operands, and the zero point of each, which may be absent."""
    points = [*operands_of(kernel)[2:], None, None][:2]
    integers = [lowering.in_order(lowering.value(required(kernel, place))) for place in range(2)]
    return integers, [None if each is None else lowering.in_order(lowering.value(each)) for each in points]


def _column(lowering: Lowering, points: Term) -> Term:
    """A zero point for each row, (M, 1)."""
    return points if len(points.shape) > 1 else _reshaped(lowering, points, (*points.shape, 1))


def _reshaped(lowering: Lowering, x: Term, shape: Shape) -> Term:
    if x.constant is not None:
        return lowering.array(x.constant.reshape(shape))
    return lowering.emit("Reshape", [x, lowering.ints(shape)], x.dtype, shape)


def _centered(lowering: Lowering, x: Term, point: Term | None) -> Term:
    """``x - point`` in float32, which holds it exactly."""
    if x.constant is not None and (point is None or point.constant is not None):
        less = 0 if point is None or point.constant is None else point.constant.astype(np.float32)
        return lowering.array(np.asarray(x.constant.astype(np.float32) - less))
    wide = lowering.emit("Cast", [x], SINGLE, x.shape)
    if point is None:
        return wide
    return lowering.emit("Sub", [wide, lowering.emit("Cast", [point], SINGLE, point.shape)], SINGLE, x.shape)


def _summed(lowering: Lowering, left: Term, right: Term, shape: Shape) -> Term:
    """Products of parts of the rows and columns, each of which is exact, added in int32."""
    count = left.shape[-1]
    places = [*range(0, count, EXACT), count]
    total: Term | None = None
    for first, end in pairwise(places):
        parts = [_part(lowering, left, -1, first, end), _part(lowering, right, -2, first, end)]
        total = _added(lowering, total, lowering.emit("MatMul", parts, SINGLE, shape), shape)
    assert total is not None
    return total


def _added(lowering: Lowering, total: Term | None, made: Term, shape: Shape) -> Term:
    """A sum in int32 with one more part added."""
    whole = lowering.emit("Cast", [made], INT32, shape)
    return whole if total is None else lowering.emit("Add", [total, whole], INT32, shape)


def _part(lowering: Lowering, x: Term, axis: int, first: int, end: int) -> Term:
    if (first, end) == (0, x.shape[axis]):
        return x
    place = axis % len(x.shape)
    if x.constant is not None:
        return lowering.array(np.ascontiguousarray(x.constant.take(range(first, end), place)))
    shape = tuple(end - first if i == place else n for i, n in enumerate(x.shape))
    return lowering.emit("Slice", [x, *(lowering.ints([n]) for n in (first, end, place, 1))], x.dtype, shape)


def _defined(lowering: Lowering, x: Term) -> list[Term]:
    """``scale = (max - min) / 255``, ``zero_point = round(-min / scale)``, ``round(x / scale) + zero_point``."""
    zero, last = lowering.scalar(0.0, SINGLE), lowering.scalar(LAST, SINGLE)

    def of(op: str, *operands: Term, shape: Shape = (), dtype: Dtype = SINGLE) -> Term:
        return lowering.emit(op, list(operands), dtype, shape)

    axes = lowering.ints(range(len(x.shape)))
    ends = [lowering.emit(op, [x, axes], SINGLE, (), keepdims=0) for op in ("ReduceMin", "ReduceMax")]
    low, high = of("Min", ends[0], zero), of("Max", ends[1], zero)
    spread = of("Sub", high, low)
    flat = lowering.emit("Equal", [spread, zero], np.dtype(np.bool_), ())
    scale = of("Where", flat, lowering.scalar(1.0, SINGLE), of("Div", spread, last))
    point = of("Round", of("Clip", of("Div", of("Sub", zero, low), scale), zero, last))
    whole = of("Add", of("Round", of("Div", x, scale, shape=x.shape), shape=x.shape), point, shape=x.shape)
    inside = of("Clip", whole, zero, last, shape=x.shape)
    return [of("Cast", inside, shape=x.shape, dtype=BYTE), scale, of("Cast", point, dtype=BYTE)]


LOWERINGS = {
    "ai.onnx.ConvInteger": lower_conv_integer,
    "ai.onnx.DynamicQuantizeLinear": lower_dynamic_quantize,
    "ai.onnx.MatMulInteger": lower_mat_mul_integer,
}
