"""The two ways in which a file holds the weights of an LSTM, taken apart into directions and layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ._kernel import Array, KernelInputError, Shape
from ._recurrent import LstmWeights

_FROM_IFCO = [0, 3, 1, 2]
"""Positions of the gates input, output, forget, cell in a packed weight, which holds input, forget, cell, output."""


@dataclass(frozen=True, slots=True)
class PackedLayout:
    """The sizes that say what lies where in a packed weight.

    Attributes:
        layers: number of layers, each reading what the one below gives.
        directions: 1, or 2 for a bidirectional LSTM.
        inputs: features of the first layer's input (I).
        hidden: size of the cell state (H).
        state: size of the hidden state (P).
        projected: whether P comes from a projection of H.
    """

    layers: int
    directions: int
    inputs: int
    hidden: int
    state: int
    projected: bool

    def input_shape(self, layer: int) -> Shape:
        """The shape of one direction's input weight, (4H, features of that layer's input)."""
        return 4 * self.hidden, self.inputs if layer == 0 else self.directions * self.state

    @property
    def state_shape(self) -> Shape:
        """The shape of one direction's state weight."""
        return 4 * self.hidden, self.state

    @property
    def bias_count(self) -> int:
        """Elements that one bias of every direction and layer takes together."""
        return self.layers * self.directions * 4 * self.hidden

    @property
    def unbiased_count(self) -> int:
        """Number of elements without biases."""
        rows = sum(4 * self.hidden * (self.input_shape(layer)[1] + self.state) for layer in range(self.layers))
        projection = self.layers * self.state * self.hidden if self.projected else 0
        return self.directions * (rows + projection)

    def bias_kinds(self, count: int) -> int:
        """0 when a weight of ``count`` elements holds no bias, 1 for one, 2 for input and state bias.

        Raises:
            KernelInputError: ``count`` is none of the three.
        """
        allowed = [self.unbiased_count + kinds * self.bias_count for kinds in (0, 1, 2)]
        if count not in allowed:
            raise KernelInputError(
                f"the packed weight must hold {allowed[0]} elements, or {allowed[1]} or {allowed[2]} with biases, "
                f"got {count}"
            )
        return allowed.index(count)


def separate_weights(weight: Array, state: Array, bias: Array, projection: Array | None) -> list[LstmWeights]:
    """The directions of weights that are inputs of their own: (D, 4H, I), (D, 4H, P), (D, 8H) and (D, P, H)."""
    half = bias.shape[1] // 2
    projections = [None] * len(weight) if projection is None else list(projection)
    return [
        LstmWeights(weight[d], state[d], bias[d, :half] + bias[d, half:], projections[d]) for d in range(len(weight))
    ]


def packed_weights(packed: Array, layout: PackedLayout) -> list[list[LstmWeights]]:
    """The layers, each a list of its directions, of a weight that holds everything one after the other.

    Two orders exist. With no or one bias (exported for a CPU): all input weights, all state weights, all projections,
    all biases. With two biases (exported for a GPU): input and state weight of each direction in turn, all
    projections, then input and state bias of each direction in turn. A second layer follows the first within each
    of these groups.
    """
    kinds = layout.bias_kinds(packed.size)
    taken = _Reader(packed.ravel())
    inputs, states = _paired(taken, layout) if kinds == 2 else _grouped(taken, layout)
    parts = layout.layers * layout.directions
    projections = [taken.next((layout.state, layout.hidden)) if layout.projected else None for _ in range(parts)]
    biases = [_bias(taken, kinds, layout) for _ in range(parts)]
    rows = [
        LstmWeights(_reordered(i), _reordered(s), _reordered(b), p)
        for i, s, b, p in zip(inputs, states, biases, projections, strict=True)
    ]
    return [rows[first : first + layout.directions] for first in range(0, parts, layout.directions)]


class _Reader:
    """Takes one array after the other from a flat one."""

    def __init__(self, flat: Array) -> None:
        self._flat = flat
        self._position = 0

    def next(self, shape: Shape) -> Array:
        start = self._position
        self._position += int(np.prod(shape))
        return self._flat[start : self._position].reshape(shape)


def _grouped(taken: _Reader, layout: PackedLayout) -> tuple[list[Array], list[Array]]:
    inputs = [taken.next(layout.input_shape(layer)) for layer, _ in _parts(layout)]
    return inputs, [taken.next(layout.state_shape) for _ in _parts(layout)]


def _paired(taken: _Reader, layout: PackedLayout) -> tuple[list[Array], list[Array]]:
    pairs = [(taken.next(layout.input_shape(layer)), taken.next(layout.state_shape)) for layer, _ in _parts(layout)]
    return [i for i, _ in pairs], [s for _, s in pairs]


def _parts(layout: PackedLayout) -> Iterator[tuple[int, int]]:
    return ((layer, direction) for layer in range(layout.layers) for direction in range(layout.directions))


def _bias(taken: _Reader, kinds: int, layout: PackedLayout) -> Array:
    total = np.zeros(4 * layout.hidden, dtype=np.float32)
    for _ in range(kinds):
        total = total + taken.next((4 * layout.hidden,))
    return total


def _reordered(gates: Array) -> Array:
    blocks = gates.reshape(4, gates.shape[0] // 4, *gates.shape[1:])
    return blocks[_FROM_IFCO].reshape(gates.shape)
