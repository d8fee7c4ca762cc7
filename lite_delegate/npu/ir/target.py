"""Target: the device and the choices that a run is compiled for."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from fractions import Fraction

from ...basics.data_class import dataclass
from ...ir.types.data_type import DataType
from ..device.programs.program import ElementType
from ..device.transfer import CHUNK
from ..profiles import Profile

OPTIMIZATION_LEVELS = range(3)


class Priority(IntEnum):
    """Whose program runs first when several wait for the device."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2


@dataclass(frozen=True, slots=True)
class Target:
    """A device and the choices that compiling for it takes into account.

    Attributes:
        profile: the device.
        tiles: the number of the device's compute tiles in use.
        dma_engines: the number of the device's DMA engines in use.
        frequency: the frequency level, from 1 (low power).
        optimization_level: 0 reduced set of passes, 1 balanced, 2 all passes.
        hw_stages: whether the fixed-function stages after the multiplier array are used: fused activations and pools.
        precision: the element type in which the device keeps real numbers, FLOAT16 or FLOAT32.
        islands: whether sensitive intermediate results of float16 programs are kept in float32.
        defer_weights_load: whether programs take device memory when they first run, and not when they are built.
        compute_layout: how rank-4 tensors cross to the device: NCHW, packed by the host, or NHWC, permuted there.
        compile_threads: the most threads that compiling may use. The result does not depend on their number.
        priority: the priority of programs that wait for the device.
        efficient: whether runs save energy: they wait for all other runs, one clock level lower.
        exclusive: whether a program has the device for itself.
        pin_cpu: whether a thread of the host stays on one CPU while it drives the device.
        profiling: whether programs count what each layer costs.
        print_receive_tensor_time: whether those counts have a record of the time spent waiting for input.
        transfer_chunk: the bytes of an input or output that cross at once.
    """

    profile: Profile
    tiles: int = 1
    dma_engines: int = 1
    frequency: int = 1
    optimization_level: int = 1
    hw_stages: bool = True
    precision: ElementType = ElementType.FLOAT16
    islands: bool = True
    defer_weights_load: bool = False
    compute_layout: str = "NCHW"
    compile_threads: int = 1
    priority: Priority = Priority.MEDIUM
    efficient: bool = False
    exclusive: bool = False
    pin_cpu: bool = False
    profiling: bool = False
    print_receive_tensor_time: bool = False
    transfer_chunk: int = CHUNK

    @property
    def share(self) -> Fraction:
        """The share of its device that a program holds: its tiles of the device's; all where it is exclusive."""
        return Fraction(1) if self.exclusive else Fraction(self.tiles, self.profile.compute.tiles)

    @property
    def rank(self) -> int:
        """The priority among all waiting programs: an efficient program is below the lowest other priority."""
        return self.priority - len(Priority) if self.efficient else int(self.priority)

    @property
    def clock_mhz(self) -> int:
        """Cycles per microsecond at the frequency level; an efficient target has the level below, if there is one."""
        clocks = self.profile.compute.clock_mhz
        level = min(self.frequency, len(clocks))
        return clocks[max(level - 1, 1) - 1 if self.efficient else level - 1]

    @property
    def storage(self) -> DataType:
        """The element type in which the device keeps real numbers, as the host names it."""
        return DataType[self.precision.name]

    @property
    def claiming(self) -> Profile:
        """The profile as the operators' checks take it: with ``storage``."""
        return replace(self.profile, storage=self.storage)
