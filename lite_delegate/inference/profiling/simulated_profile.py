"""SimulatedProfile: the stages of a run on the clocks of simulated devices."""

from __future__ import annotations

from collections.abc import Mapping

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...delegate.answers.device_run import DeviceRun, DeviceStage
from .stages import Stage


@dataclass(frozen=True, slots=True)
class SimulatedProfile(Brief):
    """The stages of a run on the clocks of its simulated devices: estimates in microseconds, without host times.

    Commands of one run may overlap, so the sum of the stages may differ from the latency.

    Attributes:
        runs: the runs of graph kernels, in order; at most 4,096.
    """

    runs: tuple[DeviceRun, ...]

    @property
    def is_estimate(self) -> bool:
        """True: the times are estimates."""
        return True

    @property
    def commands(self) -> tuple[DeviceStage, ...]:
        """The commands of the devices, run by run."""
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
        """The sum of the graph kernels' latencies, each from its request to its end."""
        return sum(run.latency_us for run in self.runs)

    @property
    def elapsed_us(self) -> float:
        """The time from the first request of a device to the last end, on the common clock of simulated devices."""
        return max(run.end_us for run in self.runs) - self.runs[0].enqueued_us

    @property
    def input_wait_us(self) -> float:
        """The time that idle devices waited for their input: the receive-tensor time."""
        return sum(run.input_wait_us for run in self.runs)

    @property
    def bytes_to_device(self) -> int:
        """The bytes that crossed from the host to devices."""
        return self._nbytes(Stage.UPLOAD)

    @property
    def bytes_to_host(self) -> int:
        """The bytes that crossed from devices to the host."""
        return self._nbytes(Stage.DOWNLOAD)

    def _nbytes(self, stage: Stage) -> int:
        return sum(each.nbytes for each in self.commands if each.stage == stage)
