"""Stages: the time of a run from its start to its commit, divided without gaps on one clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from enum import StrEnum
from itertools import pairwise
from time import perf_counter_ns
from types import MappingProxyType
from typing import TypeVar

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...delegate import Kernel, SpanKind, TurnCause
from ...delegate.answers.device_run import DeviceReservation, DeviceRun
from ...delegate.calls.layer_time import LayerTime
from ...delegate.calls.spans import current_clock, start_clock
from .plan_use import PlanUse

T = TypeVar("T")

MOST_STRETCHES = 4_096
"""The number of listed stretches of one run; further stretches, of a loop, count in the sums only."""


class Stage(StrEnum):
    """A stage of a run.

    1. QUEUE: the run waits for a worker.
    2. PREPROCESS: inputs are checked, joined, converted.
    3. TURN: the run waits for the device.
    4. UPLOAD: inputs are copied to the device and into its layout.
    5. COMPUTE: a graph kernel computes.
    6. CPU: CPU kernels compute, and the runtime changes from step to step.
    7. DOWNLOAD: outputs are copied to the host.
    8. POSTPROCESS: outputs get their memory, and the run is committed.
    9. CALLBACK: the user's callback, which is no part of the latency.
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
class Stretch(Brief):
    """A stretch of a run in one stage; the next stretch begins at its end.

    Attributes:
        stage: of the run.
        start_ns, end_ns: of ``time.perf_counter_ns``.
    """

    stage: Stage
    start_ns: int
    end_ns: int

    @property
    def duration_ns(self) -> int:
        """The nanoseconds of the stretch."""
        return self.end_ns - self.start_ns


class StageClock:
    """The clock of one run. The request marks stages, and graph kernels begin and end spans (``start_clock``).

    A stage costs one reading of the clock.

    Args:
        stage: the first stage of the run.

    Attributes:
        stage: the present stage.
        marks: the begins of stages, and the end of the run.
    """

    request = 0
    """The number of the run's request."""
    waited: Mapping[TurnCause, int] = _NOTHING
    """The nanoseconds of waiting in the stage TURN, by cause."""
    plan: PlanUse | None = None
    """The plan of the run, for a model with open dimensions."""
    device_runs: list[DeviceRun] | tuple[()] = ()
    """The first runs of graph kernels on the clocks of simulated devices, without a reserved place."""
    layers: Mapping[str, Sequence[LayerTime]] = MappingProxyType({})
    """The layer times that backends measured in the last run of each graph kernel, by graph kernel."""
    is_simulated = False
    """Whether the run, or the request's run before, is on the clock of a simulated device."""
    simulated_us = 0.0
    """The latest simulated end of this run and of the request's run before."""
    reservation: DeviceReservation | None = None
    """The reserved place of an asynchronous run on its simulated device."""
    ended_ns = 0
    """The time of the run's end; 0 before the end."""
    _spans: list[Stage] | None = None
    """The stages before the spans that are under way; None before the first span."""
    _listed: Sequence[tuple[Stage, int]] = ()  # class defaults, because few runs set these attributes
    _unlisted: Mapping[Stage, int] = MappingProxyType({})
    _waits: Sequence[tuple[int, TurnCause, int]] = ()

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.started_ns = perf_counter_ns()
        self.marks: list[tuple[Stage, int]] = [(stage, self.started_ns)]

    @staticmethod
    def current() -> StageClock | None:
        """The clock of the current thread's run; None outside of a run."""
        clock = current_clock()
        return clock if isinstance(clock, StageClock) else None

    def go_on(self, stage: Stage) -> None:
        """Begins another stage of the run."""
        self.stage = stage
        self.marks.append((stage, perf_counter_ns()))

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        """Begins a span of a graph kernel; see ``SpanRecorder``."""
        if len(self.marks) > MOST_STRETCHES:
            self._sum_up()
        before, spans = self.stage, self._spans
        stage = _STAGES.get(kind, before)
        if spans is None:
            spans = self._spans = []
        spans.append(before)
        if stage is not before:
            self.stage = stage
            self.marks.append((stage, perf_counter_ns()))
        if kind is _ENQUEUE and name in _CAUSES:
            self._waits = (*self._waits, (len(spans), TurnCause(name), perf_counter_ns()))

    def enter(self, stage: Stage) -> None:
        """Begins a stage that lasts until ``end``."""
        if len(self.marks) > MOST_STRETCHES:
            self._sum_up()
        if self._spans is None:
            self._spans = []
        self._spans.append(self.stage)
        if stage is not self.stage:
            self.go_on(stage)

    def end(self) -> None:
        """Ends the innermost span: the run returns to the stage before the span."""
        assert self._spans is not None
        if self._waits and self._waits[-1][0] == len(self._spans):
            *waits, (_, cause, since) = self._waits
            self._waits = waits
            self.waited = {**self.waited, cause: self.waited.get(cause, 0) + perf_counter_ns() - since}
        before = self._spans.pop()
        if before is not self.stage:
            self.stage = before
            self.marks.append((before, perf_counter_ns()))

    def add_device_run(self, run: DeviceRun) -> None:
        """Adds a graph kernel's run on the clock of its simulated device; see ``tell_device_run``."""
        self.is_simulated = True
        self.simulated_us = max(self.simulated_us, run.end_us)
        if isinstance(self.device_runs, tuple):
            self.device_runs = []
        if len(self.device_runs) < MOST_STRETCHES:
            self.device_runs.append(run)

    def settle(self) -> None:
        """Tells the simulated device that the caller knows of the run's end: the simulated time is the end or later."""
        if self.reservation is not None and self.ended_ns:
            self.simulated_us = max(self.simulated_us, self._as_its_own(self.reservation.settle))

    def pass_by(self) -> None:
        """Moves the simulated time to the end of the run or later, also before the host has computed the run."""
        if self.reservation is not None:
            self._as_its_own(self.reservation.finish)

    def _as_its_own(self, call: Callable[[], T]) -> T:
        """Calls a function whose log lines carry the number of the request."""

        def called() -> T:
            start_clock(self)
            return call()

        return copy_context().run(called)

    @property
    def simulated_runs(self) -> tuple[DeviceRun, ...]:
        """The runs of graph kernels on the clocks of simulated devices, the runs of a reserved place first."""
        reserved = () if self.reservation is None else self.reservation.runs()
        return (*reserved, *self.device_runs)

    def add_layers(self, kernel: str, layers: Sequence[LayerTime]) -> None:
        """Adds the layer times of a graph kernel; see ``tell_layers``."""
        self.layers = {**self.layers, kernel: tuple(layers)}

    def finish(self) -> None:
        """Ends the run."""
        self.ended_ns = ended_ns = perf_counter_ns()
        self.marks.append((self.stage, ended_ns))

    def stretches(self) -> tuple[Stretch, ...]:
        """The listed stretches in order, from the start to the last mark."""
        marks = self._listed or self.marks
        return tuple(Stretch(stage, start, end) for (stage, start), (_, end) in pairwise(marks))

    def sums(self) -> dict[Stage, int]:
        """The nanoseconds of each stage, from the start to the last mark."""
        sums = dict(self._unlisted)
        _add(sums, self._listed)
        _add(sums, self.marks)
        return sums

    def _sum_up(self) -> None:
        """Keeps the first marks in the list, and only the sums of later marks."""
        if self._listed:
            unlisted = dict(self._unlisted)
            _add(unlisted, self.marks)
            self._unlisted = unlisted
        else:
            self._listed = self.marks
        self.marks = self.marks[-1:]


class InStage:
    """Marks a block as a stage on the clock of the current thread's run, if the thread computes a run.

    Args:
        stage: of the block, from its start to ``end`` or its exit.
    """

    def __init__(self, stage: Stage) -> None:
        self._clock = StageClock.current()
        self._stage = stage

    def __enter__(self) -> InStage:
        if self._clock is not None:
            self._clock.enter(self._stage)
        return self

    def end(self) -> None:
        """Ends the stage early; a second call has no effect."""
        clock, self._clock = self._clock, None
        if clock is not None:
            clock.end()

    def __exit__(self, *_: object) -> None:
        self.end()


def _add(sums: dict[Stage, int], marks: Sequence[tuple[Stage, int]]) -> None:
    for (stage, start), (_, end) in pairwise(marks):
        sums[stage] = sums.get(stage, 0) + end - start
