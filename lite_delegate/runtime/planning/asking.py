"""The answers of delegates, as abstract graphs: enough to plan a model anew with other answers."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Kernel, Rejected, Supported, SupportResult
from ...partition.turns import Answers, AskedGraph
from ..binding.bind import BoundGraph
from ..binding.host_kernel import HostKernel
from .delegation import Delegation
from .partitioning import partition_graph, readers_of


def asked_graphs(graphs: Sequence[BoundGraph], delegation: Delegation) -> tuple[AskedGraph, ...]:
    """All graphs with the answers of all delegates; none without a delegate, or where one does not state its claims.

    A node that a delegate was not asked for, because one before it runs the node, is neither claimed nor rejected.
    """
    answers = delegation.answers
    if not delegation.delegates or any(claim is None for each in answers.values() for claim in each.values()):
        return ()
    return tuple(_asked(graph, delegation) for graph in graphs)


def _asked(graph: BoundGraph, delegation: Delegation) -> AskedGraph:
    kernels = graph.kernels
    abstract = partition_graph(kernels, [False] * len(kernels), tuple(graph.variables), graph.outputs)
    found = []
    for name in delegation.delegates:
        times = delegation.times.get(name)
        said = [_said(kernel, delegation.answers[name].get(kernel)) for kernel in kernels]
        found.append(
            Answers(
                name,
                frozenset(i for i, answer in enumerate(said) if isinstance(answer, Supported)),
                {i: answer.code for i, answer in enumerate(said) if isinstance(answer, Rejected)},
                None if times is None else times.placement(abstract, kernels, list(readers_of(kernels))),
            )
        )
    return AskedGraph(abstract, tuple(found))


def _said(kernel: Kernel, answer: SupportResult | None) -> SupportResult | None:
    """The answer; None for what the runtime runs, which no delegate is asked for."""
    return None if isinstance(kernel, HostKernel) else answer
