"""The operands that LSTM, GRU and RNN share: by direction, first states, layouts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....data_class import dataclass
from ....ir import Value
from ...rejection import Why
from ..builder import UNKNOWN
from ..conversion import OnnxNode
from ..types import type_id

_DIRECTIONS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}


@dataclass(frozen=True)
class Recurrent:
    """The operands of a recurrent node. G is the number of gates, D that of directions.

    Attributes:
        node: the node.
        x: (T, B, I).
        weight: (D, G * H, I).
        state_weight: (D, G * H, H).
        bias: (D, 2 * G * H), the input's before the state's; None: zeros.
        lengths: how many time steps each sequence has, (B,); None: all T.
        states: the first states, each (D, B, H); None: zeros.
        hidden: H.
        gates: G.
        backward: for each direction, whether it goes from the last time step to the first.
    """

    node: OnnxNode
    x: Value
    weight: Value
    state_weight: Value
    bias: Value | None
    lengths: Value | None
    states: Sequence[Value | None]
    hidden: int
    gates: int
    backward: Sequence[bool]

    def of_direction(self, value: Value, number: int) -> Value:
        """The part of an operand (D, ...) that belongs to one direction."""
        if value.data is not None:
            return self.node.builder.constant(f"{value.name}/{number}", value.data[number])
        place, first = (self.node.builder.small_constant(np.array(n, np.int32)) for n in (number, 0))
        return self.node.emit("Gather", value, place, first)

    def bias_halves(self, number: int) -> tuple[Value, Value] | None:
        """The input's bias and the state's of one direction, (G * H,) each."""
        if self.bias is None:
            return None
        both, size = self.of_direction(self.bias, number), self.gates * self.hidden
        if both.data is not None:
            builder = self.node.builder
            return builder.constant(f"{both.name}/input", both.data[:size]), builder.constant(
                f"{both.name}/state", both.data[size:]
            )
        first, second = self.node.emit_all("Split", 2, both, output_num=2, size_splits=[size, size], axis=0)
        return first, second

    def first_state(self, number: int) -> Value:
        """A first state (D, B, H) of all directions."""
        given = self.states[number]
        if given is not None:
            return given
        node, batch, directions = self.node, self.node.dims(self.x)[1], len(self.backward)
        if batch != UNKNOWN:
            zeros = np.zeros((directions, batch, self.hidden), node.dtype(self.x))
            return node.builder.constant(f"{node.name}/zeros", zeros)
        places = node.emit("Gather", node.emit("Shape", self.x), node.ints([1]), _scalar(node, 0))
        shape = node.emit(
            "Concat", node.ints([directions]), node.cast(places, "int32"), node.ints([self.hidden]), axis=0
        )
        return node.emit("ConstantOfShape", shape, data_type=type_id(node.dtype(self.x)), value=[0.0])


def operands(node: OnnxNode, gates: int, states: int) -> Recurrent:
    """The operands with time first.

    Raises:
        NotConvertible: a direction that is unknown, or as many weights as directions are not given.
    """
    direction = node.get("direction", "forward")
    node.reject_unless(direction in _DIRECTIONS, Why.ATTRIBUTE, f"direction {direction}")
    batch_first = bool(node.get("layout", 0))
    x = node.transpose(node.x(0), [1, 0, 2]) if batch_first else node.x(0)
    weight, state_weight = node.x(1), node.x(2)
    count, rows, hidden = node.dims(state_weight)
    node.reject_unless(hidden != UNKNOWN, Why.SHAPE, "the shape of the state's weight must be known")
    backward = _DIRECTIONS[direction]
    node.reject_unless(
        count == len(backward) and rows == gates * hidden,
        Why.SHAPE,
        f"the state's weight must be {[len(backward), gates * hidden, hidden]}, found {[count, rows, hidden]}",
    )
    first = [node.optional(5 + i) for i in range(states)]
    turned = [node.transpose(s, [1, 0, 2]) if s is not None and batch_first else s for s in first]
    lengths = _needed_lengths(node, x)
    return Recurrent(node, x, weight, state_weight, node.optional(3), lengths, turned, hidden, gates, backward)


def placed(node: OnnxNode, y: Value, states: Sequence[Value]) -> list[Value]:
    """y (T, D, B, H) and last states (D, B, H) in the layout that the node asks for."""
    if not node.get("layout", 0):
        return [y, *states]
    return [node.transpose(y, [2, 0, 1, 3]), *(node.transpose(s, [1, 0, 2]) for s in states)]


def _needed_lengths(node: OnnxNode, x: Value) -> Value | None:
    """The lengths of the sequences; None where all are known to be T."""
    lengths = node.optional(4)
    known = node.known(lengths)
    if known is not None and bool((known == node.dims(x)[0]).all()):
        return None
    return lengths


def _scalar(node: OnnxNode, number: int) -> Value:
    return node.builder.small_constant(np.array(number, np.int32))
