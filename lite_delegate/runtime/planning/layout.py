"""Layout: the positions of a plan's kernels as numbers, so that the plan can be restored without asking any
delegate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...basics.data_class import dataclass
from ...delegate import Kernel
from ...errors import DelegateBuildError
from ...tensors.tensor import Tensor
from ..binding.bind import BoundGraph
from ..drafting.draft import GraphDraft
from .scheduled import Scheduled


@dataclass(frozen=True, slots=True)
class KernelLayout:
    """A graph kernel of a plan.

    Attributes:
        name: the graph kernel's.
        delegate: the name of the delegate that made it.
        start: the position in the graph's order of the first node that it stands for.
        stop: the position behind the last one.
        inputs: the numbers of the tensors that it reads, see ``numbered``.
        outputs: the numbers of the tensors that it writes.
    """

    name: str
    delegate: str
    start: int
    stop: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """One graph of a plan.

    Attributes:
        nodes: the names of its nodes, in the order in which the graph is bound.
        order: the positions of all nodes in execution order, nodes inside graph kernels among them.
        kernels: the graph kernels, in the same order.
    """

    nodes: tuple[str, ...]
    order: tuple[int, ...]
    kernels: tuple[KernelLayout, ...]


def layouts_of(scheduled: Scheduled) -> tuple[GraphLayout, ...]:
    """The layouts of the graphs of a plan, the main graph first.

    Raises:
        DelegateBuildError: a graph kernel reads or writes a tensor that is none of the graph's.
    """
    delegation = scheduled.delegation
    return tuple(_layout(graph, delegation.models[graph.label], delegation.owners) for graph in scheduled.graphs)


def graph_kernels_of(scheduled: Scheduled) -> tuple[Kernel, ...]:
    """The graph kernels of a plan, in the order of ``layouts_of``."""
    models = [scheduled.delegation.models[graph.label] for graph in scheduled.graphs]
    return tuple(kernel for model in models for kernel in model if kernel in model.replaced)


def numbered(graph: BoundGraph, order: Sequence[int]) -> tuple[Tensor, ...]:
    """The tensors of a graph whose nodes run in an order; the number of a tensor is its position."""
    found = dict.fromkeys(graph.inputs)
    for position in order:
        kernel = graph.kernels[position]
        found.update(dict.fromkeys((*kernel.inputs, *kernel.outputs)))
    return tuple(found)


def _layout(graph: BoundGraph, model: GraphDraft, owners: Mapping[Kernel, str]) -> GraphLayout:
    positions: dict[Kernel, int] = {kernel: i for i, kernel in enumerate(graph.kernels)}
    replaced = model.replaced
    order: list[int] = []
    spans: list[tuple[Kernel, int]] = []
    for kernel in model:
        if kernel in replaced:
            spans.append((kernel, len(order)))
        order += [positions[each] for each in replaced.get(kernel, (kernel,))]
    numbers = {tensor: i for i, tensor in enumerate(numbered(graph, order))}
    kernels = [
        KernelLayout(
            kernel.name,
            owners[kernel],
            start,
            start + len(replaced[kernel]),
            _numbers(kernel, kernel.inputs, numbers),
            _numbers(kernel, kernel.outputs, numbers),
        )
        for kernel, start in spans
    ]
    return GraphLayout(tuple(kernel.name for kernel in graph.kernels), tuple(order), tuple(kernels))


def _numbers(kernel: Kernel, tensors: Sequence[Tensor], numbers: Mapping[Tensor, int]) -> tuple[int, ...]:
    for tensor in tensors:
        if tensor not in numbers:
            raise DelegateBuildError(
                f"Graph kernel '{kernel.name}': tensor '{tensor.name}' is not a tensor of the model; the graph kernel "
                f"cannot be exported."
            )
    return tuple(numbers[tensor] for tensor in tensors)
