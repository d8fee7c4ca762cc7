"""Operators on each element by itself: unary and binary arithmetic, comparisons, logic, types."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir import to_numpy
from ....ir.primitives import AddFusion, Clip, DivFusion, Eltwise, ExpFusion, MulFusion, PowFusion, SubFusion
from ....semantics.operands import operand, primitive_of, required
from ....tensors.tensor import Tensor
from ..lowering import Lowering, wanted
from ..term import Axes, Dtype, Lowered, Shape, Term, identity
from .common_order import common_order
from .fused import clipped, fused
from .results import given_dtype, like

MOST_FACTORS = 64
UNARY = {
    "Abs": "Abs",
    "Neg": "Neg",
    "Sqrt": "Sqrt",
    "Floor": "Floor",
    "Ceil": "Ceil",
    "Round": "Round",
    "Erf": "Erf",
    "Log": "Log",
    "Sin": "Sin",
    "Cos": "Cos",
    "Reciprocal": "Reciprocal",
}
"""Operators of ours and of ONNX that are the same."""
BINARY = {
    "AddFusion": "Add",
    "SubFusion": "Sub",
    "MulFusion": "Mul",
    "DivFusion": "Div",
    "RealDiv": "Div",
    "Maximum": "Max",
    "Minimum": "Min",
    "Equal": "Equal",
    "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual",
    "Less": "Less",
    "LessEqual": "LessOrEqual",
}
LOGICAL = {"LogicalAnd": "And", "LogicalOr": "Or", "LogicalNot": "Not"}
BOOL = np.dtype(bool)
ACTIVATED = (AddFusion, SubFusion, MulFusion, DivFusion)


def lower_unary(kernel: Kernel, lowering: Lowering) -> Lowered:
    """One operator of one operand."""
    x = lowering.value(required(kernel, 0))
    return like(x, unary(lowering, UNARY[kernel.type], as_it_lies(lowering, x)))


def lower_rsqrt(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``1 / sqrt(x)``."""
    x = lowering.value(required(kernel, 0))
    return like(x, unary(lowering, "Reciprocal", unary(lowering, "Sqrt", as_it_lies(lowering, x))))


def lower_square(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x * x``."""
    x = lowering.value(required(kernel, 0))
    term = as_it_lies(lowering, x)
    return like(x, lowering.emit("Mul", [term, term], term.dtype, term.shape))


def lower_exp_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``base ** (scale * x + shift)``; base -1 is e."""
    primitive, x = primitive_of(kernel, ExpFusion), lowering.value(required(kernel, 0))
    term = as_it_lies(lowering, x)
    factor = 1.0 if primitive.base == -1.0 else float(np.log(primitive.base))
    wanted(np.isfinite(factor), RejectCode.ATTRIBUTE, "base must be -1 or positive", f"is {primitive.base}")
    return like(x, unary(lowering, "Exp", affine(lowering, term, primitive.scale * factor, primitive.shift * factor)))


def lower_pow_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``(scale * x + shift) ** y``; of integers by products, which wrap around."""
    primitive = primitive_of(kernel, PowFusion)
    x, y = (lowering.value(required(kernel, position)) for position in (0, 1))
    if x.dtype.kind != "f":
        return _whole_power(lowering, x, y)
    (first, second), order, shape = together(lowering, (x, y))
    second = cast(lowering, second, x.dtype)
    power = lowering.emit(
        "Pow",
        [affine(lowering, first, primitive.scale, primitive.shift), second],
        x.dtype,
        physical_shape(shape, order),
    )
    return Lowered(shape, x.dtype, order, power)


def _whole_power(lowering: Lowering, x: Lowered, y: Lowered) -> Lowered:
    exponent = None if y.constant is None or y.constant.size != 1 else int(y.constant.item())
    wanted(exponent is not None, RejectCode.NOT_CONSTANT, "integers are raised to one constant power")
    assert exponent is not None
    fits = y.rank <= x.rank and 0 < exponent <= MOST_FACTORS
    wanted(fits, RejectCode.ATTRIBUTE, f"integers are raised to powers of 1 to {MOST_FACTORS}", f"is {exponent}")
    square, power = as_it_lies(lowering, x), None
    while exponent:
        if exponent % 2:
            power = square if power is None else lowering.emit("Mul", [power, square], x.dtype, square.shape)
        exponent //= 2
        square = lowering.emit("Mul", [square, square], x.dtype, square.shape) if exponent else square
    assert power is not None
    return like(x, power)


def lower_logical(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Logic on bools; a number is true where it is not 0, and the result is 0 or 1 of its type."""
    values = [lowering.value(tensor) for tensor in kernel.inputs]
    terms, order, shape = together(lowering, values)
    truths = [cast(lowering, term, BOOL) for term in terms]
    y = lowering.emit(LOGICAL[kernel.type], truths, BOOL, physical_shape(shape, order))
    return Lowered(shape, values[0].dtype, order, cast(lowering, y, values[0].dtype))


def lower_division(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The quotient. Integers are divided by constants alone, because processors stop at some divisors."""
    check_divisor(required(kernel, 1))
    return lower_binary(kernel, lowering)


def check_divisor(divisor: Tensor) -> None:
    """Rejects divisions of integers by unknown numbers, by 0 and by -1: a processor may stop there."""
    if to_numpy(divisor.dtype).kind == "f":
        return
    wanted(divisor.is_const, RejectCode.NOT_CONSTANT, "integers are divided by constants")
    sound = not np.isin(np.asarray(divisor.data).astype(np.int64), (0, -1)).any()
    wanted(sound, RejectCode.ATTRIBUTE, "integers must have divisors other than 0 and -1")


def lower_binary(kernel: Kernel, lowering: Lowering) -> Lowered:
    """One operator of two operands, broadcast."""
    values = [lowering.value(required(kernel, position)) for position in (0, 1)]
    terms, order, shape = together(lowering, values)
    y = lowering.emit(BINARY[kernel.type], terms, given_dtype(kernel), physical_shape(shape, order))
    if isinstance(kernel.primitive, ACTIVATED):
        activated = fused(lowering, y, kernel.primitive.activation_type)
        may_be_nan = kernel.type == "DivFusion" and y.dtype.kind == "f" and _has_0(values[1])
        y = where_a_number(lowering, y, activated) if may_be_nan and activated is not y else activated
    return Lowered(shape, y.dtype, order, y)


def _has_0(divisor: Lowered) -> bool:
    return divisor.constant is None or not divisor.constant.all()


def where_a_number(lowering: Lowering, y: Term, activated: Term) -> Term:
    """Keeps a NaN that comes from finite numbers, such as 0 / 0: runtimes' later operators would make numbers of it."""
    strange = lowering.emit("IsNaN", [y], BOOL, y.shape)
    return lowering.emit("Where", [strange, y, activated], y.dtype, y.shape)


def lower_not_equal(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``not (a == b)``."""
    values = [lowering.value(required(kernel, position)) for position in (0, 1)]
    terms, order, shape = together(lowering, values)
    equal = lowering.emit("Equal", terms, np.dtype(bool), physical_shape(shape, order))
    return Lowered(shape, equal.dtype, order, unary(lowering, "Not", equal))


def lower_squared_difference(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``(a - b) * (a - b)``."""
    values = [lowering.value(required(kernel, position)) for position in (0, 1)]
    terms, order, shape = together(lowering, values)
    difference = lowering.emit("Sub", terms, terms[0].dtype, physical_shape(shape, order))
    y = lowering.emit("Mul", [difference, difference], difference.dtype, difference.shape)
    return Lowered(shape, y.dtype, order, y)


def lower_clip(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x`` between two bounds, attributes or constants."""
    primitive, x = primitive_of(kernel, Clip), lowering.value(required(kernel, 0))
    bounds: list[float | int] = []
    for position, otherwise in ((1, primitive.min), (2, primitive.max)):
        given = operand(kernel, position)
        wanted(given is None or given.is_const, RejectCode.NOT_CONSTANT, "bounds must be constant")
        bounds.append(otherwise if given is None else given.data.item())
    low, high = bounds
    wanted(low < high, RejectCode.ATTRIBUTE, "the lower bound must be below the upper one", f"are {low} and {high}")
    return like(x, clipped(lowering, as_it_lies(lowering, x), low, high))


def lower_cast(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Another element type."""
    x, dtype = lowering.value(required(kernel, 0)), given_dtype(kernel)
    return like(x, cast(lowering, as_it_lies(lowering, x), dtype))


def lower_log1p(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``log(1 + x)``, near 0 by the error that the sum makes.

    Higham, "Accuracy and Stability of Numerical Algorithms" (2002), section 1.14.1.
    """
    value = lowering.value(required(kernel, 0))
    own = as_it_lies(lowering, value)
    x = cast(lowering, own, np.dtype(np.float32) if own.dtype == np.float16 else own.dtype)
    one = lowering.scalar(1, x.dtype)
    total = lowering.emit("Add", [x, one], x.dtype, x.shape)
    back = lowering.emit("Sub", [total, one], x.dtype, x.shape)
    log = unary(lowering, "Log", total)
    ratio = lowering.emit("Div", [x, back], x.dtype, x.shape)
    mended = lowering.emit("Mul", [log, ratio], x.dtype, x.shape)
    exact = lowering.emit("Equal", [back, x], BOOL, x.shape)
    y = lowering.emit("Where", [exact, log, mended], x.dtype, x.shape)
    tiny = lowering.emit("Equal", [total, one], BOOL, x.shape)
    return like(value, cast(lowering, lowering.emit("Where", [tiny, x, y], x.dtype, x.shape), own.dtype))


def lower_is_finite(kernel: Kernel, lowering: Lowering) -> Lowered:
    """True where ``x - x`` is 0, which it is for no infinity and no NaN."""
    value = lowering.value(required(kernel, 0))
    x = as_it_lies(lowering, value)
    nothing = lowering.emit("Sub", [x, x], x.dtype, x.shape)
    return like(value, lowering.emit("Equal", [nothing, lowering.scalar(0, x.dtype)], BOOL, x.shape))


def lower_add_n(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The sum of all operands; of halves in float32."""
    values = [lowering.value(tensor) for tensor in kernel.inputs]
    terms, order, shape = together(lowering, values)
    own = values[0].dtype
    wide = np.dtype(np.float32) if own == np.float16 else own
    total, *others = (cast(lowering, term, wide) for term in terms)
    for term in others:
        total = lowering.emit("Add", [total, term], wide, total.shape)
    return Lowered(shape, own, order, cast(lowering, total, own))


def lower_select(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """Each of the first half of the operands or its partner of the second, by one bool or one for each element."""
    condition, *sides = (lowering.value(tensor) for tensor in kernel.inputs)
    return [
        _chosen(lowering, condition, *pair)
        for pair in zip(sides[: len(sides) // 2], sides[len(sides) // 2 :], strict=True)
    ]


def _chosen(lowering: Lowering, condition: Lowered, yes: Lowered, no: Lowered) -> Lowered:
    single = math.prod(condition.shape) == 1
    fits = yes.shape == no.shape and (single or math.prod(condition.shape) == math.prod(yes.shape))
    wanted(fits, RejectCode.SHAPE, "sides of one shape, and a bool for each element")
    shape = () if single else yes.shape
    flags = lowering.in_order(condition)
    if flags.shape != shape:
        flags = lowering.emit("Reshape", [flags, lowering.ints(shape)], flags.dtype, shape)
    operands = [cast(lowering, flags, BOOL), lowering.in_order(yes), lowering.in_order(no)]
    return Lowered(yes.shape, yes.dtype, identity(yes.rank), lowering.emit("Where", operands, yes.dtype, yes.shape))


def lower_where(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Elements of the second operand where the first is true, else of the third."""
    wanted(len(kernel.operands) == 3, RejectCode.OPERATOR, "Where takes three inputs", f"has {len(kernel.operands)}")
    values = [lowering.value(required(kernel, position)) for position in range(3)]
    (condition, *sides), order, shape = together(lowering, values)
    terms = [cast(lowering, condition, BOOL), *sides]
    y = lowering.emit("Where", terms, values[1].dtype, physical_shape(shape, order))
    return Lowered(shape, y.dtype, order, y)


def lower_eltwise(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A product, sum or maximum by the attribute ``mode``."""
    ops = {"PROD": "Mul", "SUM": "Add", "MAXIMUM": "Max"}
    mode = primitive_of(kernel, Eltwise).mode.name
    wanted(mode in ops, RejectCode.ATTRIBUTE, f"mode must be one of {', '.join(ops)}", f"is {mode}")
    values = [lowering.value(required(kernel, position)) for position in (0, 1)]
    terms, order, shape = together(lowering, values)
    return Lowered(
        shape, values[0].dtype, order, lowering.emit(ops[mode], terms, values[0].dtype, physical_shape(shape, order))
    )


def unary(lowering: Lowering, op: str, term: Term) -> Term:
    """An operator that keeps element type and shape."""
    return lowering.emit(op, [term], term.dtype, term.shape)


def cast(lowering: Lowering, term: Term, dtype: Dtype) -> Term:
    """A term of another element type."""
    return term if term.dtype == dtype else lowering.emit("Cast", [term], dtype, term.shape)


def affine(lowering: Lowering, term: Term, scale: float, shift: float) -> Term:
    """``scale * term + shift``, without the parts that change nothing."""
    if scale != 1.0:
        term = lowering.emit("Mul", [term, lowering.scalar(scale, term.dtype)], term.dtype, term.shape)
    if shift != 0.0:
        term = lowering.emit("Add", [term, lowering.scalar(shift, term.dtype)], term.dtype, term.shape)
    return term


def as_it_lies(lowering: Lowering, value: Lowered) -> Term:
    """A tensor in the order that it is in, for operators that do not care."""
    return lowering.in_order(value, value.order)


def together(lowering: Lowering, values: Sequence[Lowered]) -> tuple[list[Term], Axes, Shape]:
    """Operands that are broadcast, in one order of axes: terms, that order, and the shape in the model's.

    Operands of lower rank get leading axes of 1 where that order is not the model's. Dimensions of a single operand may
    be unknown.
    """
    shape = values[0].shape if len(values) == 1 else np.broadcast_shapes(*(value.shape for value in values))
    order = common_order(values, len(shape))
    return [_in_common_order(lowering, value, order) for value in values], order, shape


def _in_common_order(lowering: Lowering, value: Lowered, order: Axes) -> Term:
    if value.rank == len(order):
        return lowering.in_order(value, order)
    if order == identity(len(order)) or not value.shape:
        return lowering.in_order(value)
    shape = (1,) * (len(order) - value.rank) + value.shape
    if value.constant is not None:
        return lowering.array(np.ascontiguousarray(value.constant.reshape(shape).transpose(order)))
    wide = lowering.emit("Reshape", [lowering.in_order(value), lowering.ints(shape)], value.dtype, shape)
    return lowering.in_order(Lowered(shape, value.dtype, identity(len(shape)), wide), order)


def physical_shape(shape: Shape, order: Axes) -> Shape:
    """A shape's dimensions in an order of axes."""
    return tuple(shape[axis] for axis in order)


LOWERINGS = {
    **dict.fromkeys(UNARY, lower_unary),
    **dict.fromkeys(BINARY, lower_binary),
    **dict.fromkeys(("DivFusion", "RealDiv"), lower_division),
    **dict.fromkeys(LOGICAL, lower_logical),
    "Rsqrt": lower_rsqrt,
    "Square": lower_square,
    "ExpFusion": lower_exp_fusion,
    "PowFusion": lower_pow_fusion,
    "NotEqual": lower_not_equal,
    "SquaredDifference": lower_squared_difference,
    "Clip": lower_clip,
    "Cast": lower_cast,
    "Where": lower_where,
    "Eltwise": lower_eltwise,
    "Log1p": lower_log1p,
    "IsFinite": lower_is_finite,
    "AddN": lower_add_n,
    "Select": lower_select,
}
