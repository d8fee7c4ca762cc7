"""One time step of LSTM, GRU and RNN from plain operators, for what their kernels do not do.

Formulas as ONNX states them. ``x`` is what the input contributes to all gates, (B, G * H), with its bias.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....data_class import dataclass
from ....ir import Value
from ..conversion import OnnxNode
from .activations import GateActivation


@dataclass(frozen=True)
class CellWeights:
    """The weights of one direction's cell, as values of the subgraph.

    Attributes:
        state: (G * H, H).
        bias: the state's, (G * H,), or None.
        peephole: (3 * H,), for LSTM, or None.
    """

    state: Value
    bias: Value | None
    peephole: Value | None


@dataclass(frozen=True)
class CellOptions:
    """The choices that a cell computes by.

    Attributes:
        activations: of one direction.
        clip: what goes into activations stays within plus and minus this; 0: no limit.
        input_forget: LSTM: the forget gate is 1 minus the input gate.
        reset_after: GRU: the reset gate acts behind the matrix product.
        hidden: H.
    """

    activations: Sequence[GateActivation]
    clip: float
    input_forget: bool
    reset_after: bool
    hidden: int

    def activate(self, node: OnnxNode, number: int, x: Value) -> Value:
        """Activation ``number`` of ``x``, which is clipped first."""
        inside = node.emit("Clip", x, min=-self.clip, max=self.clip) if self.clip > 0 else x
        return self.activations[number].apply(node, inside)


Cell = Callable[[OnnxNode, CellOptions, CellWeights, Value, Sequence[Value]], list[Value]]
"""Node, options, weights, x and the states (B, H) to the next states; the first is what the step gives."""


def rnn_cell(
    node: OnnxNode, options: CellOptions, weights: CellWeights, x: Value, states: Sequence[Value]
) -> list[Value]:
    """``H' = f(x + R H + rb)``."""
    product = _product(node, states[0], weights.state, weights.bias)
    return [options.activate(node, 0, node.emit("AddFusion", x, product))]


def gru_cell(
    node: OnnxNode, options: CellOptions, weights: CellWeights, x: Value, states: Sequence[Value]
) -> list[Value]:
    """``z, r = f(...)``, ``h = g(x + R (r * H) + rb)`` or ``g(x + r * (R H + rb))``, ``H' = (1 - z) * h + z * H``."""
    h, n = states[0], options.hidden
    both_x, candidate_x = _cut(node, x, [2 * n, n])
    both_weight, last_weight = _cut(node, weights.state, [2 * n, n], axis=0)
    both_bias, last_bias = (None, None) if weights.bias is None else _cut(node, weights.bias, [2 * n, n], axis=0)
    both = node.emit("AddFusion", both_x, _product(node, h, both_weight, both_bias))
    z, r = _cut(node, options.activate(node, 0, both), [n, n])
    if options.reset_after:
        product = node.emit("MulFusion", r, _product(node, h, last_weight, last_bias))
    else:
        product = _product(node, node.emit("MulFusion", r, h), last_weight, last_bias)
    candidate = options.activate(node, 1, node.emit("AddFusion", candidate_x, product))
    # (1 - z) * h + z * H = h + z * (H - h).
    change = node.emit("MulFusion", z, node.emit("SubFusion", h, candidate))
    return [node.emit("AddFusion", candidate, change)]


def lstm_cell(
    node: OnnxNode, options: CellOptions, weights: CellWeights, x: Value, states: Sequence[Value]
) -> list[Value]:
    """``i, f = f(... + P * C)``, ``C' = f * C + i * g(...)``, ``o = f(... + P * C')``, ``H' = o * h(C')``.

    NOTE: as in ONNX Runtime, the cell state is not clipped before ``h``.
    """
    (h, c), n = states, options.hidden
    product = _product(node, h, weights.state, weights.bias)
    i, o, f, g = _cut(node, node.emit("AddFusion", x, product), [n] * 4)
    peepholes = [None] * 3 if weights.peephole is None else _cut(node, weights.peephole, [n] * 3, axis=0)
    i = options.activate(node, 0, _peeped(node, i, peepholes[0], c))
    if options.input_forget:
        f = node.emit("SubFusion", node.scalar(1, i), i)
    else:
        f = options.activate(node, 0, _peeped(node, f, peepholes[2], c))
    kept, added = node.emit("MulFusion", f, c), node.emit("MulFusion", i, options.activate(node, 1, g))
    new_c = node.emit("AddFusion", kept, added)
    o = options.activate(node, 0, _peeped(node, o, peepholes[1], new_c))
    return [node.emit("MulFusion", o, options.activations[2].apply(node, new_c)), new_c]


def _peeped(node: OnnxNode, gate: Value, peephole: Value | None, c: Value) -> Value:
    return gate if peephole is None else node.emit("AddFusion", gate, node.emit("MulFusion", peephole, c))


def _product(node: OnnxNode, h: Value, weight: Value, bias: Value | None) -> Value:
    """``h @ weight.T + bias``."""
    return node.emit("MatMulFusion", h, weight, bias, transpose_b=True)


def _cut(node: OnnxNode, x: Value, sizes: list[int], axis: int = -1) -> list[Value]:
    return node.emit_all("Split", len(sizes), x, output_num=len(sizes), size_splits=sizes, axis=axis)
