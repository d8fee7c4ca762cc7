"""DynamicPlans: the plans of a model with open dimensions, one for each set of shapes of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import RLock
from time import perf_counter_ns
from typing import Protocol
from weakref import WeakSet

from lite_delegate_kernels import Array

from ...basics.forking import free, free_in_children
from ...basics.warned import Warnings
from ...delegate import Kernel
from ...errors import ModelClosed
from ...runtime.execution.plan import ExecutionPlan
from ...runtime.lifetimes.lease import Lease
from ...runtime.lifetimes.shared import Shared
from ...runtime.records.notices import Notices
from ...runtime.records.records import PartitionRecord
from ..model_file.parts import ModelParts
from ..planned.planned_model import PlannedModel
from ..profiling.plan_use import PlanUse
from ..profiling.stages import InStage, Stage
from ..properties.model_properties import ModelProperties
from ..running.runner import Runner
from ..running.runner_maker import runner_of
from ..tensors.port import Bounds, Port, Ranges, planned_shapes
from .padding import Padded, Padding, needs_padding
from .plan_cache import PlanCache

Shapes = tuple[tuple[int, ...], ...]


class PlanKeeper(Protocol):
    """A runner that keeps its plan from one run to the next."""

    @property
    def shapes(self) -> Shapes | None:
        """The shapes of the kept plan; None for the first plan only."""


class _Kept:
    """The kept plans, which hold no reference to the lease on all of them."""

    def __init__(self, first: PlannedModel, shapes: Shapes) -> None:
        self.first = self.latest = first
        self.plans: PlanCache[Shapes, PlannedModel] = PlanCache(pinned=shapes)
        self.is_closed = False

    def give_back(self) -> None:
        """Closes all plans if the model was closed; plans of a garbage-collected model may still be in use."""
        if self.is_closed:
            for plan in (self.first, self.latest, *self.plans.values()):
                plan.close()


class DynamicPlans:
    """The plans of a model with open dimensions, by the shapes of its inputs. Safe for several threads.

    A runner keeps its plan after the plan has left the cache.

    Args:
        first: the plan of the compilation, which is never dropped.
        bounds: of the inputs.
    """

    def __init__(self, first: PlannedModel, bounds: Bounds) -> None:
        self._first = first
        pads = needs_padding(first.settings, bounds)
        self._padding = Padding(first.graph, first.settings, bounds) if pads else None
        self._properties: ModelProperties | None = None
        self._falls_back: bool | None = None
        self._runners: WeakSet[PlanKeeper] = WeakSet()
        self._lock = RLock()  # of the runners; reentrant, because the garbage collector may run inside of the lock
        self._usual: Shapes = tuple(tuple(tensor.shape) for tensor in first.plan.inputs)
        self._kept = _Kept(first, self._usual)
        if not first.shape_error:
            self._kept.plans.keep(self._usual, first)
        self.lease = Lease([Shared(self._kept.give_back, "the plans of a model with open dimensions")])
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    def close(self, reason: str) -> None:
        """As ``CompiledModel.close``, for all plans, kept or in use."""
        self._kept.is_closed = True
        self.lease.close(reason)
        self._first.close(reason)

    def add(self, runner: PlanKeeper) -> None:
        """Adds a runner that keeps its plan."""
        with self._lock:
            self._runners.add(runner)

    def release(self) -> int:
        """Drops the plans that no runner uses, but not the plan of the compilation; a later run plans anew.

        Returns:
            The bytes that became free on devices.
        """
        with self._kept.plans.planning():
            with self._lock:
                in_use = {runner.shapes for runner in self._runners}
            idle = {
                shapes: plan
                for shapes, plan in self._kept.plans.items()
                if plan is not self._first and shapes not in in_use
            }
            for shapes in idle:
                self._kept.plans.remove(shapes)
            if self._kept.latest in idle.values():
                self._kept.latest = self._first
            return sum(_given_back(plan) for plan in idle.values())

    @property
    def latest(self) -> PlannedModel:
        """The plan of the latest run; before the first run the plan of the compilation."""
        return self._kept.latest

    @property
    def plan(self) -> ExecutionPlan:
        """As ``Plans.plan``."""
        return self.latest.plan

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """As ``Plans.graph_kernels``."""
        return self.latest.graph_kernels

    @property
    def has_lost_device(self) -> bool:
        """As ``Plans.has_lost_device``."""
        return self.latest.has_lost_device

    @property
    def is_closed(self) -> bool:
        """As ``Plans.is_closed``."""
        return self.lease.is_closed

    def check_open(self) -> None:
        """As ``Plans.check_open``."""
        self.lease.check()

    def parts(self) -> ModelParts:
        """The parts of the compilation's plan, which is planned anew if its graph kernels moved to another plan."""
        parts = self._first.parts()
        if not self._first.is_closed or self.lease.is_closed or self._first.shape_error:
            return parts
        plan, _ = self.plan_for(self._usual)
        return replace(parts, scheduled=plan.parts().scheduled)

    @property
    def kept(self) -> tuple[PlannedModel, ...]:
        """The kept plans, the plan of the latest run at the end."""
        return self._kept.plans.values()

    @property
    def partition(self) -> PartitionRecord:
        """The partition of the latest plan; the notes have the number of plans."""
        record, count = self._kept.latest.partition, len(self._kept.plans)
        if self._padding is not None and (note := self._padding.note):
            record = replace(record, notes=(note, *record.notes))
        if self._kept.latest is self._first:
            return record
        shapes = ", ".join(f"'{tensor.name}' {tensor.shape}" for tensor in self._kept.latest.plan.inputs)
        return replace(record, notes=(f"Open dimensions: planned for {shapes}; {count} plans are kept", *record.notes))

    def take_warnings(self) -> list[str]:
        """As ``PlannedModel.take_warnings``, for all kept plans."""
        return [text for plan in self.kept for text in plan.take_warnings()]

    def shapes_of(self, arrays: Sequence[Array]) -> Shapes:
        """The shapes of inputs as a key of plans, without the sizes of strings."""
        return planned_shapes(self._first.inputs, arrays)

    def padded(self, shapes: Shapes) -> Padded:
        """The padding of a run with given input shapes."""
        return Padded(shapes) if self._padding is None else self._padding.of(shapes)

    def plan_for(self, shapes: Shapes) -> tuple[PlannedModel, PlanUse]:
        """The plan for input shapes, which is made where no usable plan is kept.

        Raises:
            ModelClosed: the model has been closed.
            RequestCancelled: the run was cancelled.
            LiteDelegateError: the model rejects the shapes, see ``runtime.planning.scheduler.schedule``.
        """
        found = self._found(shapes)
        if found is not None:
            return found, PlanUse(shapes)
        started = perf_counter_ns()
        with InStage(Stage.PREPROCESS), self._kept.plans.planning():
            self._kept.latest = found = self._kept.plans.found_or_made(shapes, partial(self._planned, shapes))
            self._kept.plans.keep(shapes, found)
        return found, PlanUse(shapes, perf_counter_ns() - started)

    def runner(self) -> Runner:
        """A runner of the compilation's plan, or of a plan that its graph kernels moved to.

        Raises:
            ModelClosed: the model has been closed.
        """
        while True:
            self.lease.check()
            for plan in (self._first, *reversed(self.kept)):
                try:
                    return runner_of(plan.parts().scheduled, plan.fallbacks)
                except ModelClosed:  # the graph kernels have moved, or are moving now
                    continue
            self.plan_for(self._usual)

    def _found(self, shapes: Shapes) -> PlannedModel | None:
        """The kept plan for shapes, which becomes the latest plan; None without a usable plan."""
        found = self._kept.plans.find(shapes)
        if found is not None:
            self._kept.latest = found
        return found

    def change(self, properties: ModelProperties, *, falls_back: bool | None) -> None:
        """Applies properties that were set at run time to all plans, also to plans that are made later.

        Args:
            properties: of the model, already set on the first plan.
            falls_back: whether CPU kernels take over from a failed device; None: no change.
        """
        with self._kept.plans.planning():
            self._properties = properties
            self._falls_back = self._falls_back if falls_back is None else falls_back
            for plan in self.kept:
                self._tell(plan)

    def _tell(self, plan: PlannedModel) -> None:
        plan.log.change(self._first.log.level)
        if self._falls_back is not None:
            plan.fallbacks.switch(is_on=self._falls_back)
        if self._properties is not None:
            self._properties.tell(plan.parts().scheduled.delegation.owners)

    def _planned(self, shapes: Shapes) -> PlannedModel:
        from ..planned.planned_parts import planned_after, planned_anew

        base = next((each for each in (self._kept.latest, *self.kept) if not each.is_closed), None)
        graph, settings = self._first.graph, self._first.settings
        with Warnings() as said:
            if base is None:  # the graph kernels moved to plans that were dropped
                wanted = dict(zip(graph.inputs, shapes, strict=True))
                parts = planned_anew(graph, wanted, settings, Notices(warnings=said))
            else:
                lost = base.has_lost_device
                parts = planned_after(base.parts(), shapes, settings, said, has_lost_device=lost)
        made = PlannedModel(parts)
        self._tell(made)
        return made


def _given_back(plan: PlannedModel) -> int:
    """Closes a plan; gives the bytes that became free on devices."""
    kernels = list(plan.graph_kernels)
    held = sum(kernel.resident_nbytes for kernel in kernels)
    plan.close()
    return held - sum(kernel.resident_nbytes for kernel in kernels)


def with_ranges(ports: Sequence[Port], bounds: Sequence[Ranges | None]) -> tuple[Port, ...]:
    """Ports with new ranges."""
    return tuple(replace(port, ranges=each) for port, each in zip(ports, bounds, strict=True))
