"""Compiled: a program with the host tensors of its inputs, outputs and constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...tensor import Tensor
from ..device.instruction import Array
from ..device.program import Program
from .layout import Layout


@dataclass(frozen=True, slots=True)
class Port:
    """A tensor that crosses between host and device, and how it lies on the device."""

    tensor: Tensor
    layout: Layout


@dataclass(frozen=True, slots=True)
class ConstantSource:
    """The contents of a constant buffer, made when the program is loaded, in storage format."""

    buffer: int
    make: Callable[[], Array]


@dataclass(frozen=True, slots=True)
class Compiled:
    """What compiling a run gives.

    Attributes:
        program: for the device.
        inputs: in the order of the program's inputs, each tensor once.
        outputs: in the order of the program's outputs.
        constants: where the contents of the program's constants come from.
    """

    program: Program
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    constants: tuple[ConstantSource, ...]

    def pack_constants(self) -> dict[int, Array]:
        """The contents of every constant buffer, rounded once from the model's numbers."""
        return {source.buffer: source.make() for source in self.constants}
