"""The LSTM of MindIR: several layers, whose weights are one array."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import Kernel, RejectCode
from ....ir.primitives import LSTM
from ....semantics.operands import primitive_of, required
from ....tensors.tensor import Array
from ..lowering import Lowering, wanted
from ..term import Term

TO_ONNX = (0, 3, 1, 2)
"""The places of ONNX's gates i, o, f, c among the gates of the array, i, f, c, o."""
PACKED_INPUTS = 4


@dataclass(frozen=True)
class LstmLayer:
    """The weights of one layer, gates in ONNX's order.

    Attributes:
        weight: (D, 4H, I), of the input.
        state_weight: (D, 4H, P), where P is H without a projection.
        bias: (D, 8H).
        projection: (D, P, H), None for none.
    """

    weight: Array
    state_weight: Array
    bias: Array
    projection: Array | None = None


def is_packed(kernel: Kernel) -> bool:
    """Whether the weights of an LSTM are one array."""
    return len(kernel.inputs) == PACKED_INPUTS


def layers_of(kernel: Kernel) -> list[LstmLayer]:
    """The layers of an LSTM.

    Raises:
        NotLowered: the array is not constant.
    """
    primitive = primitive_of(kernel, LSTM)
    packed = required(kernel, 3)
    wanted(packed.is_const, RejectCode.NOT_CONSTANT, "weights must be constant")
    directions, hidden = 2 if primitive.bidirectional else 1, required(kernel, 2).shape[2]
    size, projected = required(kernel, 1).shape[2], primitive.proj_size > 0
    features = [required(kernel, 0).shape[2], *[directions * size] * (max(primitive.num_layers, 1) - 1)]
    return list(_layers(packed.data.reshape(-1), features, directions, (size, hidden), projected))


def _layers(
    packed: Array, features: Sequence[int], directions: int, sizes: tuple[int, int], projected: bool
) -> Iterator[LstmLayer]:
    """The layers of a packed array: with no or one bias all input weights come first, then all state weights; with two
    biases the weights come in pairs.

    Projections and then biases follow the weights. ``sizes`` are the sizes of the hidden and of the cell state.
    """
    size, hidden = sizes
    rows, parts = 4 * hidden, [count for count in features for _ in range(directions)]
    weights = sum(rows * (count + size) for count in parts)
    ends = weights + len(parts) * size * hidden * projected
    biases = (packed.size - ends) // (rows * len(parts))
    of_input, of_state = [(rows, count) for count in parts], [(rows, size)] * len(parts)
    if biases > 1:
        pairs = _taken(packed, [shape for pair in zip(of_input, of_state, strict=True) for shape in pair])
        inputs, states = pairs[::2], pairs[1::2]
    else:
        both = _taken(packed, [*of_input, *of_state])
        inputs, states = both[: len(parts)], both[len(parts) :]
    projections = packed[weights:ends].reshape(-1, size, hidden)
    bias = packed[ends:].reshape(len(parts), biases, rows).sum(1, dtype=packed.dtype)
    none = np.zeros_like(bias)
    for first in range(0, len(parts), directions):
        own = slice(first, first + directions)
        yield LstmLayer(
            np.stack([_gates(each) for each in inputs[own]]),
            np.stack([_gates(each) for each in states[own]]),
            np.concatenate([np.stack([_gates(each) for each in bias[own]]), none[own]], 1),
            projections[own] if projected else None,
        )


def _taken(flat: Array, shapes: Sequence[tuple[int, int]]) -> list[Array]:
    """One array after the other."""
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    parts = np.split(flat[: ends[-1]], ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _gates(rows: Array) -> Array:
    blocks = rows.reshape(4, rows.shape[0] // 4, *rows.shape[1:])
    return blocks[list(TO_ONNX)].reshape(rows.shape)


def part_of(lowering: Lowering, states: Term, first: int, count: int) -> Term:
    """The states (count, B, H) of one layer among all layers, or of one direction of a layer."""
    if count == states.shape[0]:
        return states
    places = [lowering.ints([n]) for n in (first, first + count, 0, 1)]
    return lowering.emit("Slice", [states, *places], states.dtype, (count, *states.shape[1:]))


def side_by_side(lowering: Lowering, y: Term) -> Term:
    """(T, D, B, H) as (T, B, D * H)."""
    steps, directions, batch, hidden = y.shape
    shape = (steps, batch, directions * hidden)
    turned = lowering.emit("Transpose", [y], y.dtype, (steps, batch, directions, hidden), perm=(0, 2, 1, 3))
    return lowering.emit("Reshape", [turned, lowering.ints(shape)], y.dtype, shape)


def joined(lowering: Lowering, parts: Sequence[Term], axis: int = 0) -> Term:
    """States of steps, directions or layers one behind the other along an axis."""
    first = parts[0]
    if len(parts) == 1:
        return first
    shape = (*first.shape[:axis], sum(part.shape[axis] for part in parts), *first.shape[axis + 1 :])
    return lowering.emit("Concat", list(parts), first.dtype, shape, axis=axis)
