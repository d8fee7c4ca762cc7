"""The status of AUTO, MULTI and BATCH: the values of ``CompiledModel.auto``, ``multi`` and ``batch``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from ...basics.data_class import dataclass

CLEARLY = 2.0
"""The factor by which the CPU's rough estimate must be shorter for the CPU to count as quicker."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Expected microseconds of a run, transfers and starts included.

    Attributes:
        device_us: on the device, with the nodes that the device leaves to the CPU.
        cpu_us: on the CPU alone, by ``timing.roofline``.
    """

    device_us: float
    cpu_us: float

    @property
    def is_slower(self) -> bool:
        """True where the CPU is expected to be clearly quicker."""
        return self.cpu_us * CLEARLY < self.device_us

    def text(self, device: str) -> str:
        """The estimates as one line of text."""
        return f"estimated {self.device_us:.1f} us a run on {device}, {self.cpu_us:.1f} us on the CPU"


class DeviceState(StrEnum):
    """The state of a device for a model.

    1. WAITING: the model is compiled for the device if the devices before it do not take the model.
    2. COMPILING: the model is being compiled for the device.
    3. ACTIVE: new runs go to the device.
    4. STANDING_IN: runs go to the device until another device is active.
    5. PASSED_OVER: the device does not take the whole model, or is not exact where accuracy is required, or the CPU is
       expected to be clearly quicker.
    6. FAILED: the device is absent, or the compilation or a run on it failed.
    7. UNUSED: another device is active.
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
    """The status of AUTO.

    Attributes:
        active: the current device of runs.
        status: of each device, in order of preference.
        repeated: the number of runs that failed on a device and were repeated on the CPU.
        estimates: the expected time of a run, for each compiled device with an estimate.
    """

    active: str
    status: Mapping[str, DeviceStatus]
    repeated: int = 0
    estimates: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MultiStatus:
    """The status of MULTI.

    Attributes:
        runs: the number of runs that each device has done.
        failed: for each failed device the reason; no run goes to these devices.
        repeated: the number of runs that failed on a device and were repeated on another device.
    """

    runs: Mapping[str, int]
    failed: Mapping[str, str]
    repeated: int = 0


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """The status of BATCH.

    Attributes:
        size: the number of runs in a full group.
        compiled: the batch sizes that the model has been compiled for.
        groups: the number of groups, by their number of runs.
    """

    size: int
    compiled: tuple[int, ...]
    groups: Mapping[int, int]
