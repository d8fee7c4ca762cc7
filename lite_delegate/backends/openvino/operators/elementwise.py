"""Elementwise operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....delegate import RejectCode
from ....ir import from_numpy
from ...lowering import THROUGH, Attributes, NotLowered, Spec, Term
from .call import OperatorCall
from .operator import ALL, BOOLS, FLOATS, MOVED, NARROW, NUMBERS, OnnxOperator, Write
from .widening import widened

ENDING = frozenset({"Parameter", "Constant", "Convolution", "GroupConvolution", "MatMul", "FakeQuantize"})
"""Nodes with which what follows is fused, if at all."""
BITS = NARROW | {"int32"}
COMPARED = NUMBERS | BOOLS | NARROW


def _same(name: str) -> Write:
    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        return [getattr(opset16, name)(*call.inputs).output(0)]

    return write


def _of_two(name: str) -> Write:
    """An operator of two operands, broadcast.

    OpenVINO loses dimensions that only an operand of one element has where it fuses that with a FakeQuantize.
    """

    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        return [getattr(opset16, name)(*(_in_rank(call, position) for position in (0, 1))).output(0)]

    return write


def _in_rank(call: OperatorCall, position: int) -> Any:
    from openvino import opset16

    term, other = call.term(position), call.term(1 - position)
    more = len(call.shape) - len(term.shape)
    if not more or any(isinstance(dim, int) and dim > 1 for dim in other.shape) or max(other.shape) > 1:
        return term.handle
    return opset16.reshape(term.handle, call.positions((*[1] * more, *term.shape)), False).output(0)


def _in_rank_of_all(call: OperatorCall, position: int) -> Any:
    """An operand; with all dimensions of the result where others have them that are of one element."""
    from openvino import opset16

    term = call.term(position)
    more = len(call.shape) - len(term.shape)
    full = [each for each in call.operands if each is not None and len(each.shape) == len(call.shape)]
    if not more or any(max(each.shape) > 1 for each in full):
        return term.handle
    return opset16.reshape(term.handle, call.positions((*[1] * more, *term.shape)), False).output(0)


def _folded(name: str) -> Write:
    """An operator of two operands over any number of them."""

    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        first, *rest = (_in_rank_of_all(call, position) for position in range(len(call.operands)))
        for each in rest:
            first = getattr(opset16, name)(first, each).output(0)
        return [first]

    return write


def write_div(call: OperatorCall) -> list[Any]:
    """``a / b``, rounded once: OpenVINO would multiply by the rounded reciprocal of ``b``.

    It has to where ``a`` is fixed, one number or one for each channel: else it fuses that with what gives ``b``, as
    ``b / a``. The same goes for a fixed ``b`` and sums, means, extremes: fused with these, most quotients are 0.
    """
    from openvino import opset16

    node = opset16.divide(*call.inputs)
    few = [position for position in call.fixed if sum(size > 1 for size in call.term(position).shape) <= 1]
    if 0 not in few and not (1 in few and _is_reduced(call.inputs[0])):
        node.get_rt_info()["nonconvertable_divide_0"] = True
    return [node.output(0)]


def _is_reduced(handle: Any) -> bool:
    """Whether a tensor is reduced over axes, and nothing in between ends a fusion."""
    left, seen = [handle.get_node()], set()
    while left:
        node = left.pop()
        kind = node.get_type_name()
        if kind.startswith("Reduce"):
            return True
        if kind not in ENDING and node.get_name() not in seen:
            seen.add(node.get_name())
            left += [value.get_node() for value in node.input_values()]
    return False


def write_reciprocal(call: OperatorCall) -> list[Any]:
    """``1 / x``."""
    from openvino import opset16

    return [opset16.divide(call.scalar(1), call.inputs[0]).output(0)]


def write_abs(call: OperatorCall) -> list[Any]:
    """``abs(x)``; of one dimension ``max(x, -x)``.

    Of joined vectors OpenVINO takes it before they are joined, also for others who read them as they were.
    """
    from openvino import opset16

    x = call.inputs[0]
    if len(call.shape) != 1:
        return [opset16.abs(x).output(0)]
    return [opset16.maximum(x, opset16.negative(x).output(0)).output(0)]


def write_round(call: OperatorCall) -> list[Any]:
    """The nearest integer, halves to even ones."""
    from openvino import opset16

    return [opset16.round(call.inputs[0], "half_to_even").output(0)]


def write_clip(call: OperatorCall) -> list[Any]:
    """``min(max(x, low), high)``."""
    from openvino import opset16

    x, bounds = call.inputs[0], [call.term(i) if call.has(i) else None for i in (1, 2)]
    known = [None if bound is None else bound.constant for bound in bounds]
    if call.dtype.kind == "f" and all(bound is None or bound.constant is not None for bound in bounds):
        low = -np.inf if known[0] is None else float(known[0].item())
        high = np.inf if known[1] is None else float(known[1].item())
        return [opset16.clamp(x, low, high).output(0)]
    if bounds[0] is not None:
        x = opset16.maximum(x, bounds[0].handle).output(0)
    if bounds[1] is not None:
        x = opset16.minimum(x, bounds[1].handle).output(0)
    return [x]


def write_cast(call: OperatorCall) -> list[Any]:
    """Another element type. Every number but 0 is true, which not all are in OpenVINO's conversion.

    OpenVINO compares int64 by their low halves: as float32 they are 0 only where they are.
    """
    from openvino import Type, opset16

    x, given = call.inputs[0], call.term(0).dtype
    if call.dtype.kind != "b" or given.kind == "b":
        return [opset16.convert(x, Type(call.dtype)).output(0)]
    if given == np.int64:
        x, given = opset16.convert(x, Type.f32).output(0), np.dtype(np.float32)
    return [opset16.not_equal(x, np.array(0, given)).output(0)]


def check_cast(operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
    """Checks that OpenVINO, which computes int64 in int32, holds the numbers of a Cast to int64 and cuts off no digits.

    Raises:
        NotLowered: it is of a floating-point type, or goes through a type that has fewer digits.
    """
    (x,) = operands
    if THROUGH in attributes:
        raise NotLowered(RejectCode.ATTRIBUTE, "OpenVINO cuts digits off where elements are to be rounded to float8")
    if x is not None and x.dtype.kind == "f" and results[0][0] == np.int64:
        raise NotLowered(RejectCode.DTYPE, "OpenVINO casts integers to int64", f"is {x.dtype}", from_numpy(x.dtype))


def write_shift(call: OperatorCall) -> list[Any]:
    """Integers moved by bits."""
    return _of_two({"LEFT": "bitwise_left_shift", "RIGHT": "bitwise_right_shift"}[call.text("direction", "")])(call)


ERF_NEAR_0 = 0.5
ERF_SERIES = tuple(2 / math.pi**0.5 * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(6))
"""The Maclaurin series of erf; what is left out is below 1e-7 of it at 0.5."""


def write_erf(call: OperatorCall) -> list[Any]:
    """The error function, near 0 by its series: OpenVINO's is off by up to 4e-7, and gives 0 for small numbers."""
    from openvino import opset16

    x = call.inputs[0]
    square = opset16.multiply(x, x).output(0)
    *factors, series = (call.scalar(factor) for factor in ERF_SERIES)
    for factor in reversed(factors):
        series = opset16.add(opset16.multiply(square, series).output(0), factor).output(0)
    near = opset16.less(square, call.scalar(ERF_NEAR_0**2)).output(0)
    return [opset16.select(near, opset16.multiply(x, series).output(0), opset16.erf(x).output(0)).output(0)]


def write_identity(call: OperatorCall) -> list[Any]:
    """The operand itself."""
    return call.inputs


def _on_numbers(name: str) -> OnnxOperator:
    return widened(_same(name))


def _comparison(name: str, larger: int | None, *, negated: bool = False) -> OnnxOperator:
    """A comparison; as OpenVINO compares int32 as float32, there the difference of two of them is held against 0.

    Args:
        name: of the operator.
        larger: the position of the operand that is subtracted from the larger one of both; None: from the first.
        negated: whether the comparison holds where the difference is 0.
    """
    plain = _same(name)

    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        if call.term(0).dtype != np.int32:
            return plain(call)
        a, b = call.inputs
        minuend = a if larger is None else opset16.maximum(a, b).output(0)
        difference = opset16.subtract(minuend, call.inputs[1 if larger is None else larger]).output(0)
        other = opset16.not_equal(difference, np.zeros((), np.int32)).output(0)
        return [opset16.logical_not(other).output(0) if negated else other]

    return OnnxOperator(write, COMPARED, BOOLS)


CAST = NUMBERS | BOOLS | NARROW | {"int64"}
UNARY = {
    "Exp": "exp",
    "Sqrt": "sqrt",
    "Floor": "floor",
    "Ceil": "ceiling",
    "Log": "log",
    "Sin": "sin",
    "Cos": "cos",
    "Tan": "tan",
    "Asin": "asin",
    "Acos": "acos",
    "Atan": "atan",
    "Sinh": "sinh",
    "Cosh": "cosh",
    "Asinh": "asinh",
    "Acosh": "acosh",
    "Atanh": "atanh",
}
OPERATORS = {
    **{op: OnnxOperator(_same(name)) for op, name in UNARY.items()},
    "Erf": OnnxOperator(write_erf),
    "Abs": widened(write_abs),
    "Neg": _on_numbers("negative"),
    "Sign": _on_numbers("sign"),
    "Add": widened(_of_two("add")),
    "Sub": widened(_of_two("subtract")),
    "Mul": widened(_of_two("multiply")),
    "Div": OnnxOperator(write_div),
    "Pow": OnnxOperator(_same("power")),
    "Max": widened(_folded("maximum")),
    "Min": widened(_folded("minimum")),
    "Sum": widened(_folded("add")),
    "Equal": _comparison("equal", None, negated=True),
    "Greater": _comparison("greater", 1),
    "GreaterOrEqual": _comparison("greater_equal", 0, negated=True),
    "Less": _comparison("less", 0),
    "LessOrEqual": _comparison("less_equal", 1, negated=True),
    "BitwiseXor": OnnxOperator(_of_two("bitwise_xor"), BITS),
    "BitShift": OnnxOperator(write_shift, BITS),
    "And": OnnxOperator(_same("logical_and"), BOOLS),
    "Or": OnnxOperator(_same("logical_or"), BOOLS),
    "Xor": OnnxOperator(_same("logical_xor"), BOOLS),
    "Not": OnnxOperator(_same("logical_not"), BOOLS),
    "IsNaN": OnnxOperator(_same("is_nan"), FLOATS, BOOLS),
    "IsInf": OnnxOperator(_same("is_inf"), FLOATS, BOOLS),
    "Where": OnnxOperator(_same("select"), MOVED, None, {0: BOOLS}),
    "Reciprocal": OnnxOperator(write_reciprocal),
    "Round": OnnxOperator(write_round),
    "Clip": widened(write_clip),
    "Cast": OnnxOperator(write_cast, CAST, CAST, check=check_cast),
    "Identity": OnnxOperator(write_identity, ALL),
}
