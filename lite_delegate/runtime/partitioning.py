"""From claimed kernels to the order in which they run and the runs that the delegate is to replace."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..delegate import DelegateModel, Kernel, Supported
from ..partition import PartitionGraph, minimum_runs, order_with_fewest_runs, runs_of
from ..tensor import Tensor
from .bind import BoundGraph
from .claims import Claims
from .effects import effect_edges
from .host_kernel import HostKernel


def partition(graph: BoundGraph, claims: Claims) -> DelegateModel:
    """The kernels in the order with the fewest runs; in the given order when the delegate does not state its claims."""
    kernels, variables = graph.kernels, tuple(graph.variables)
    fixed = [k for k in kernels if isinstance(k, HostKernel)]
    if any(claims[k] is None for k in kernels):
        return DelegateModel(kernels, graph.inputs, graph.outputs, (), fixed, variables)
    abstract = partition_graph(kernels, [isinstance(claims[k], Supported) for k in kernels], variables)
    order = order_with_fewest_runs(abstract, minimum_runs(abstract))
    runs = runs_of(order, abstract.claimed)
    return DelegateModel([kernels[i] for i in order], graph.inputs, graph.outputs, runs, fixed, variables)


def partition_graph(
    kernels: Sequence[Kernel], claimed: Sequence[bool], variables: Collection[Tensor] = ()
) -> PartitionGraph:
    """The abstract graph of kernels that are in an executable order; side effects keep theirs (``effects``)."""
    producer = {t: i for i, kernel in enumerate(kernels) for t in kernel.outputs}
    edges = effect_edges(kernels, variables)
    before = tuple(
        tuple(sorted({producer[t] for t in kernel.inputs if t in producer} | edges[i]))
        for i, kernel in enumerate(kernels)
    )
    return PartitionGraph(before, tuple(claimed))
