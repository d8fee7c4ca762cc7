"""The cost of a program: its timeline, summed up. Every figure is an estimate."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ...basics.data_class import dataclass
from ...delegate import DeviceEstimate, LayerEstimate
from ..device.programs.program import Program
from ..ir.target import Target
from .counters import PerformanceCounter
from .timeline import Activity, Event, Packing, timeline

WAITING = "waiting for input"
"""Name of the counter for the time before the start in which the device has nothing to compute on."""


@dataclass(frozen=True)
class ProgramCost:
    """Estimates for one run of a program, in cycles of the compute tiles' clock unless they say otherwise.

    Attributes:
        events: the timeline.
        clock_mhz: cycles per microsecond.
        launch_us: microseconds to start the program.
        dma_engines: in use.
    """

    events: tuple[Event, ...]
    clock_mhz: int
    launch_us: float
    dma_engines: int

    @cached_property
    def estimated_cycles(self) -> int:
        """From the first transfer of an input to the last of an output."""
        return max([event.end for event in self.events], default=0)

    @property
    def estimated_us(self) -> float:
        """Microseconds from start to end, launch included."""
        return self.launch_us + self.us(self.estimated_cycles)

    @property
    def estimated_bytes(self) -> int:
        """Bytes that the DMA engines move."""
        return sum([event.nbytes for event in self.events])

    @property
    def compute_cycles(self) -> int:
        """Of all computations together; side by side they count each."""
        return self._sum(Activity.COMPUTE)

    @property
    def transfer_cycles(self) -> int:
        """Of all transfers that pack nothing, together."""
        return self._sum(Activity.TRANSFER)

    @property
    def packing_cycles(self) -> int:
        """Of all transfers that change the order of axes, inside and at the boundary, together."""
        return self._sum(Activity.PACKING)

    @property
    def dma_wait_cycles(self) -> int:
        """For which computations waited for transfers, together."""
        return sum(event.dma_wait for event in self.events)

    @property
    def input_wait_cycles(self) -> int:
        """The cycles for which the device waits for its input when one run follows the other.

        While a run goes on, idle DMA engines bring the inputs of the next run. The device waits for the part of the
        transfers that does not fit into that time:

            max(0, copy-in - (engines * (end - copy-in) - other work of the engines))

        Copy-in is the time until the last input is there, ``end`` the time of the whole run. 0: the inputs are there
        when a run ends.
        """
        copies = [event for event in self.events if event.opcode == "CopyIn"]
        arrival = max((event.end for event in copies), default=0)
        busy = sum(event.cycles for event in self.events if event.opcode != "CopyIn" and event.nbytes)
        idle = self.dma_engines * (self.estimated_cycles - arrival) - busy
        return max(0, arrival - max(0, idle))

    def us(self, cycles: int) -> float:
        """Cycles as microseconds."""
        return cycles / self.clock_mhz

    def share(self, activity: Activity) -> float:
        """The part of the run's cycles, 0 to 1, in which at least one step of that kind runs."""
        return covered(e for e in self.events if e.activity is activity) / max(1, self.estimated_cycles)

    def counters(self) -> tuple[PerformanceCounter, ...]:
        """One counter for each event, in program order."""
        return tuple(
            PerformanceCounter(e.name, e.opcode, e.layers, self.us(e.start), e.cycles, e.dma_wait, e.nbytes)
            for e in self.events
        )

    def wait_counter(self, cycles: int) -> PerformanceCounter:
        """The counter for the time that the device waits for input."""
        return PerformanceCounter(WAITING, "Wait", (), 0.0, cycles, 0, 0)

    @cached_property
    def estimate(self) -> DeviceEstimate:
        """The cost as a ``DeviceEstimate``, which all delegates give."""
        layers = tuple(
            LayerEstimate(
                e.name,
                e.opcode,
                e.layers,
                self.us(e.cycles),
                e.cycles,
                e.nbytes,
                self.launch_us + self.us(e.start),
                was_run=e.activity is not Activity.NOTHING,
            )
            for e in self.events
        )
        return DeviceEstimate(
            self.estimated_us,
            self.estimated_cycles,
            self.estimated_bytes,
            layers,
            self.launch_us,
            self._crossing("input"),
            self._crossing("output"),
        )

    def _crossing(self, side: str) -> tuple[float, ...]:
        """Microseconds that each input, or each output, of the program takes to cross."""
        cycles = {e.name: e.cycles for e in self.events if e.opcode in ("CopyIn", "CopyOut")}
        count = sum(name.startswith(f"{side} ") for name in cycles)
        return tuple(self.us(cycles[f"{side} {number}"]) for number in range(count))

    def _sum(self, activity: Activity) -> int:
        return sum(event.cycles for event in self.events if event.activity is activity)


def cost_of(program: Program, packing: Packing, target: Target) -> ProgramCost:
    """The estimated cost of one run of ``program`` on ``target``."""
    compute = target.profile.compute
    return ProgramCost(timeline(program, packing, target), target.clock_mhz, compute.launch_us, target.dma_engines)


def covered(events: Iterable[Event]) -> int:
    """Cycles in which at least one of the events runs."""
    total = end = 0
    for event in sorted(events, key=lambda e: e.start):
        total += max(0, event.end - max(end, event.start))
        end = max(end, event.end)
    return total
