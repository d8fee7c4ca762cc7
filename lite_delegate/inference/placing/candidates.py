"""Candidates: the plans of one model from which the fastest is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType

import numpy as np
from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...delegate import Delegate
from ...partition.options import COUNT
from ...runtime.execution.fallback import Fallbacks
from ...runtime.records import PartitionRecord
from ...runtime.records.notices import Notices
from ...runtime.records.records import CPU
from ...runtime.settings import Settings
from ..model_file.parts import ModelParts
from ..running.runner_maker import runner_of
from .measurement import TurnClock

Plan = Callable[[Settings, Notices], ModelParts]
"""Plans the model for settings of a single placement."""
NOWHERE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A plan that can be measured.

    Attributes:
        parts: the plan.
        notices: the notes and warnings of planning.
        delegates: of the plan.
        made_ns: the time that planning took.
        estimated_us: the estimated time of a prediction, where known.
        threads: of the host for each run; 0: the number of the user or of the runtimes.
    """

    parts: ModelParts
    notices: Notices
    delegates: tuple[Delegate, ...]
    made_ns: int
    estimated_us: float | None = None
    threads: int = 0

    @property
    def record(self) -> PartitionRecord:
        """The partition of the plan."""
        return self.parts.scheduled.plan.record

    @property
    def is_single(self) -> bool:
        """Whether the plan has one delegate with all its claims, or the host alone, with the usual threads."""
        return len(self.delegates) < 2 and self.estimated_us is None and not self.threads

    @property
    def leaves_nodes(self) -> bool:
        """Whether the host runs nodes."""
        return any(node.subgraph is None for node in self.record.nodes)

    @property
    def devices(self) -> str:
        """The devices as text: the delegates in order, and the CPU if it has nodes; a mixture with numbers of nodes.

        A plan with its own number of threads has this number at the end.
        """
        counts = Counter(CPU if node.subgraph is None else node.device for node in self.record.nodes)
        names = [each for each in (*(each.name for each in self.delegates), CPU) if counts[each]]
        if self.estimated_us is not None:
            names = [f"{each} ({counted(counts[each], 'node')})" for each in names]
        return ", ".join(names) + (f" on {counted(self.threads, 'thread')}" if self.threads else "")

    @property
    def idle(self) -> list[str]:
        """The names of delegates without a subgraph in the plan."""
        took = {each.delegate for each in self.record.subgraphs}
        return [each.name for each in self.delegates if each.name not in took]

    def prediction(self, arrays: Sequence[Array]) -> Callable[[], object]:
        """A function that predicts once with each call."""
        scheduled = self.parts.scheduled
        runner = runner_of(scheduled, Fallbacks(scheduled.plan))

        def predict() -> object:
            with np.errstate(all="ignore"):
                return runner.run(arrays)

        return predict

    def give_back(self) -> None:
        """Closes the plan."""
        self.parts.scheduled.lease.close("Another plan was faster.")


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes candidates.

    Attributes:
        settings: of the user, with all delegates.
        notices: the notes and warnings from before.
        plan: makes a plan.
        clock: of the measurement.
    """

    settings: Settings
    notices: Notices
    plan: Plan
    clock: TurnClock
    held: list[Candidate] = field(default_factory=list)
    """The candidates that were made and not given back."""
    made_ns: list[int] = field(default_factory=list)
    """The times of all planning, also of failed plans and plans given back."""

    def candidate(
        self,
        delegates: tuple[Delegate, ...],
        affinity: Mapping[str, str] = NOWHERE,
        most: int | None = None,
        groups: Sequence[Sequence[str]] = (),
        estimated_us: float | None = None,
    ) -> Candidate:
        """A plan with some delegates.

        Args:
            delegates: each gets the claims that the delegates before it leave.
            affinity: the device of a kernel by its name, instead of the claims.
            most: kernels of a subgraph; None: the user's limit.
            groups: names of kernels that stay in one subgraph.
            estimated_us: the estimated time of a prediction.

        Raises:
            LiteDelegateError: the plan cannot be made.
        """
        settings = self.settings
        partition = replace(settings.partition, placement=COUNT)
        if most is not None:
            partition = replace(partition, max_kernels_per_subgraph=most)
        wanted = replace(
            settings,
            delegates=delegates,
            partition=partition,
            kernel_affinity=affinity,
            kernel_groups=tuple(map(frozenset, groups)),
            needs_all=settings.needs_all and bool(delegates),
            plan_only=False,
        )
        return self._made(wanted, estimated_us)

    def with_threads(self, candidate: Candidate, threads: int) -> Candidate:
        """The plan of a candidate, with another number of threads for each run.

        Raises:
            LiteDelegateError: the plan cannot be made.
        """
        return self._made(replace(candidate.parts.scheduled.settings, chosen_threads=threads), candidate.estimated_us)

    def _made(self, wanted: Settings, estimated_us: float | None) -> Candidate:
        heard = Notices([*self.notices.notes], [*self.notices.warnings])
        started = self.clock.now()
        try:
            parts = self.plan(wanted, heard)
        finally:
            self.made_ns.append(self.clock.now() - started)
        made = Candidate(parts, heard, wanted.delegates, self.made_ns[-1], estimated_us, wanted.chosen_threads)
        self.held.append(made)
        return made

    def give_back(self, *unwanted: Candidate) -> None:
        """Gives candidates back."""
        for each in unwanted:
            each.give_back()
            self.held.remove(each)

    def give_back_others(self, kept: Candidate | None) -> None:
        """Gives all candidates back except one."""
        self.give_back(*[each for each in self.held if each is not kept])
