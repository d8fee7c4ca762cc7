"""RequestProfile: the stages of the last run of a request with their times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...delegate import LayerTime, TurnCause
from .plan_use import PlanUse
from .simulated_profile import SimulatedProfile
from .stages import Stage, StageClock, Stretch


@dataclass(frozen=True, slots=True)
class RequestProfile(Brief):
    """The stages of one run, in integer nanoseconds of one clock, which add up to the latency exactly.

    Attributes:
        start_ns: of ``time.perf_counter_ns``, at the call that started the run.
        end_ns: at the commit or the failure of the run.
        stages: the time of each stage of the run.
        stretches: the stages in order, each from the end of the stage before; at most 4,096.
        cancel_latency_ns: the time from the cancellation to the end of the run; None for a run without cancellation.
        callback: the user's callback, which is no part of the latency; None without a callback, or before its end.
        waited: the times of waiting for the device, by cause; their sum is at most the stage TURN.
        plan: the plan for the shapes of the run, new or reused; None for a model without open dimensions, and for a run
            that ended before its plan.
        simulated: the estimated stages on the clocks of simulated devices; None where no simulated device ran.
        layers: the layer times that backends measured in the last run of each graph kernel, by graph kernel; under
            "CPU" the CPU kernels, with PERF_COUNT of the CPU.
    """

    start_ns: int
    end_ns: int
    stages: Mapping[Stage, int]
    stretches: tuple[Stretch, ...]
    cancel_latency_ns: int | None = None
    callback: Stretch | None = None
    waited: Mapping[TurnCause, int] = field(default_factory=dict)
    plan: PlanUse | None = None
    simulated: SimulatedProfile | None = None
    layers: Mapping[str, Sequence[LayerTime]] = field(default_factory=dict)

    @property
    def latency_ns(self) -> int:
        """The nanoseconds from start to commit."""
        return self.end_ns - self.start_ns

    @classmethod
    def of(cls, clock: StageClock, cancelled_ns: int = 0, callback: Stretch | None = None) -> RequestProfile:
        """The profile that a clock has recorded.

        Args:
            clock: of the run, which has ended.
            cancelled_ns: the time of the cancellation, on the same clock; 0: no cancellation.
            callback: the time of the user's callback.
        """
        end_ns = clock.ended_ns
        stages, late = MappingProxyType(clock.sums()), end_ns - cancelled_ns if cancelled_ns else None
        waited = MappingProxyType(dict(clock.waited))
        runs = clock.simulated_runs
        simulated = SimulatedProfile(runs) if runs else None
        seen = (clock.started_ns, end_ns, stages, clock.stretches())
        return cls(*seen, late, callback, waited, clock.plan, simulated, clock.layers)

    def _repr_html_(self) -> str:
        """What a notebook shows: a line, and the time of each stage with its share of the latency."""
        from ...basics.words.fragments import fragment

        whole = self.latency_ns or 1
        rows = [(str(stage), ns / 1000, f"{100 * ns / whole:.1f} %") for stage, ns in self.stages.items()]
        rows += [] if self.callback is None else [(str(self.callback.stage), self.callback.duration_ns / 1000, "")]
        return fragment(repr(self), "", ("stage", "us", "share of the latency"), rows)
