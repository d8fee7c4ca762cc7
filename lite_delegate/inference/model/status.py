"""How AUTO, MULTI and BATCH stand: the values of ``CompiledModel.auto``, ``multi`` and ``batch``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from ...basics.data_class import dataclass

CLEARLY = 2.0
"""The CPU's times are rough, and may well be longer: where it is this much quicker, it is quicker."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Expected microseconds of a run, transfers and starts included.

    Attributes:
        device_us: on the device, with what it leaves to the CPU.
        cpu_us: all on the CPU, by ``timing.roofline``.
    """

    device_us: float
    cpu_us: float

    @property
    def is_slower(self) -> bool:
        """True where the CPU is expected to be clearly quicker."""
        return self.cpu_us * CLEARLY < self.device_us

    def text(self, device: str) -> str:
        """One line for people."""
        return f"estimated {self.device_us:.1f} us a run on {device}, {self.cpu_us:.1f} us on the CPU"


class DeviceState(StrEnum):
    """What a device does for a model.

    1. WAITING: it is compiled for when those before it do not take the model.
    2. COMPILING: the model is being compiled for it.
    3. ACTIVE: runs that begin go to it.
    4. STANDING_IN: runs go to it until another one is active.
    5. PASSED_OVER: it does not take the whole model, or not exactly where accuracy is asked for, or the CPU is expected
       to be clearly quicker.
    6. FAILED: it is not there, could not be compiled for, or failed in runs.
    7. UNUSED: another one is active.
    """

    WAITING = "waiting"
    COMPILING = "compiling"
    ACTIVE = "active"
    STANDING_IN = "standing in"
    PASSED_OVER = "passed over"
    FAILED = "failed"
    UNUSED = "unused"


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """The state of a device, and the reason of PASSED_OVER and FAILED."""

    state: DeviceState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AutoStatus:
    """How AUTO stands.

    Attributes:
        active: the device that runs go to now.
        status: of each device, in order of preference.
        repeated: runs that failed on a device and were repeated on the CPU.
        estimates: what a run is expected to take, of the devices that were compiled for and say so.
    """

    active: str
    status: Mapping[str, DeviceStatus]
    repeated: int = 0
    estimates: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MultiStatus:
    """How MULTI stands.

    Attributes:
        runs: how many runs each device has done.
        failed: why no run goes to a device any more.
        repeated: runs that failed on a device and were repeated on another.
    """

    runs: Mapping[str, int]
    failed: Mapping[str, str]
    repeated: int = 0


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """How BATCH stands.

    Attributes:
        size: runs in a full group.
        compiled: the batches that there are programs for.
        groups: how many groups there were, by the number of their runs.
    """

    size: int
    compiled: tuple[int, ...]
    groups: Mapping[int, int]
