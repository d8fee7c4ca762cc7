"""ExecutionPlan: every decision made before a model runs. It never changes; all requests share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any

from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...delegate import Kernel
from ...tensors.tensor import Tensor
from ..binding.bind import BoundGraph
from ..binding.host_kernel import HostKernel
from ..binding.node_kernel import NodeKernel
from ..budget import DEFAULT_STEPS
from ..records.records import PartitionRecord
from .stand_in import StandIn

NO_SLOT = 0
"""The slot that always holds None: an absent optional input reads it."""

StepFunction = Callable[..., Any]

EMPTY: Mapping[Any, Any] = MappingProxyType({})
"""A mapping of nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One kernel of the plan, bound to buffer slots.

    Attributes:
        kernel: the kernel that the step runs.
        reads: the slots of its arguments, in order.
        writes: the slots of its results, in order.
        frees: the slots that nothing reads after this step.
        function: for a CPU kernel, the function over the contents of the slots; None for a graph kernel.
    """

    kernel: Kernel
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    frees: tuple[int, ...]
    function: StepFunction | None


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Steps up to a call of a subgraph, or up to the end of the graph.

    Attributes:
        steps: in execution order, none of them a call.
        call: the call behind them, None at the end of the graph. It reads the subgraph and its further inputs.
        is_tail: whether the graph ends with the call and returns the call's results, so that nothing of the graph is
            needed any more once the call runs.
    """

    steps: tuple[Step, ...]
    call: Step | None
    is_tail: bool


@dataclass(frozen=True, slots=True, eq=False)
class GraphPlan:
    """The steps of one graph over numbered buffer slots.

    Attributes:
        label: the graph's name in messages.
        segments: in execution order; one, where the graph calls no subgraph.
        template: the initial buffers: constants in their slots, None elsewhere.
        input_slots: where the inputs go.
        output_slots: where the outputs come from.
        variables: where the variables of the model are that the graph uses: pairs of slot and number.
    """

    label: str
    segments: tuple[Segment, ...]
    template: tuple[Any, ...]
    input_slots: tuple[int, ...]
    output_slots: tuple[int, ...]
    variables: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ExecutionPlan(Brief):
    """A model's steps for one set of input shapes.

    Attributes:
        inputs: the model's inputs: names, dtypes and shapes; -1 where a dimension is open.
        outputs: the model's outputs.
        graphs: the plans of the main graph (0) and of the subgraphs that it can reach, by index.
        state: the contents of each variable when a prediction starts.
        record: the partition, for reports.
        graph_kernels: for each graph kernel of a delegate, the names of the nodes it stands for.
        stand_ins: the CPU kernels that run in place of each graph kernel; none where a failure is raised to the caller.
        lent: positions of outputs that may be memory of a graph kernel, which may write to it again.
        most_calls: the most calls of subgraphs that a prediction may make.
        state_names: the names of the variables, each once.
        state_shapes: the shapes of the variables, -1 where they may grow.
        lent_state: numbers of variables that may hold memory of a graph kernel at the end, like ``lent``.
        cpu_groups: graph kernels that are part of the CPU, like ``graph_kernels``; each has a stand-in.
    """

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    graphs: Mapping[int, GraphPlan]
    state: tuple[Array, ...]
    record: PartitionRecord
    graph_kernels: Mapping[Kernel, tuple[str, ...]]
    stand_ins: Mapping[Kernel, StandIn]
    lent: frozenset[int] = frozenset()
    most_calls: int = DEFAULT_STEPS
    state_names: tuple[str, ...] = ()
    state_shapes: tuple[tuple[int, ...], ...] = ()
    lent_state: frozenset[int] = frozenset()
    cpu_groups: Mapping[Kernel, tuple[str, ...]] = field(default_factory=dict)

    @property
    def computes_on_host(self) -> bool:
        """Whether a run of the plan, as long as no device fails, may compute with numpy and the host's math library."""
        steps = (step for graph in self.graphs.values() for segment in graph.segments for step in segment.steps)
        return any(step.function is not None or not step.kernel.has_own_threads for step in steps)


def plan_graph(
    graph: BoundGraph, kernels: Sequence[Kernel], handed: Mapping[Kernel, Sequence[Tensor]] = EMPTY
) -> GraphPlan:
    """Binds the kernels of a graph, in their order, to buffer slots and works out when each buffer can be freed.

    Args:
        graph: the graph.
        kernels: the remaining kernels of the graph, and graph kernels in place of the replaced ones.
        handed: the tensors that a graph kernel's step reads, where these are more than the graph kernel's inputs.
    """
    slots = _number(graph.inputs, kernels, graph.outputs)
    template: list[Any] = [None] * (len(slots) + 1)
    for tensor, slot in slots.items():
        if tensor in graph.lists:
            template[slot] = graph.lists[tensor]
        elif tensor.is_const:
            template[slot] = tensor.data
    lasting = [t for t in slots if t.is_const or t in graph.variables]
    kept = {slots[t] for t in (*graph.outputs, *lasting)} | {NO_SLOT}
    return GraphPlan(
        label=graph.label,
        segments=_segments(_steps(kernels, slots, kept, handed), graph.outputs),
        template=tuple(template),
        input_slots=tuple(slots[t] for t in graph.inputs),
        output_slots=tuple(slots[t] for t in graph.outputs),
        variables=tuple((slots[t], number) for t, number in graph.variables.items() if t in slots),
    )


def _number(inputs: Iterable[Tensor], kernels: Iterable[Kernel], outputs: Iterable[Tensor]) -> dict[Tensor, int]:
    """Constants of graph kernels are their own affair: no step reads them."""
    tensors = dict.fromkeys(inputs)
    for kernel in kernels:
        read = kernel.inputs if isinstance(kernel, NodeKernel) else [t for t in kernel.inputs if not t.is_const]
        tensors.update(dict.fromkeys((*read, *kernel.outputs)))
    tensors.update(dict.fromkeys(outputs))
    return {tensor: i for i, tensor in enumerate(tensors, NO_SLOT + 1)}


def _steps(
    kernels: Sequence[Kernel],
    slots: Mapping[Tensor, int],
    kept: set[int],
    handed: Mapping[Kernel, Sequence[Tensor]],
) -> list[Step]:
    steps: list[Step] = []
    later = set(kept)
    for kernel in reversed(kernels):
        reads = _reads(kernel, slots, handed)
        writes = tuple(slots[t] for t in _written(kernel))
        frees = tuple(dict.fromkeys(s for s in (*reads, *writes) if s not in later))
        later.update(reads)
        function = kernel.function if isinstance(kernel, NodeKernel) else None
        steps.append(Step(kernel, reads, writes, frees, function))
    return steps[::-1]


def _reads(kernel: Kernel, slots: Mapping[Tensor, int], handed: Mapping[Kernel, Sequence[Tensor]]) -> tuple[int, ...]:
    """The slots that a kernel reads: all operands of a node kernel, the varying inputs of a graph kernel."""
    if isinstance(kernel, NodeKernel):
        return tuple(NO_SLOT if t is None else slots[t] for t in kernel.operands)
    return tuple(slots[t] for t in handed.get(kernel, kernel.inputs) if not t.is_const)


def _written(kernel: Kernel) -> tuple[Tensor, ...]:
    return (*kernel.outputs, *kernel.assigned) if isinstance(kernel, HostKernel) else kernel.outputs


def _segments(steps: Sequence[Step], outputs: Sequence[Tensor]) -> tuple[Segment, ...]:
    """The steps cut behind each call; the last segment is empty where a graph ends with a call of no tail kind."""
    segments: list[Segment] = []
    start = 0
    for position, step in enumerate(steps):
        if isinstance(step.kernel, HostKernel) and step.kernel.is_call:
            is_tail = position == len(steps) - 1 and step.kernel.outputs == tuple(outputs)
            segments.append(Segment(tuple(steps[start:position]), step, is_tail))
            start = position + 1
    if not segments or not segments[-1].is_tail:
        segments.append(Segment(tuple(steps[start:]), None, False))
    return tuple(segments)
