"""SimulatedProfile: the stages of a run on the clocks of simulated devices."""

from __future__ import annotations

from collections.abc import Mapping

from ...basics.data_class import dataclass
from ...delegate.answers.device_run import DeviceRun, DeviceStage
from .stages import Stage


@dataclass(frozen=True, slots=True)
class SimulatedProfile:
    """The stages of a run on the clocks of its simulated devices, in microseconds: estimates, and no time of the host.

    Commands of one run may overlap, so that the stages need not add up to the latency.

    Attributes:
        runs: of graph kernels, in order; the first 4,096 of them.
    """

    runs: tuple[DeviceRun, ...]

    @property
    def is_estimate(self) -> bool:
        """True: nothing of this was measured."""
        return True

    @property
    def commands(self) -> tuple[DeviceStage, ...]:
        """What the devices did, run by run."""
        return tuple(each for run in self.runs for each in run.stages)

    @property
    def stages(self) -> Mapping[Stage, float]:
        """The microseconds of each stage: uploads, computing, downloads."""
        sums: dict[Stage, float] = {}
        for each in self.commands:
            stage = Stage(each.stage)
            sums[stage] = sums.get(stage, 0.0) + each.duration_us
        return sums

    @property
    def latency_us(self) -> float:
        """The time that the devices had the run, from when they were asked to the end, together."""
        return sum(run.latency_us for run in self.runs)

    @property
    def elapsed_us(self) -> float:
        """From when the first device was asked to the last end, on the clock that all simulated devices share."""
        return max(run.end_us for run in self.runs) - self.runs[0].enqueued_us

    @property
    def input_wait_us(self) -> float:
        """How long devices could have computed, and waited for their input: the receive-tensor time."""
        return sum(run.input_wait_us for run in self.runs)

    @property
    def bytes_to_device(self) -> int:
        """Bytes that crossed from the host to devices."""
        return self._nbytes(Stage.UPLOAD)

    @property
    def bytes_to_host(self) -> int:
        """Bytes that crossed from devices to the host."""
        return self._nbytes(Stage.DOWNLOAD)

    def _nbytes(self, stage: Stage) -> int:
        return sum(each.nbytes for each in self.commands if each.stage == stage)
