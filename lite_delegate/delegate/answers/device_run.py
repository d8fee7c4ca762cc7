"""DeviceRun: when a run of a graph kernel ran on the clock of its simulated device, and its place there before that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief


@dataclass(frozen=True, slots=True)
class DeviceStage(Brief):
    """A command of a run, in simulated microseconds since the device's clock began.

    Attributes:
        stage: "upload", "compute" or "download".
        start_us, end_us: of the command.
        engine: which of several did it.
        nbytes: that crossed between host and device.
        input_wait_us: of computing: how long the device could have computed, and waited for its input.
    """

    stage: str
    start_us: float
    end_us: float
    engine: int = 0
    nbytes: int = 0
    input_wait_us: float = 0.0

    @property
    def duration_us(self) -> float:
        """Its length."""
        return self.end_us - self.start_us


@dataclass(frozen=True, slots=True)
class DeviceRun(Brief):
    """One run of a graph kernel, or of a part of it, on the clock of its simulated device: all times are estimates.

    Attributes:
        kernel: the graph kernel.
        enqueued_us: the time of its submission to the device.
        end_us: the end of its last command, or the time of its cancellation.
        stages: its commands, uploads first; they may overlap.
        was_cancelled: whether the run was cancelled, or failed.
    """

    kernel: str
    enqueued_us: float
    end_us: float
    stages: tuple[DeviceStage, ...]
    was_cancelled: bool = False

    @property
    def latency_us(self) -> float:
        """From when it was asked for to its end."""
        return self.end_us - self.enqueued_us

    @property
    def input_wait_us(self) -> float:
        """The time that the device waited for the input and could have computed."""
        return sum(stage.input_wait_us for stage in self.stages)


class DeviceReservation(Protocol):
    """The place of a run on its simulated device, taken when the run was started, until it is waited for."""

    def finish(self) -> None:
        """The simulated present is at least the end of the whole run, whether the host has computed it or not."""

    def settle(self) -> float:
        """Called when the run is over. Returns the end of the parts that have run, 0 where none has."""

    def withdraw(self) -> None:
        """Called when the run was cancelled. Takes no lock, because the garbage collector may call it."""

    def runs(self) -> Sequence[DeviceRun]:
        """The device's runs for the reservation."""
