"""RequestProfile: what the time of the last run of a request went into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType

from ...basics.data_class import dataclass
from ...delegate import LayerTime, TurnCause
from .plan_use import PlanUse
from .simulated_profile import SimulatedProfile
from .stages import Stage, StageClock, Stretch


@dataclass(frozen=True, slots=True)
class RequestProfile:
    """The stages of one run, in integer nanoseconds of one clock; they add up to its latency exactly.

    Attributes:
        start_ns: of ``time.perf_counter_ns``, when the run was asked for.
        end_ns: when it was committed, or had failed.
        stages: the time of each stage that it went through.
        stretches: the same in order, each beginning where the one before ends; at most 4,096 of them.
        cancel_latency_ns: how long the run went on after it was cancelled; None where nobody cancelled it.
        callback: the user's callback, which is no part of the latency; None where there was none, or before its end.
        waited: why it waited for the device and how long; at most the stage TURN, which has the rest of asking it.
        plan: whether the plan for the shapes of the run was there or was made for it; None for a model whose dimensions
            are known, and for a run that ended before.
        simulated: the stages on the clocks of simulated devices, by estimates; None where none ran anything.
        layers: what backends measured of the layers of their graph kernels, by graph kernel, each in its last run; by
            "CPU" the CPU kernels, where its PERF_COUNT is on.
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
        """From start to commit."""
        return self.end_ns - self.start_ns

    @classmethod
    def of(cls, clock: StageClock, cancelled_ns: int = 0, callback: Stretch | None = None) -> RequestProfile:
        """What a clock has seen.

        Args:
            clock: of the run, which has ended.
            cancelled_ns: when it was cancelled, on the same clock; 0: it was not.
            callback: when the user's callback was called at its end.
        """
        end_ns = clock.ended_ns
        stages, late = MappingProxyType(clock.sums()), end_ns - cancelled_ns if cancelled_ns else None
        waited = MappingProxyType(dict(clock.waited))
        runs = clock.simulated_runs
        simulated = SimulatedProfile(runs) if runs else None
        seen = (clock.started_ns, end_ns, stages, clock.stretches())
        return cls(*seen, late, callback, waited, clock.plan, simulated, clock.layers)
