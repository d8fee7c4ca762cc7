"""Run: one prediction over a plan. Everything that changes while a model runs belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...delegate import SpanKind, span
from ...errors import KernelError
from ..binding.host import Partial
from .graph_call import GraphCall
from .plan import ExecutionPlan, GraphPlan, Segment, Step, StepFunction
from .steps import Call, run_steps, unpacked
from .watching import GIVE_OUTPUTS, watched

MAX_DEPTH = 10_000
"""Calls that may wait for each other. Only calls that are no tail calls wait: loops of a model do not."""


@dataclass(slots=True)
class _Frame:
    """A graph under way: its buffers, and the segment that runs or waits for the call behind it."""

    graph: GraphPlan
    segments: list[tuple[Segment, Sequence[Call]]]
    buffers: list[Any]
    position: int = 0


class Run:
    """One prediction. Several may execute one plan at the same time, each in a thread of its own.

    Who records the thread that executes it (``delegate.spans.recording``) is told what the time goes into.
    """

    def __init__(self, plan: ExecutionPlan) -> None:
        self._plan = plan
        self._state = list(plan.state)
        self._unpacked: dict[int, list[tuple[Segment, Sequence[Call]]]] = {}

    def execute(self, arrays: Sequence[Array]) -> list[Array]:
        """The model's outputs for its inputs; the outputs share no memory with inputs, constants or each other.

        Raises:
            KernelError: a CPU kernel failed, or calls nest too deeply; the message names the node.
            DelegateExecuteError: a graph kernel failed; the message names it.
        """
        with np.errstate(all="ignore"):
            results = self._execute(arrays)
            with span(SpanKind.HOST, GIVE_OUTPUTS):
                return _own(results, arrays)

    def _execute(self, arrays: Sequence[Any]) -> list[Any]:
        """Runs the main graph and whatever it calls, on a stack of its own.

        The frame of a tail call takes the place of its caller's, so a loop, which is a subgraph that ends with a call
        of itself, takes no more memory with each round.
        """
        waiting: list[_Frame] = []
        frame = self._enter(0, arrays)
        while True:
            segment, calls = frame.segments[frame.position]
            run_steps(calls, frame.buffers)
            if frame.graph.variables:
                self._save(frame)
            if segment.call is not None:
                frame = self._called(segment.call, frame, waiting, is_tail=segment.is_tail)
                continue
            results = [frame.buffers[slot] for slot in frame.graph.output_slots]
            if not waiting:
                return results
            frame = waiting.pop()
            self._resume(frame, results)

    def _enter(self, index: int, arguments: Sequence[Any]) -> _Frame:
        graph = self._plan.graphs[index]
        segments = self._unpacked.get(index)
        if segments is None:
            segments = self._unpacked[index] = self._unpack(graph)
        frame = _Frame(graph, segments, list(graph.template))
        for slot, argument in zip(graph.input_slots, arguments, strict=True):
            frame.buffers[slot] = argument
        if graph.variables:
            self._load(frame)
        return frame

    def _unpack(self, graph: GraphPlan) -> list[tuple[Segment, Sequence[Call]]]:
        """The graph's steps, its graph kernels forked for this run; a subgraph's, when it first runs."""
        repeats = len(self._plan.graphs) > 1
        return [
            (segment, watched([unpacked(s, s.function or self._graph_call(s, repeats=repeats)) for s in segment.steps]))
            for segment in graph.segments
        ]

    def _graph_call(self, step: Step, *, repeats: bool) -> StepFunction:
        """What runs in a graph kernel's step: the place where those who watch predictions come in."""
        return GraphCall(step, self._plan.guards[step.kernel], repeats=repeats)

    def _called(self, call: Step, frame: _Frame, waiting: list[_Frame], *, is_tail: bool) -> _Frame:
        """The frame of what a call runs; its caller waits unless it is done with the call."""
        partial, *arguments = [frame.buffers[slot] for slot in call.reads]
        where = f"Node '{call.kernel.name}' (Call)"
        if not isinstance(partial, Partial) or partial.index not in self._plan.graphs:
            raise KernelError(f"{where}: it got a subgraph that no value known when the model was built leads to.")
        if not is_tail:
            if len(waiting) >= MAX_DEPTH:
                raise KernelError(
                    f"{where}: more than {MAX_DEPTH} calls wait for each other; end the recursion, or end the "
                    f"subgraph with the call, so that nothing waits for it."
                )
            waiting.append(frame)
        return self._enter(partial.index, (*partial.arguments, *arguments))

    def _resume(self, frame: _Frame, results: Sequence[Any]) -> None:
        """Goes on with a graph behind the call that it waited for."""
        call = frame.segments[frame.position][0].call
        assert call is not None
        for slot, result in zip(call.writes, results, strict=True):
            frame.buffers[slot] = result
        for slot in call.frees:
            frame.buffers[slot] = None
        if frame.graph.variables:
            self._load(frame)
        frame.position += 1

    def _load(self, frame: _Frame) -> None:
        for slot, number in frame.graph.variables:
            frame.buffers[slot] = self._state[number]

    def _save(self, frame: _Frame) -> None:
        for slot, number in frame.graph.variables:
            self._state[number] = frame.buffers[slot]


def _own(outputs: Sequence[Array | None], inputs: Sequence[Array]) -> list[Array]:
    owned: list[Array] = []
    for output in outputs:
        array = np.asarray(output)
        shared = not array.flags.writeable or any(np.may_share_memory(array, other) for other in (*inputs, *owned))
        owned.append(np.array(array, order="C") if shared else np.ascontiguousarray(array).reshape(array.shape))
    return owned
