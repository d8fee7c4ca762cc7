"""Scheduling: an order in which little memory is in use at once, and stages of steps that run in parallel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..cost.cycles import step_cycles
from ..device.instructions.movement import MovementInstruction
from ..device.programs.program import ProgramStep
from ..ir.target import Target
from .flow import MemoryFlow

LOOKAHEAD = 16
"""So many steps that wait are looked at for one that can join a stage."""

ScheduleStage = tuple[ProgramStep, ...]


def schedule(flow: MemoryFlow, target: Target, *, sharing: bool = False) -> tuple[ScheduleStage, ...]:
    """The steps of ``flow`` in stages, each with its stage's number and its compute tiles.

    1. Order: depth first from the outputs, or the given order, whichever keeps fewer bytes of results at its worst
       moment.
    2. Joining: a stage is the first waiting step, and further steps within ``LOOKAHEAD`` that read no result of the
       stage, as long as compute tiles, DMA engines and the scratchpad suffice for all steps.
    3. Tiles: each step has all tiles that it can use. With ``sharing``, steps that together could use more tiles than
       there are share the tiles, the slowest step has the most, unless their computations one after the other take
       fewer cycles.

    The same module and target always give the same stages.

    Args:
        flow: the steps to schedule.
        target: the target that runs them.
        sharing: whether steps may have fewer tiles than they can use. The benefit depends on how long the steps wait
            for transfers.
    """
    orders = (flow.steps, _depth_first(flow))
    order = min(orders, key=lambda steps: _peak_bytes(flow, steps))
    return _Stages(flow, target, sharing=sharing).of(order)


def tiles_wanted(step: ProgramStep, flow: MemoryFlow, target: Target) -> int:
    """The compute tiles that a step can use: one for each ``vector_lanes`` elements of its result, at most all.

    What the DMA engines do alone needs none.
    """
    if isinstance(step.instruction, MovementInstruction):
        return 0
    elements = math.prod(flow.module.buffers[step.output].shape)
    return max(1, min(target.tiles, -(-elements // target.profile.compute.vector_lanes)))


def _depth_first(flow: MemoryFlow) -> tuple[ProgramStep, ...]:
    """The steps, each right after the missing steps that it needs; steps that no output needs come last."""
    maker = {step.output: step for step in flow.steps}
    done: dict[int, ProgramStep] = {}
    goals = [flow.root[port.buffer] for port in flow.module.outputs] + list(maker)
    stack = [goal for goal in reversed(goals) if goal in maker]
    while stack:
        goal = stack[-1]
        missing = [i for i in flow.operands(maker[goal]) if i in maker and i not in done]
        if missing and goal not in done:
            stack.extend(reversed(missing))
            continue
        done.setdefault(goal, maker[goal])
        stack.pop()
    return tuple(done.values())


def _peak_bytes(flow: MemoryFlow, order: Sequence[ProgramStep]) -> int:
    """Bytes of results that wait for a reader at the worst moment, the results of the step that runs included."""
    live, peak, left = 0, 0, _reads_left(flow)
    for step in order:
        peak = max(peak, live + flow.sizes[step.output])
        live += flow.kept[step.output] - _freed(flow, step, left)
    return peak


def _reads_left(flow: MemoryFlow) -> dict[int, int]:
    """For each result, the steps that read it; the host is one more, and keeps it."""
    outputs = [step.output for step in flow.steps]
    return {i: len(flow.readers.get(i, ())) + (i in flow.outside) for i in outputs}


def _freed(flow: MemoryFlow, step: ProgramStep, left: dict[int, int]) -> int:
    """Bytes of results that nobody needs after the step; notes in ``left`` that it has read its operands."""
    freed = 0 if left[step.output] else flow.kept[step.output]
    for i in flow.operands(step):
        if i in left:
            left[i] -= 1
            freed += 0 if left[i] else flow.kept[i]
    return freed


class _Stages:
    """Forms stages from steps in order."""

    def __init__(self, flow: MemoryFlow, target: Target, *, sharing: bool) -> None:
        self._flow = flow
        self._target = target
        self._sharing = sharing
        self._left = _reads_left(flow)
        self._ready = set(flow.sources)
        self._live = 0

    def of(self, order: Sequence[ProgramStep]) -> tuple[ScheduleStage, ...]:
        waiting = list(order)
        stages: list[ScheduleStage] = []
        while waiting:
            chosen, shares = self._choose(waiting[:LOOKAHEAD])
            names = {step.output for step in chosen}
            waiting[:LOOKAHEAD] = [step for step in waiting[:LOOKAHEAD] if step.output not in names]
            stages.append(tuple([self._numbered(step, len(stages), shares.get(step.output, 0)) for step in chosen]))
            self._run(chosen)
        return tuple(stages)

    def _numbered(self, step: ProgramStep, stage: int, tiles: int) -> ProgramStep:
        return replace(step, stage=stage, tiles=tiles, streamed=self._flow.streams(step))

    def _choose(self, candidates: Sequence[ProgramStep]) -> tuple[list[ProgramStep], Mapping[int, int]]:
        """The steps of the next stage, and the compute tiles of each, by the buffer that it fills."""
        chosen = [candidates[0]]
        shares = self._shares(chosen) or {}
        for step in candidates[1:]:
            more = [*chosen, step]
            if self._ready.issuperset(self._flow.operands(step)) and self._fit(more):
                together = self._shares(more)
                if together is not None and self._pays(shares, more, together):
                    chosen, shares = more, together
        return chosen, shares

    def _fit(self, steps: Sequence[ProgramStep]) -> bool:
        """True when steps can run side by side without sending results that wait to DRAM."""
        flow, target = self._flow, self._target
        computing = _computing(steps)
        if len(steps) - len(computing) > target.dma_engines or any(map(flow.streams, steps)):
            return False
        brought = {i for step in computing for i in flow.operands(step) if i in flow.sources}
        filled = {step.output for step in steps} - flow.gathered
        more = sum(map(flow.sizes.__getitem__, filled | brought))
        return self._live + more <= flow.capacity and flow.working_set(computing) <= flow.capacity

    def _shares(self, steps: Sequence[ProgramStep]) -> Mapping[int, int] | None:
        """The compute tiles of steps side by side, by the buffer that each fills; None where tiles do not suffice."""
        computing = _computing(steps)
        wanted = {step.output: tiles_wanted(step, self._flow, self._target) for step in computing}
        if sum(wanted.values()) <= self._target.tiles:
            return wanted
        if not self._sharing or len(computing) > self._target.tiles:
            return None
        shares = dict.fromkeys(wanted, 1)
        for _ in range(self._target.tiles - len(computing)):
            growing = [step for step in computing if shares[step.output] < wanted[step.output]]
            slowest = max(growing, key=lambda step: self._cycles(step, shares[step.output]))
            shares[slowest.output] += 1
        return shares

    def _pays(self, shares: Mapping[int, int], steps: Sequence[ProgramStep], together: Mapping[int, int]) -> bool:
        """True when computations side by side take no longer than the last step run after the other steps.

        Args:
            shares: the compute tiles of the other steps without the last one.
            steps: all steps.
            together: the compute tiles of all steps side by side.
        """
        last = steps[-1]
        if isinstance(last.instruction, MovementInstruction):
            return True
        alone = tiles_wanted(last, self._flow, self._target)
        before = [self._cycles(step, shares[step.output]) for step in _computing(steps[:-1])]
        side_by_side = [self._cycles(step, together[step.output]) for step in _computing(steps)]
        return max(side_by_side) <= max(before, default=0) + self._cycles(last, alone)

    def _cycles(self, step: ProgramStep, tiles: int) -> int:
        return step_cycles(self._flow.module, step, tiles, self._target.profile.compute)

    def _run(self, chosen: Sequence[ProgramStep]) -> None:
        for step in chosen:
            self._ready.add(step.output)
            self._live += self._flow.kept[step.output] - _freed(self._flow, step, self._left)


def _computing(steps: Sequence[ProgramStep]) -> list[ProgramStep]:
    return [step for step in steps if not isinstance(step.instruction, MovementInstruction)]
