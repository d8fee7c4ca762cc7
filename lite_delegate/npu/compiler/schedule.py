"""Scheduling: an order in which little memory is in use at once, and stages of steps that run side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..device.movement import Movement
from ..device.program import Step
from ..target import Target
from .flow import Flow

LOOKAHEAD = 16
"""So many steps that wait are looked at for one that can join a stage."""

Stage = tuple[Step, ...]


def schedule(flow: Flow, target: Target) -> tuple[Stage, ...]:
    """The steps of ``flow`` in stages, with their stage's number and the compute tiles that each is given.

    1. Order: depth first from the outputs, or as it is, whichever keeps fewer bytes of results at its worst moment.
    2. Joining: a stage is the first step that waits, and further ones within ``LOOKAHEAD`` that read no result of
       the stage, as long as compute tiles, DMA engines and the scratchpad do for all of them.

    The same module and target always give the same stages.
    """
    orders = (flow.steps, _depth_first(flow))
    order = min(orders, key=lambda steps: _peak_bytes(flow, steps))
    return _Stages(flow, target).of(order)


def tiles_wanted(step: Step, flow: Flow, target: Target) -> int:
    """The compute tiles that a step can use: one for each ``vector_lanes`` elements of its result, at most all.

    What the DMA engines do alone needs none.
    """
    if isinstance(step.instruction, Movement):
        return 0
    elements = math.prod(flow.module.buffers[step.output].shape)
    return max(1, min(target.tiles, -(-elements // target.profile.compute.vector_lanes)))


def _depth_first(flow: Flow) -> tuple[Step, ...]:
    """Each step right after what it needs that was not there yet; what no output needs comes last."""
    maker = {step.output: step for step in flow.steps}
    done: dict[int, Step] = {}
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


def _peak_bytes(flow: Flow, order: Sequence[Step]) -> int:
    """Bytes of results that wait for a reader at the worst moment, the results of the step that runs included."""
    live, peak, left = 0, 0, _reads_left(flow)
    for step in order:
        peak = max(peak, live + flow.size(step.output))
        live += flow.kept(step.output) - _freed(flow, step, left)
    return peak


def _reads_left(flow: Flow) -> dict[int, int]:
    """For each result, the steps that read it; the host is one more, and keeps it."""
    outputs = [step.output for step in flow.steps]
    return {i: len(flow.readers.get(i, ())) + (i in flow.outside) for i in outputs}


def _freed(flow: Flow, step: Step, left: dict[int, int]) -> int:
    """Bytes of results that nobody needs after the step; notes in ``left`` that it has read its operands."""
    freed = 0 if left[step.output] else flow.kept(step.output)
    for i in flow.operands(step):
        if i in left:
            left[i] -= 1
            freed += 0 if left[i] else flow.kept(i)
    return freed


class _Stages:
    """Forms stages from steps in order."""

    def __init__(self, flow: Flow, target: Target) -> None:
        self._flow = flow
        self._target = target
        self._left = _reads_left(flow)
        self._ready = set(flow.sources)
        self._live = 0

    def of(self, order: Sequence[Step]) -> tuple[Stage, ...]:
        waiting = list(order)
        stages: list[Stage] = []
        while waiting:
            chosen = self._choose(waiting[:LOOKAHEAD])
            names = {step.output for step in chosen}
            waiting[:LOOKAHEAD] = [step for step in waiting[:LOOKAHEAD] if step.output not in names]
            stages.append(tuple(self._numbered(step, len(stages)) for step in chosen))
            self._run(chosen)
        return tuple(stages)

    def _numbered(self, step: Step, stage: int) -> Step:
        tiles, streamed = tiles_wanted(step, self._flow, self._target), self._flow.streams(step)
        return replace(step, stage=stage, tiles=tiles, streamed=streamed)

    def _choose(self, candidates: Sequence[Step]) -> list[Step]:
        chosen = [candidates[0]]
        for step in candidates[1:]:
            ready = all(i in self._ready for i in self._flow.operands(step))
            if ready and self._fit([*chosen, step]):
                chosen.append(step)
        return chosen

    def _fit(self, steps: Sequence[Step]) -> bool:
        """Whether steps can run side by side without sending results that wait to DRAM."""
        flow, target = self._flow, self._target
        computing = [step for step in steps if not isinstance(step.instruction, Movement)]
        if len(steps) - len(computing) > target.dma_engines or any(map(flow.streams, steps)):
            return False
        if sum(tiles_wanted(step, flow, target) for step in computing) > target.tiles:
            return False
        brought = {i for step in computing for i in flow.operands(step) if i in flow.sources}
        filled = {step.output for step in steps} - flow.gathered
        more = sum(map(flow.size, filled | brought))
        return self._live + more <= flow.capacity and flow.working_set(computing) <= flow.capacity

    def _run(self, chosen: Sequence[Step]) -> None:
        for step in chosen:
            self._ready.add(step.output)
            self._live += self._flow.kept(step.output) - _freed(self._flow, step, self._left)
