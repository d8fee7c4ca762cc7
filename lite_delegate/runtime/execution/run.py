"""Run: predictions over a plan, one after the other. Bindings of one prediction are kept for the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...delegate import Kernel, SpanKind, current_recorder, current_token
from ...delegate.calls.spans import told
from ...errors import KernelError, LimitError
from ..binding.host import Partial
from .fallback import Fallbacks
from .graph_call import graph_call
from .plan import ExecutionPlan, GraphPlan, Segment, Step, StepFunction
from .room import is_lent_whole
from .steps import BoundSteps
from .watching import GIVE_OUTPUTS

MAX_DEPTH = 10_000
"""Calls that may wait for each other. Only calls that are no tail calls wait: loops of a model do not."""

Instead = Callable[[Kernel, StepFunction], StepFunction]
"""Gives the function that runs in a graph kernel's step.

The arguments are the graph kernel, and its device as a function, which raises ``DelegateExecuteError`` when the device
fails; the failure counts nowhere. The result is a function from the inputs of the stand-in's CPU kernels
(``StandIn.inputs``) to a tuple with the graph kernel's outputs.
"""


@dataclass(slots=True)
class _Frame:
    """A graph under way: its buffers, and the segment that runs or waits for the call behind it."""

    graph: GraphPlan
    segments: Sequence[tuple[Segment, BoundSteps]]
    buffers: list[Any]
    position: int = 0


class Run:
    """The private state of one prediction at a time. Several may execute one plan at once, each in a thread of its own.

    A run keeps the forks of graph kernels and the bound steps between predictions. Buffers and variables are let go
    when a prediction ends.

    A recorder of the thread that executes it (``delegate.spans.recording``) gets the time of each step.

    Attributes:
        unwatched: gives the outputs for the inputs by the shortest way, while nobody records; None: ``execute`` has to.

    Args:
        plan: the plan to execute.
        fallbacks: the fallbacks of the plan's graph kernels.
        instead: the functions that run in the steps of graph kernels; None: the graph kernels run.
        threads: the number that the CPU kernels of a stand-in may use; 0: as many as the caller allows.
    """

    def __init__(
        self, plan: ExecutionPlan, fallbacks: Fallbacks, instead: Instead | None = None, *, threads: int = 0
    ) -> None:
        self._plan = plan
        self._threads = threads
        self._fallbacks = fallbacks
        self._instead = instead
        self._is_plain = is_plain(plan)
        self._is_quiet = instead is None and not plan.computes_on_host
        self._only_step = only_step(plan) if self._is_quiet else None
        self._only_call: StepFunction | None = None
        self.unwatched = self._shortest()  # a function of the class: a method would keep the run alive
        self._state: list[Any] = []
        self._segments: dict[int, list[tuple[Segment, BoundSteps]]] = {}

    def execute(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """The model's outputs for its inputs; they share no memory with inputs, constants, graph kernels, each other.

        Args:
            arrays: the inputs in order.
            state: the contents of the variables at the start; holds their contents at the end, which may share memory
                with anything. None: the contents that the model declares, and those at the end are let go.

        Raises:
            KernelError: a CPU kernel failed, or calls nest too deeply; the message names the node.
            LimitError: not enough memory, or more calls than ``ExecutionPlan.most_calls``; the message names the node.
            DelegateExecuteError: a graph kernel failed; the message names it.
        """
        if self.unwatched is not None and current_recorder() is None:
            return self.unwatched(self, arrays)
        compute = self._computed if self._is_quiet else self._computed_here
        if self._is_plain:
            return compute(arrays)
        self._state = list(self._plan.state) if state is None else state
        try:
            return compute(arrays)
        finally:
            self._state = []

    def _computed(self, arrays: Sequence[Array]) -> list[Array]:
        results = self._execute_plain(arrays) if self._is_plain else self._execute(arrays)
        if current_recorder() is None:
            return _own(results, arrays, self._plan.lent)
        return told(SpanKind.HOST, GIVE_OUTPUTS, _own, results, arrays, self._plan.lent)

    _computed_here = np.errstate(all="ignore")(_computed)
    """As ``_computed``, where numpy may warn of the numbers that are computed."""

    def _shortest(self) -> Callable[[Run, Sequence[Array]], list[Array]] | None:
        """The shortest way to run the plan while nobody records: the overhead counts where runs are short."""
        if self._only_step is not None:
            return Run._only
        if not self._is_plain:
            return None
        return Run._plainly if self._is_quiet else Run._plainly_here

    def _plainly(self, arrays: Sequence[Array]) -> list[Array]:
        """As ``_execute_plain``, with outputs in the caller's memory."""
        return _own(self._execute_plain(arrays, is_watched=False), arrays, self._plan.lent)

    _plainly_here = np.errstate(all="ignore")(_plainly)
    """As ``_plainly``, where numpy may warn of the numbers that are computed."""

    def _only(self, arrays: Sequence[Array]) -> list[Array]:
        """Runs a graph kernel that is the whole plan, by the shortest way."""
        token, call = current_token(), self._only_call
        if token is not None:
            token.check()
        if call is None:
            assert self._only_step is not None
            call = self._only_call = self._graph_call(self._only_step.kernel)
        return _own(call(*arrays), arrays, self._plan.lent)

    def _execute_plain(self, arrays: Sequence[Any], *, is_watched: bool = True) -> list[Any]:
        """Runs the main graph where that is all, without a stack: it counts where runs are short."""
        graph = self._plan.graphs[0]
        ((_, steps),) = self._segments.get(0) or self._bound_graph(0)
        buffers = list(graph.template)
        for position, slot in enumerate(graph.input_slots):  # a strict zip takes a microsecond in a short run
            buffers[slot] = arrays[position]
        (steps.run if is_watched else steps.run_unwatched)(buffers)
        return [buffers[slot] for slot in graph.output_slots]

    def _execute(self, arrays: Sequence[Any]) -> list[Any]:
        """Runs the main graph and the subgraphs that it calls, on a stack of its own.

        The frame of a tail call takes the place of its caller's, so a loop, which is a subgraph that ends with a call
        of itself, takes no more memory with each round.
        """
        waiting: list[_Frame] = []
        frame, calls = self._enter(0, arrays), 0
        while True:
            segment, steps = frame.segments[frame.position]
            steps.run(frame.buffers)
            if frame.graph.variables:
                self._save(frame)
            if segment.call is not None:
                calls += 1
                if calls > self._plan.most_calls:
                    raise _too_many_calls(segment.call, self._plan.most_calls)
                frame = self._called(segment.call, frame, waiting, is_tail=segment.is_tail)
                continue
            results = [frame.buffers[slot] for slot in frame.graph.output_slots]
            if not waiting:
                return results
            frame = waiting.pop()
            self._resume(frame, results)

    def _enter(self, index: int, arguments: Sequence[Any]) -> _Frame:
        graph = self._plan.graphs[index]
        segments = self._segments.get(index) or self._bound_graph(index)
        frame = _Frame(graph, segments, list(graph.template))
        for slot, argument in zip(graph.input_slots, arguments, strict=True):
            frame.buffers[slot] = argument
        if graph.variables:
            self._load(frame)
        return frame

    def _bound_graph(self, index: int) -> list[tuple[Segment, BoundSteps]]:
        segments = self._segments[index] = [(s, self._bound(s)) for s in self._plan.graphs[index].segments]
        return segments

    def _bound(self, segment: Segment) -> BoundSteps:
        return BoundSteps(segment.steps, [step.function or self._graph_call(step.kernel) for step in segment.steps])

    def _graph_call(self, kernel: Kernel) -> StepFunction:
        if self._instead is not None and kernel not in self._plan.cpu_groups:
            return self._instead(kernel, graph_call(kernel, self._fallbacks.unaided(kernel), repeats=True))
        repeats = len(self._plan.graphs) > 1
        return graph_call(kernel, self._fallbacks.of(kernel), repeats=repeats, threads=self._threads)

    def _called(self, call: Step, frame: _Frame, waiting: list[_Frame], *, is_tail: bool) -> _Frame:
        """The frame of a called subgraph; the caller's frame waits unless the call is its end."""
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


def is_plain(plan: ExecutionPlan) -> bool:
    """Whether a plan consists of the steps of one graph, without calls and variables."""
    if len(plan.graphs) > 1 or plan.graphs[0].variables:
        return False
    segments = plan.graphs[0].segments
    return len(segments) == 1 and segments[0].call is None


def has_no_calls(plan: ExecutionPlan) -> bool:
    """Whether a run of a plan executes each step once, because the plan has no loops and choices."""
    return len(plan.graphs) == 1 and all(segment.call is None for segment in plan.graphs[0].segments)


def only_step(plan: ExecutionPlan) -> Step | None:
    """The only graph kernel of a plan, if it has the plan's inputs and outputs in order; None otherwise."""
    if not is_plain(plan):
        return None
    graph = plan.graphs[0]
    steps = graph.segments[0].steps
    if len(steps) != 1 or steps[0].function is not None:
        return None
    is_all = (steps[0].reads, steps[0].writes) == (graph.input_slots, graph.output_slots)
    return steps[0] if is_all else None


def _too_many_calls(call: Step, most: int) -> LimitError:
    return LimitError(
        f"Node '{call.kernel.name}' (Call): the loops of the model make more than {most:,} calls in one prediction; if "
        f"they are to end at all, set a higher Context.step_limit (--step-limit)."
    )


def _own(outputs: Sequence[Array | None], inputs: Sequence[Array], lent: frozenset[int]) -> list[Array]:
    """The outputs in memory that is the caller's alone."""
    if len(outputs) == 1 and lent and type(outputs[0]) is np.ndarray:
        return [outputs[0].copy()]
    owned: list[Array] = []
    for position, output in enumerate(outputs):
        others = (*inputs, *owned) if owned else inputs
        if type(output) is not np.ndarray:
            owned.append(_copied_or_in_order(np.asarray(output), others, is_lent=position in lent))
        elif position in lent:
            owned.append(output.copy())
        elif _is_new(output, others):
            owned.append(output)
        else:
            owned.append(_copied_or_in_order(output, others, is_lent=False))
    return owned


def _copied_or_in_order(array: Array, others: Sequence[Array], *, is_lent: bool) -> Array:
    """An array in memory that is no other's, in order."""
    is_shared = is_lent or not array.flags.writeable or any(np.may_share_memory(array, other) for other in others)
    return np.array(array, order="C") if is_shared else np.ascontiguousarray(array).reshape(array.shape)


def _is_new(array: Array, others: Sequence[Array]) -> bool:
    """Whether an array can be seen, without comparing addresses, to own its memory, contiguous and unshared."""
    if not is_lent_whole(array):
        flags = array.flags
        if array.base is not None or not (flags.owndata and flags.carray):
            return False
    return not [other for other in others if other is array or other.base is array]
