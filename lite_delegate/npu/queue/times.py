"""Times on the simulated clock: of commands and of a run, and the use of the engines."""

from __future__ import annotations

from ...basics.data_class import dataclass
from .commands import Engine


@dataclass(frozen=True, slots=True)
class CommandTimes:
    """The times of a command, in simulated microseconds since the clock began.

    Attributes:
        engine: the kind of engine that ran it.
        number: the number of the DMA engine; 0 for computing.
        start, end: the times of the command; ``end`` is the cancel point where the run was cancelled.
        input_wait_us: for a computation, how long tiles were free for it while its input was on its way.
        nbytes: the bytes that crossed between host and device.
    """

    engine: Engine
    number: int
    start: float
    end: float
    input_wait_us: float = 0.0
    nbytes: int = 0


@dataclass(frozen=True, slots=True)
class RunTimes:
    """The times of the commands of a run, in simulated microseconds since the clock began.

    Attributes:
        enqueued: the time of its submission.
        end: the end of its last command, or the time of its cancellation.
        commands: the times of the commands that started, in the order of the list.
        cancelled: whether the run was cancelled, or failed.
    """

    enqueued: float
    end: float
    commands: tuple[CommandTimes, ...]
    cancelled: bool = False

    @property
    def input_wait_us(self) -> float:
        """The time that compute tiles waited for the input of this run."""
        return sum(command.input_wait_us for command in self.commands)

    @property
    def latency_us(self) -> float:
        """From submission to the end."""
        return self.end - self.enqueued


@dataclass(frozen=True, slots=True)
class Utilization:
    """The use of a device's engines over some simulated time.

    Attributes:
        elapsed_us: the simulated time.
        tiles: the share of the time, 0 to 1, in which compute tiles were busy, by their number.
        dma: the share of the time, 0 to 1, in which DMA engines were busy.
    """

    elapsed_us: float
    tiles: float
    dma: float
