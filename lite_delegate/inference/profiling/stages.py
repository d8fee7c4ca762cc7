"""Stages: the way of a run from its start to its commit, cut without gaps on one clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from enum import StrEnum
from itertools import pairwise
from time import perf_counter_ns
from types import MappingProxyType
from typing import TypeVar

from ...basics.data_class import dataclass
from ...delegate import Kernel, SpanKind, TurnCause
from ...delegate.answers.device_run import DeviceReservation, DeviceRun
from ...delegate.calls.layer_time import LayerTime
from ...delegate.calls.spans import current_clock, start_clock
from .plan_use import PlanUse

T = TypeVar("T")

MOST_STRETCHES = 4_096
"""Stretches of one run that are listed; a loop may make more, which count in the sums only."""


class Stage(StrEnum):
    """What a run is doing.

    1. QUEUE: waits for a worker.
    2. PREPROCESS: inputs are checked, joined, converted.
    3. TURN: waits for the device.
    4. UPLOAD: inputs are brought to the device and into its layout.
    5. COMPUTE: a graph kernel computes.
    6. CPU: CPU kernels compute, and the runtime goes from one step to the next.
    7. DOWNLOAD: outputs are brought back.
    8. POSTPROCESS: outputs get their memory; the commit.
    9. CALLBACK: the user's callback; it is no part of the latency.
    """

    QUEUE = "queue"
    PREPROCESS = "preprocess"
    TURN = "turn"
    UPLOAD = "upload"
    COMPUTE = "compute"
    CPU = "cpu"
    DOWNLOAD = "download"
    POSTPROCESS = "postprocess"
    CALLBACK = "callback"


_STAGES = {
    SpanKind.PACK: Stage.UPLOAD,
    SpanKind.ENQUEUE: Stage.TURN,
    SpanKind.COMPUTE: Stage.COMPUTE,
    SpanKind.GRAPH_KERNEL: Stage.COMPUTE,
    SpanKind.UNPACK: Stage.DOWNLOAD,
}

_ENQUEUE = SpanKind.ENQUEUE
_CAUSES = frozenset(map(str, TurnCause))
_NOTHING: Mapping[TurnCause, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a run that is one stage; the next one begins where it ends.

    Attributes:
        stage: what the run was doing.
        start_ns, end_ns: of ``time.perf_counter_ns``.
    """

    stage: Stage
    start_ns: int
    end_ns: int

    @property
    def duration_ns(self) -> int:
        """Its length."""
        return self.end_ns - self.start_ns


class StageClock:
    """The clock of one run. It is told of stages by the request, and of spans by graph kernels (``start_clock``).

    A stage costs one reading of the clock.

    Args:
        stage: that the run begins with.
    """

    request = 0
    """The number of the request whose run it is."""
    waited: Mapping[TurnCause, int] = _NOTHING
    """For what it waited in the stage TURN, in nanoseconds."""
    plan: PlanUse | None = None
    """Where the plan came from, of a model with open dimensions."""
    device_runs: list[DeviceRun] | tuple[()] = ()
    """Runs of graph kernels on the clocks of simulated devices, asked when they were executed; the first of them."""
    layers: Mapping[str, Sequence[LayerTime]] = MappingProxyType({})
    """What backends measured of the layers of graph kernels in their last runs, by graph kernel."""
    simulated_us = 0.0
    """The latest end of what simulated devices did for it, and for the run before it of the same request."""
    reservation: DeviceReservation | None = None
    """Its place on the simulated device, of a run that was started to be computed by a worker."""
    ended_ns = 0
    """When the run ended; 0 before that."""
    _listed: Sequence[tuple[Stage, int]] = ()  # what few runs have, each run need not set
    _unlisted: Mapping[Stage, int] = MappingProxyType({})
    _waits: Sequence[tuple[int, TurnCause, int]] = ()

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.started_ns = perf_counter_ns()
        self._marks = [(stage, self.started_ns)]
        self._spans: list[Stage] = []

    @staticmethod
    def current() -> StageClock | None:
        """The clock of the run that this thread computes, if there is one."""
        clock = current_clock()
        return clock if isinstance(clock, StageClock) else None

    def mark(self, stage: Stage) -> None:
        """From now on the run is in another stage."""
        self._stage = stage
        self._marks.append((stage, perf_counter_ns()))

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        """A span of a graph kernel begins; see ``SpanRecorder``."""
        if len(self._marks) > MOST_STRETCHES:
            self._sum_up()
        before = self._stage
        stage = _STAGES.get(kind, before)
        self._spans.append(before)
        if stage is not before:
            self._stage = stage
            self._marks.append((stage, perf_counter_ns()))
        if kind is _ENQUEUE and name in _CAUSES:
            self._waits = (*self._waits, (len(self._spans), TurnCause(name), perf_counter_ns()))

    def enter(self, stage: Stage) -> None:
        """The run is in a stage until ``end`` is called."""
        if len(self._marks) > MOST_STRETCHES:
            self._sum_up()
        self._spans.append(self._stage)
        if stage is not self._stage:
            self.mark(stage)

    def end(self) -> None:
        """The span that began last ends: the run is in the stage again that it was in before."""
        if self._waits and self._waits[-1][0] == len(self._spans):
            *waits, (_, cause, since) = self._waits
            self._waits = waits
            self.waited = {**self.waited, cause: self.waited.get(cause, 0) + perf_counter_ns() - since}
        before = self._spans.pop()
        if before is not self._stage:
            self._stage = before
            self._marks.append((before, perf_counter_ns()))

    def add_device_run(self, run: DeviceRun) -> None:
        """A graph kernel ran on the clock of its simulated device; see ``tell_device_run``."""
        self.simulated_us = max(self.simulated_us, run.end_us)
        if isinstance(self.device_runs, tuple):
            self.device_runs = []
        if len(self.device_runs) < MOST_STRETCHES:
            self.device_runs.append(run)

    def settle(self) -> None:
        """Whoever started the run knows that it is over: the simulated present is its end, or later."""
        if self.reservation is not None and self.ended_ns:
            self.simulated_us = max(self.simulated_us, self._as_its_own(self.reservation.settle))

    def pass_by(self) -> None:
        """The simulated present is its end, or later, whether the host has computed it or not."""
        if self.reservation is not None:
            self._as_its_own(self.reservation.finish)

    def _as_its_own(self, call: Callable[[], T]) -> T:
        """Calls a function, what it logs is said of the request."""

        def called() -> T:
            start_clock(self)
            return call()

        return copy_context().run(called)

    @property
    def simulated_runs(self) -> tuple[DeviceRun, ...]:
        """Runs of graph kernels on the clocks of simulated devices, those behind a reserved place first."""
        reserved = () if self.reservation is None else self.reservation.runs()
        return (*reserved, *self.device_runs)

    def add_layers(self, kernel: str, layers: Sequence[LayerTime]) -> None:
        """The layers of a graph kernel took so long; see ``tell_layers``."""
        self.layers = {**self.layers, kernel: tuple(layers)}

    def finish(self) -> None:
        """The run ends."""
        self.ended_ns = ended_ns = perf_counter_ns()
        self._marks.append((self._stage, ended_ns))

    def stretches(self) -> tuple[Stretch, ...]:
        """The first stages, in order, from the start to the mark that was set last."""
        marks = self._listed or self._marks
        return tuple(Stretch(stage, start, end) for (stage, start), (_, end) in pairwise(marks))

    def sums(self) -> dict[Stage, int]:
        """The nanoseconds of each stage, from the start to the mark that was set last."""
        sums = dict(self._unlisted)
        _add(sums, self._listed)
        _add(sums, self._marks)
        return sums

    def _sum_up(self) -> None:
        """Keeps the first marks as they are, and of later ones the sums."""
        if self._listed:
            unlisted = dict(self._unlisted)
            _add(unlisted, self._marks)
            self._unlisted = unlisted
        else:
            self._listed = self._marks
        self._marks = self._marks[-1:]


class InStage:
    """Tells the clock of the run that this thread computes, if there is one, that the block is a stage of it.

    Args:
        stage: of the block, or of its beginning, up to ``end``.
    """

    def __init__(self, stage: Stage) -> None:
        self._clock = StageClock.current()
        self._stage = stage

    def __enter__(self) -> InStage:
        if self._clock is not None:
            self._clock.enter(self._stage)
        return self

    def end(self) -> None:
        """The stage ends here; ending it again changes nothing."""
        clock, self._clock = self._clock, None
        if clock is not None:
            clock.end()

    def __exit__(self, *_: object) -> None:
        self.end()


def _add(sums: dict[Stage, int], marks: Sequence[tuple[Stage, int]]) -> None:
    for (stage, start), (_, end) in pairwise(marks):
        sums[stage] = sums.get(stage, 0) + end - start
