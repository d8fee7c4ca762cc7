"""Repairing: finds the nodes that must keep float32, by rounded reference runs, and proves them on the device."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from time import monotonic

import numpy as np
from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...delegate import Delegate
from ...errors import InputError, LiteDelegateError, PlacementError
from ...inference import CompiledModel
from ...inference.compiling.compilation import compile_for_shapes
from ...inference.tensors.port import planned_shapes
from ...numerics.rounding import is_coarse
from ...numerics.usability import OutputKind, OutputUse, UsableLimits, uses_of
from ...partition.options import FASTEST
from ...runtime.records.records import CPU, PartitionRecord
from ..loss import Loss
from ..repair import PlanCost, Repair, RepairOptions, cost_of
from .emulation import Emulation
from .growing import grown
from .minimizing import OutOfBudget, minimal_subset, smaller_subset

Kept = frozenset[str]
ROUNDS = 4
"""The number of times that the goal of the rounded runs is raised because the device missed it."""
STEP_DB = 3.0
"""By how much it is raised at least, in dB."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One set of inputs that a repair must hold for.

    Attributes:
        arrays: the inputs.
        emulation: rounded runs on them, and the reference run.
        got: the outputs on the device as it is.
    """

    arrays: Sequence[Array]
    emulation: Emulation
    got: Sequence[Array]

    @property
    def want(self) -> Sequence[Array]:
        """The outputs of the reference run."""
        return self.emulation.pure.outputs or ()


class Repairing:
    """One repair of one model.

    Args:
        compiled: the model as it is.
        samples: sets of inputs, one at least; all of the same shapes.
        kinds: the kinds of the outputs.
        limits: the figures that the outputs must reach.
        options: the limits of the repair.

    Raises:
        InputError: nothing that the delegates run is rounded, the model must not run on the CPU, or there is no such
            device.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        samples: Sequence[Sample],
        kinds: Sequence[OutputKind],
        limits: UsableLimits,
        options: RepairOptions,
    ) -> None:
        self._compiled, self._samples = compiled, samples
        self._kinds, self._limits, self._options = kinds, limits, options
        self._before = _worst(uses_of(kinds, sample.got, sample.want, limits) for sample in samples)
        self._nodes = samples[0].emulation.nodes
        self._names = [node.name for node in self._nodes]
        self._started = monotonic()
        self._seen: dict[Kept, bool] = {}
        self._plans: dict[Kept, tuple[tuple[OutputUse, ...], PlanCost] | None] = {}
        self._plans[frozenset()] = self._before, cost_of(compiled.partition)
        self._emulated, self._margin_db, self._is_late, self._notes = 0, 0.0, False, dict[str, None]()
        self._check()
        self._device = _device(compiled.delegates, samples[0].emulation, options.device)

    def run(self) -> Repair:
        """The repair, with a note on any part that its time did not allow."""
        if _all_usable(self._before):
            return self._ended((), minimal=True, minimum=True)
        try:
            return self._found()
        except OutOfBudget:
            self._notes["its time was over before a plan that reaches the goal was found"] = None
            return self._ended((), minimal=False, minimum=False)

    def _found(self) -> Repair:
        for _ in range(ROUNDS):
            chosen, minimum = self._by_emulation()
            if chosen:
                self._say(
                    f"building the plan that keeps {len(chosen)} of "
                    f"{counted(len(self._names), 'node')} on {self._device}"
                )
            if self._holds_on_device(chosen):
                kept, minimal = self._minimal_on_device(chosen)
                return self._ended(kept, minimal=minimal, minimum=minimum and kept == chosen)
            if len(chosen) == len(self._names):
                return self._ended(chosen, minimal=False, minimum=False)
            self._raise_goal(chosen)
        self._holds_on_device(self._names)
        return self._ended(self._names, minimal=False, minimum=False)

    def _by_emulation(self) -> tuple[list[str], bool]:
        """The nodes to keep by rounded runs, and whether all smaller sets were tried."""
        self._seen.clear()
        self._say("looking for the nodes by rounded reference runs")
        try:
            start = grown(self._nodes, self._holds, self._losses)
        except OutOfBudget:
            return self._names, False
        if not start:
            return [], False
        ordered = self._ordered(start)
        self._say(
            f"{counted(len(ordered), 'node is', 'nodes are')} enough in rounded reference runs; "
            "leaving out nodes that are not needed"
        )
        chosen, _ = minimal_subset(ordered, self._holds)
        self._say(f"{counted(len(chosen), 'node is', 'nodes are')} left; trying smaller sets, if they are few")
        smaller, minimum = smaller_subset(self._names, len(chosen), self._holds, self._options.exhaustive)
        return (chosen if smaller is None else smaller), minimum and not self._margin_db

    def _minimal_on_device(self, chosen: Sequence[str]) -> tuple[list[str], bool]:
        self._say(f"it reaches the goal; leaving out each of the {counted(len(chosen), 'node')} on the device")
        if len(chosen) == 1:
            return list(chosen), True  # without it the model is as it was
        is_rough = len(chosen) == len(self._names)  # no run has shown which nodes are not needed
        return minimal_subset(chosen, self._holds_on_device, parts=2 if is_rough else len(chosen))

    def _holds(self, kept: Collection[str]) -> bool:
        """Whether the outputs are usable in a rounded run."""
        key = frozenset(kept)
        if key not in self._seen:
            self._check_time(self._options.seconds / 2)
            self._seen[key] = all(self._holds_for(sample, key) for sample in self._samples)
        return self._seen[key]

    def _holds_for(self, sample: Sample, kept: Kept) -> bool:
        self._emulated += 1
        recording = sample.emulation.run(kept)
        if recording is None or recording.outputs is None:
            return False
        limits = replace(self._limits, snr_db=self._limits.snr_db + self._margin_db)
        return _all_usable(uses_of(self._kinds, recording.outputs, sample.want, limits))

    def _losses(self, kept: Kept) -> list[Loss]:
        """The losses of the first set of inputs that does not hold."""
        sample = next((each for each in self._samples if not self._holds_for(each, kept)), self._samples[0])
        self._emulated += 1
        return sample.emulation.losses(kept)

    def _holds_on_device(self, kept: Sequence[str]) -> bool:
        """Whether the outputs are usable on the device, with these nodes kept."""
        key = frozenset(kept)
        if key not in self._plans:
            self._check_time(self._options.seconds)
            self._plans[key] = self._tried(kept)
        found = self._plans[key]
        return found is not None and _all_usable(found[0])

    def _tried(self, kept: Sequence[str]) -> tuple[tuple[OutputUse, ...], PlanCost] | None:
        try:
            uses, record = self._on_device(kept)
        except PlacementError as e:
            if self._device == CPU:
                self._notes[f"a plan cannot be made: {e}"] = None
                return None
            self._notes[f"'{self._device}' does not take all of the nodes, so the CPU keeps them: {e}"] = None
            self._device = CPU
            return self._tried(kept)
        except LiteDelegateError as e:  # it does not compile, or does not run
            self._notes[f"a plan failed: {e}"] = None
            return None
        return uses, cost_of(record)

    def _on_device(self, kept: Sequence[str]) -> tuple[tuple[OutputUse, ...], PartitionRecord]:
        settings = self._compiled.settings
        partition = replace(settings.partition, affinity=self._affinity(kept))
        settings = replace(settings, partition=partition, falls_back=False)
        shapes = planned_shapes(self._compiled.inputs, self._samples[0].arrays)
        built = compile_for_shapes(self._compiled.graph, shapes, settings, [])
        try:
            return _worst(self._uses_on(built, sample) for sample in self._samples), built.partition
        finally:
            built.close()

    def _uses_on(self, built: CompiledModel, sample: Sample) -> tuple[OutputUse, ...]:
        outputs = built.create_infer_request().infer([array.copy() for array in sample.arrays])
        return uses_of(self._kinds, [np.array(output) for output in outputs], sample.want, self._limits)

    def _affinity(self, kept: Iterable[str]) -> dict[str, str]:
        return {**self._compiled.settings.partition.affinity, **dict.fromkeys(kept, self._device)}

    def _raise_goal(self, chosen: Sequence[str]) -> None:
        found = self._plans[frozenset(chosen)]
        ratios = [use.snr_db for use in found[0] if use.snr_db is not None] if found else []
        missing = self._limits.snr_db - min(ratios, default=0.0)
        self._margin_db += max(STEP_DB, missing if math.isfinite(missing) else STEP_DB)
        self._say(f"the device misses the goal; {self._margin_db:.0f} dB more are asked of rounded reference runs")

    def _ended(self, kept: Sequence[str], *, minimal: bool, minimum: bool) -> Repair:
        plan, seconds = self._plans.get(frozenset(kept)), monotonic() - self._started
        after, cost = plan if plan is not None else ((), None)
        before = cost_of(self._compiled.partition)
        return Repair(
            reached=_all_usable(after),
            device=self._device,
            kept=tuple(kept),
            affinity=self._affinity(kept),
            before=self._before,
            after=after,
            cost_before=before,
            cost_after=cost,
            minimal=minimal,
            minimum=minimum,
            emulated=self._emulated,
            built=len(self._plans) - 1,
            seconds=seconds,
            samples=len(self._samples),
            out_of_time=self._is_late,
            notes=tuple(self._notes),
        )

    def _ordered(self, kept: Kept) -> list[str]:
        return [name for name in self._names if name in kept]

    def _check_time(self, most: float) -> None:
        if monotonic() - self._started > most:
            self._is_late = True
            raise OutOfBudget

    def _check(self) -> None:
        settings = self._compiled.settings
        if not self._names:
            raise InputError(
                "There is nothing to repair: no delegate of the model states a storage type (Delegate.storage_dtype) "
                "that is coarser than float32, so rounding cannot be the cause of wrong outputs."
            )
        if settings.partition.placement == FASTEST:
            raise InputError("A repair needs one plan: leave the placement 'fastest' out, and name the delegates.")
        if settings.strict:
            raise InputError("A repair keeps nodes off the device, which Context.strict forbids: leave that out.")

    def _say(self, text: str) -> None:
        if self._options.progress is not None:
            self._options.progress(text)


def _device(delegates: Mapping[str, Delegate], emulation: Emulation, asked: str | None) -> str:
    """Where nodes are kept, see ``RepairOptions.device``."""
    if asked is not None:
        if asked != CPU and asked not in delegates:
            raise InputError(f"A repair can keep nodes on {', '.join([CPU, *delegates])}, got '{asked}'.")
        return asked
    losing = {subgraph.delegate.name for subgraph in emulation.subgraphs.values()}
    for name, each in delegates.items():
        storage = each.storage_dtype
        if name not in losing and storage is not None and not is_coarse(storage):
            return name
    return CPU


def _worst(each: Iterable[tuple[OutputUse, ...]]) -> tuple[OutputUse, ...]:
    """Of each output the worst of several sets of inputs."""
    return tuple(min(uses, key=_rank) for uses in zip(*each, strict=True))


def _rank(use: OutputUse) -> tuple[bool, float]:
    return use.usable, math.inf if use.snr_db is None else use.snr_db


def _all_usable(uses: Sequence[OutputUse]) -> bool:
    return bool(uses) and all(use.usable for use in uses)
