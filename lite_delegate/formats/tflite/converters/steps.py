"""The common part of operators over sequences: their state, the order of dimensions, two directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....flatbuffer.problem import FormatProblem
from ....ir import DataType, Value
from ...rejection import Why
from ..conversion import OperatorConversion


def kept(c: OperatorConversion, position: int, size: int) -> Value:
    """The variable of shape (batch, size) that an operand is; zeros at first.

    Raises:
        NotConvertible: it is none, or one of another shape or of quantized numbers.
    """
    state = c.x(position)
    c.reject_unless(state in c.operator.tensors.variables, Why.ATTRIBUTE, f"'{state.name}' must be a variable")
    known = c.rank(state) == 2 and c.dim(state, 0) > 0 and c.dim(state, 1) == size
    c.reject_unless(known, Why.SHAPE, f"the state '{state.name}' must have shape (batch, {size}), has {state.shape}")
    plain = state.dtype == DataType.FLOAT32 and not state.is_constant
    c.reject_unless(plain, Why.ATTRIBUTE, f"the state '{state.name}' must be FLOAT32 and start from zeros")
    state.is_parameter = True
    return state


def swapped(c: OperatorConversion, x: Value, suffix: str) -> Value:
    """(B, T, I) as (T, B, I), or the reverse."""
    shape = x.shape or ()
    made = Value(f"{c.operator.name}/{suffix}", x.dtype, (shape[1], shape[0], *shape[2:]) if len(shape) > 1 else None)
    c.node("Transpose", [x, c.constant(f"{suffix}-order", [1, 0, 2])], made)
    return made


def merged(c: OperatorConversion, given: Sequence[Value], finish: Callable[[Value, Value], None], merge: bool) -> None:
    """Adds the operator's outputs, made from those of two directions: two outputs, or one with both side by side."""
    if not merge:
        for position, value in enumerate(given):
            finish(value, c.y(position))
        return
    if len(c.operator.outputs) != 1:
        raise FormatProblem(f"expected one output for both directions, found {len(c.operator.outputs)}", "outputs")
    parts = [c.between(c.y(), f"direction-{i}", same_shape=False) for i in range(len(given))]
    for value, part in zip(given, parts, strict=True):
        finish(value, part)
    c.node("Concat", parts, c.y(), axis=-1)
