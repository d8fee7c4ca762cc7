"""PatternDraft: a chain while it is written down, with random data of a fixed seed."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import NodeQuantization

from ..judging.case import Array
from ..judging.chain import Chain, ChainNode
from ..reports.defects import Defect
from .pattern import Pattern


class PatternDraft:
    """Collects nodes; names are given by the way.

    Args:
        family: of the pattern.
        name: unique within the family.
    """

    def __init__(self, family: str, name: str) -> None:
        self.family = family
        self.name = name
        self.rng = np.random.default_rng(zlib.crc32(f"{family} {name}".encode()))
        self._nodes: list[ChainNode] = []
        self._inputs: dict[str, Array] = {}
        self._constants: dict[str, Array] = {}

    def input(self, *shape: int, low: float = -2.0, high: float = 2.0) -> str:
        """An input of floats, spread evenly over a range with both sides of the activations' thresholds."""
        return self.given(self.rng.uniform(low, high, shape).astype(np.float32))

    def given(self, array: Array) -> str:
        """An input with these elements."""
        name = f"input_{len(self._inputs)}"
        self._inputs[name] = array
        return name

    def weight(self, *shape: int, low: float = -1.0, high: float = 1.0) -> str:
        """A constant of floats."""
        return self.constant(self.rng.uniform(low, high, shape).astype(np.float32))

    def constant(self, array: Array) -> str:
        """A constant with these elements."""
        name = f"constant_{len(self._constants)}"
        self._constants[name] = array
        return name

    def ints(self, *values: int) -> str:
        """A constant of int32."""
        return self.constant(np.array(values, np.int32))

    def node(
        self,
        op_type: str,
        *inputs: str | None,
        quantization: NodeQuantization | None = None,
        **attributes: Any,
    ) -> str:
        """A node with one output, whose name this gives."""
        return self.nodes(op_type, inputs, 1, attributes, quantization)[0]

    def nodes(
        self,
        op_type: str,
        inputs: Sequence[str | None],
        outputs: int,
        attributes: Mapping[str, Any],
        quantization: NodeQuantization | None = None,
    ) -> tuple[str, ...]:
        """A node with several outputs, whose names this gives."""
        number = len(self._nodes)
        names = tuple(f"value_{number}_{i}" if outputs > 1 else f"value_{number}" for i in range(outputs))
        node = ChainNode(f"node_{number}", op_type, tuple(inputs), names, dict(attributes), quantization)
        self._nodes.append(node)
        return names

    def done(self, *outputs: str, steps: int = 0, tells: Defect | None = None) -> Pattern:
        """The pattern."""
        chain = Chain(self.name, tuple(self._nodes), self._inputs, self._constants, outputs)
        return Pattern(self.family, chain, steps, tells)
