"""From claimed kernels to the order in which they run and the runs that the delegate is to replace."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..delegate import DelegateModel, Kernel, Rejected, Supported
from ..ir.primitives import PRIMITIVE_CLASSES
from ..partition import PartitionGraph, PartitionOptions, PartitionTensor, check_words, partition
from ..tensor import Tensor
from .bind import BoundGraph
from .claims import Claims
from .effects import effect_edges
from .host_kernel import HostKernel


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A graph that is ready for ``Delegate.build``.

    Attributes:
        model: the kernels in execution order, and the runs that the delegate is to replace.
        refused: the kernels that the delegate claims and does not get, each with the reason.
    """

    model: DelegateModel
    refused: Mapping[Kernel, Rejected]


def plan_partitions(
    graphs: Sequence[BoundGraph], claims: Claims, options: PartitionOptions
) -> tuple[dict[str, DelegateModel], Claims]:
    """The graphs of a model, each planned, by label; and the claims with those refused that the delegate does not get.

    Raises:
        InputError: the options speak of nodes or operator types that there are not.
    """
    kernels = [k for g in graphs for k in g.kernels]
    check_words(options, {k.name for k in kernels}, {*PRIMITIVE_CLASSES, *(k.type for k in kernels)})
    planned = {g.label: plan_partition(g, claims, options) for g in graphs}
    refused = {kernel: why for each in planned.values() for kernel, why in each.refused.items()}
    return {label: each.model for label, each in planned.items()}, claims | refused


def plan_partition(graph: BoundGraph, claims: Claims, options: PartitionOptions) -> Planned:
    """The kernels in the order with the fewest runs; in the given order when the delegate does not state its claims."""
    kernels, variables = graph.kernels, tuple(graph.variables)
    fixed = [k for k in kernels if isinstance(k, HostKernel)]
    if any(claims[k] is None for k in kernels):
        return Planned(DelegateModel(kernels, graph.inputs, graph.outputs, (), fixed, variables), {})
    claimed = [isinstance(claims[k], Supported) for k in kernels]
    found = partition(partition_graph(kernels, claimed, variables, graph.outputs), options)
    order = [kernels[i] for i in found.order]
    model = DelegateModel(order, graph.inputs, graph.outputs, found.runs, fixed, variables)
    return Planned(model, {kernels[i]: why for i, why in found.dropped.items()})


def partition_graph(
    kernels: Sequence[Kernel],
    claimed: Sequence[bool],
    variables: Collection[Tensor] = (),
    outputs: Collection[Tensor] = (),
) -> PartitionGraph:
    """The abstract graph of kernels that are in an executable order; side effects keep theirs (``effects``).

    Args:
        kernels: in an executable order.
        claimed: for each, whether a delegate claims it.
        variables: tensors that some of the kernels assign to.
        outputs: of the graph.
    """
    producer = {t: i for i, kernel in enumerate(kernels) for t in kernel.outputs}
    edges = effect_edges(kernels, variables)
    before = tuple(
        tuple(sorted({producer[t] for t in kernel.inputs if t in producer} | edges[i]))
        for i, kernel in enumerate(kernels)
    )
    return PartitionGraph(
        before,
        tuple(claimed),
        _tensors(kernels, producer, set(outputs)),
        tuple(k.name for k in kernels),
        tuple(k.type for k in kernels),
    )


def _tensors(
    kernels: Sequence[Kernel], producer: Mapping[Tensor, int], outputs: Collection[Tensor]
) -> tuple[PartitionTensor, ...]:
    """What can cross a boundary: all that a kernel reads or makes, but for constants."""
    readers: dict[Tensor, list[int]] = {t: [] for t in producer}
    for i, kernel in enumerate(kernels):
        for t in dict.fromkeys(kernel.inputs):
            if not t.is_const:
                readers.setdefault(t, []).append(i)
    return tuple(
        PartitionTensor(producer.get(t), tuple(consumers), t.data_size, t in outputs)
        for t, consumers in readers.items()
    )
