"""Plain recurrent networks, step by step: act(x W' + h R' + b). The last h is a variable of the model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ....basics.counted import counted
from ....basics.data_class import dataclass
from ....ir import DataType, Value
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from .activation import followed_node
from .steps import kept, merged, swapped
from .variable import assign

_MOST_STEPS = 256
"""Every step is a few nodes of its own."""


@dataclass(frozen=True, slots=True)
class _StepOperands:
    """The operands of a step.

    Attributes:
        name: of its nodes.
        weights: (H, I).
        recurrent: (H, H).
        bias: (H,).
        state: (B, H), a variable.
        activation: its number.
    """

    name: str
    weights: Value
    recurrent: Value
    bias: Value
    state: Value
    activation: int


def rnn(c: OperatorConversion) -> None:
    """Two FullConnection, AddFusion and the activation, which keep their state: constant float32 weights."""
    cell = _cell(c, "step", 1, c.option("RNNOptions")["fused_activation_function"])
    _check_input(c, 2)
    _step(c, cell, "", c.x(), cell.state, c.y())
    assign(c, cell.state, c.y())


def unidirectional_sequence_rnn(c: OperatorConversion) -> None:
    """The nodes of RNN for each step, 1 to 256 of them, whose number must be known."""
    options = c.option("SequenceRNNOptions")
    cell = _cell(c, "forward", 1, options["fused_activation_function"])
    steps = _steps(c, options["time_major"])
    _joined(c, _run(c, cell, steps), c.y(), time_major=options["time_major"])


def bidirectional_sequence_rnn(c: OperatorConversion) -> None:
    """UNIDIRECTIONAL_SEQUENCE_RNN twice, once of them backwards; no auxiliary inputs."""
    options = c.option("BidirectionalSequenceRNNOptions")
    for position in (9, 10, 11):
        c.reject_unless(c.optional(position) is None, Why.ATTRIBUTE, f"auxiliary inputs (input {position})")
    activation = options["fused_activation_function"]
    cells = _cell(c, "forward", 1, activation), _cell(c, "backward", 5, activation)
    steps = _steps(c, options["time_major"])
    given = [_run(c, cells[0], steps), _run(c, cells[1], steps[::-1])[::-1]]
    stacked = [_stacked(c, values, f"stacked-{i}") for i, values in enumerate(given)]
    merged(c, stacked, partial(_finished, c, time_major=options["time_major"]), options["merge_outputs"])


def _cell(c: OperatorConversion, name: str, first: int, activation: int) -> _StepOperands:
    weights, recurrent, bias = (c.x(first + i) for i in range(3))
    for value in (weights, recurrent, bias):
        plain = value.dtype == DataType.FLOAT32 and value.data is not None
        c.reject_unless(plain, Why.DTYPE, f"'{value.name}' must be a constant of FLOAT32, found {value}")
    return _StepOperands(name, weights, recurrent, bias, kept(c, first + 3, c.dim(recurrent, 0)), activation)


def _check_input(c: OperatorConversion, rank: int) -> None:
    c.reject_unless(c.x().dtype == DataType.FLOAT32, Why.DTYPE, f"the input must be FLOAT32, is {c.x().dtype.name}")
    c.reject_unless(
        c.rank(c.x()) == rank, Why.SHAPE, f"the input must have {counted(rank, 'dimension')}, found {c.x().shape}"
    )


def _steps(c: OperatorConversion, time_major: bool) -> list[Value]:
    """The input cut into its steps, (B, I) each."""
    _check_input(c, 3)
    x = c.x() if time_major else swapped(c, c.x(), "steps")
    count = c.dim(x, 0)
    c.reject_unless(
        0 < count <= _MOST_STEPS, Why.SHAPE, f"there must be 1 to {counted(_MOST_STEPS, 'step')}, found {count}"
    )
    steps = [Value(f"{c.operator.name}/x-{i}", x.dtype, (x.shape or ())[1:]) for i in range(count)]
    c.node("Unstack", [x], steps, axis=0)
    return steps


def _run(c: OperatorConversion, cell: _StepOperands, steps: Sequence[Value]) -> list[Value]:
    """Adds all steps, and the nodes that keep the last state; gives the results of the steps."""
    before, given = cell.state, []
    for i, x in enumerate(steps):
        y = c.between(cell.state, f"{cell.name}-{i}")
        _step(c, cell, f"-{i}", x, before, y)
        given.append(y)
        before = y
    assign(c, cell.state, before)
    return given


def _step(c: OperatorConversion, cell: _StepOperands, suffix: str, x: Value, before: Value, y: Value) -> None:
    fed, back = (c.between(cell.state, f"{cell.name}-{name}{suffix}") for name in ("fed", "back"))
    c.node("FullConnection", [x, cell.weights, cell.bias], fed, has_bias=True)
    c.node("FullConnection", [before, cell.recurrent], back, has_bias=False)
    followed_node(c, "AddFusion", [fed, back], y, cell.activation)


def _joined(c: OperatorConversion, given: Sequence[Value], y: Value, *, time_major: bool) -> None:
    c.node("Stack", given, y, axis=0 if time_major else 1)


def _stacked(c: OperatorConversion, given: Sequence[Value], suffix: str) -> Value:
    made = Value(f"{c.operator.name}/{suffix}", given[0].dtype, None)
    c.node("Stack", given, made, axis=0)
    return made


def _finished(c: OperatorConversion, x: Value, y: Value, *, time_major: bool) -> None:
    order = [0, 1, 2] if time_major else [1, 0, 2]
    c.node("Transpose", [x, c.constant(f"order-of-{y.name}", order)], y)


CONVERTERS: dict[str, Converter] = {
    "RNN": rnn,
    "UNIDIRECTIONAL_SEQUENCE_RNN": unidirectional_sequence_rnn,
    "BIDIRECTIONAL_SEQUENCE_RNN": bidirectional_sequence_rnn,
}
"""Converters of this file by the schema's names."""
