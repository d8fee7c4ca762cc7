"""Target: what a run is compiled for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..ir.data_type import DataType
from .device.program import ElementType
from .profiles import Profile


@dataclass(frozen=True, slots=True)
class Target:
    """A device and the choices that compiling for it takes into account.

    Attributes:
        profile: the device.
        tiles: compute tiles in use, of those that the device has.
        dma_engines: in use, of those that the device has.
        frequency: level, from 1 (low power).
        optimization_level: 0 reduced set of passes, 1 balanced, 2 everything.
        hw_stages: whether the fixed-function stages after the multiplier array are used: fused activations and pools.
        precision: the element type in which the device keeps real numbers, FLOAT16 or FLOAT32.
        defer_weights_load: whether programs take device memory when they first run, and not when they are built.
    """

    profile: Profile
    tiles: int = 1
    dma_engines: int = 1
    frequency: int = 1
    optimization_level: int = 1
    hw_stages: bool = True
    precision: ElementType = ElementType.FLOAT16
    defer_weights_load: bool = False

    @property
    def storage(self) -> DataType:
        """The element type in which the device keeps real numbers, as the host names it."""
        return DataType[self.precision.name]

    @property
    def claiming(self) -> Profile:
        """The profile as support checks take it: with ``storage``."""
        return replace(self.profile, storage=self.storage)
