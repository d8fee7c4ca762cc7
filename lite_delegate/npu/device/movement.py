"""Instructions that move elements and change none: permute, view, concatenate. Exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .instruction import Array, Instruction, Shape


@dataclass(frozen=True, slots=True)
class Permute(Instruction):
    """Axis i of the result is axis ``axes[i]`` of the operand."""

    axes: tuple[int, ...]

    def run(self, operands: Sequence[Array]) -> Array:
        return np.ascontiguousarray(operands[0].transpose(self.axes))


@dataclass(frozen=True, slots=True)
class View(Instruction):
    """The same elements in the same order under another shape; no element is moved."""

    shape: Shape

    def run(self, operands: Sequence[Array]) -> Array:
        return operands[0].reshape(self.shape)


@dataclass(frozen=True, slots=True)
class Concatenate(Instruction):
    """The operands one after another along ``axis`` (non-negative, device order)."""

    axis: int

    def run(self, operands: Sequence[Array]) -> Array:
        return np.concatenate(list(operands), axis=self.axis)
