"""Partitioning: from claimed kernels to their execution order and the runs that the delegate is to replace."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ....basics.data_class import dataclass
from ....delegate import DelegateModel, Kernel, Rejected, Supported
from ....delegate.model import view_of
from ....errors import InputError
from ....partition import (
    PartitionGraph,
    PartitionOptions,
    PartitionTensor,
    allowed,
    check_words,
    partition,
    rejected_by_policy,
)
from ....partition.options import COUNT
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...binding.effects import NOTHING, effect_edges
from ...binding.host_kernel import HostKernel
from ...drafting.draft import GraphDraft
from .claims import Claims

if TYPE_CHECKING:
    from ....partition.placement import Placement
    from ..timing.timing import ModelTimes
    from .trial import DelegateTrial


@dataclass(frozen=True, eq=False)
class Planned:
    """A graph that is ready for ``Delegate.build``.

    Attributes:
        draft: the kernels in execution order, and the runs that the delegate is to replace.
        rejected: the kernels that the delegate claims and does not get, each with the reason.
        has_runs: False where the delegate does not state its claims: it chooses the kernels that it replaces.
        placement: placement by gain, None without it.
        trial: tries the offered runs before they are built; None: they are not tried.
    """

    draft: GraphDraft
    rejected: Mapping[Kernel, Rejected]
    has_runs: bool = True
    placement: Placement | None = None
    trial: DelegateTrial | None = None

    @cached_property
    def model(self) -> DelegateModel:
        """The draft as the delegate sees it."""
        return view_of(self.draft)


def check_options(
    graphs: Sequence[BoundGraph], options: PartitionOptions, nodes: Collection[str], types: Collection[str]
) -> None:
    """Checks that all nodes and operator types that the options speak of are there.

    Args:
        graphs: the graphs of the model.
        options: the partition options, in names of kernels.
        nodes: all names that nodes may be called by.
        types: all words for operator types.

    Raises:
        InputError: a node or type does not exist, and the message has similar names; or a group has nodes of several
            graphs.
    """
    graph_of = {k.name: g.label for g in graphs for k in g.kernels}
    check_words(options, nodes, types)
    for group in options.groups:
        labels = {graph_of[name]: name for name in sorted(group)}
        if len(labels) > 1:
            where = ", ".join(
                f"'{name}' in {repr(label) if label else 'the main graph'}" for label, name in labels.items()
            )
            raise InputError(f"Partition option groups: a group must be of one graph of the model, found {where}.")


def unheeded(options: PartitionOptions) -> list[str]:
    """The options that have no effect on a delegate that does not state its claims: it chooses its runs itself."""
    asked = {
        "placement": options.placement != COUNT,
        "min_kernels": bool(options.min_kernels),
        "max_subgraphs": options.max_subgraphs is not None,
        "max_kernels_per_subgraph": options.max_kernels_per_subgraph is not None,
        "connected": options.connected,
        "groups": bool(options.groups),
    }
    return [name for name, is_asked in asked.items() if is_asked]


def untouched(graph: BoundGraph) -> GraphDraft:
    """A graph of which no delegate has taken anything."""
    fixed = [k for k in graph.kernels if isinstance(k, HostKernel)]
    return GraphDraft(graph.kernels, graph.inputs, graph.outputs, (), fixed, tuple(graph.variables))


def plan_partition(
    graph: BoundGraph,
    claims: Claims,
    options: PartitionOptions,
    standing: GraphDraft | None = None,
    times: ModelTimes | None = None,
) -> Planned:
    """The kernels in the order with the fewest runs; in the given order when the delegate does not state its claims.

    Args:
        graph: a graph of the model.
        claims: the delegate's answers for the kernels that are left.
        options: the user's partition options.
        standing: the graph with the graph kernels of the earlier delegates, None without any. These graph kernels stay
            as they are; their position in the order is free.
        times: the times for placement by gain, None without it.

    Raises:
        InputError: a claimed kernel has no times.
    """
    kernels: Sequence[Kernel] = graph.kernels if standing is None else tuple(standing)
    replaced = {} if standing is None else standing.replaced
    variables = tuple(graph.variables)
    fixed = [k for k in kernels if isinstance(k, HostKernel)]
    left = [k for k in kernels if k not in replaced]
    if any(claims[k] is None for k in left):
        free = partition_graph(kernels, [k not in replaced and claims[k] is None for k in kernels])
        rejected = {kernels[i]: why for i, why in rejected_by_policy(free, options).items()}
        draft = GraphDraft(kernels, graph.inputs, graph.outputs, (), fixed, variables, replaced)
        return Planned(draft, rejected, has_runs=False)
    claimed = [k not in replaced and isinstance(claims[k], Supported) for k in kernels]
    abstract = partition_graph(kernels, claimed, variables, graph.outputs, replaced)
    gain = None
    if times is not None:
        from ....partition.placement import Gain

        choice = allowed(abstract, options)
        gain = Gain(abstract, times.placement(choice, kernels, list(readers_of(kernels)), options.affinity))
    found = partition(abstract, options) if gain is None else partition(abstract, options, place=gain, worth=gain.worth)
    order = [kernels[i] for i in found.order]
    draft = GraphDraft(order, graph.inputs, graph.outputs, found.runs, fixed, variables, replaced)
    rejected = {kernels[i]: why for i, why in found.dropped.items()}
    return Planned(draft, rejected, placement=None if gain is None else gain.placement)


def partition_graph(
    kernels: Sequence[Kernel],
    claimed: Sequence[bool],
    variables: Collection[Tensor] = (),
    outputs: Collection[Tensor] | None = None,
    replaced: Mapping[Kernel, Sequence[Kernel]] = NOTHING,
) -> PartitionGraph:
    """The abstract graph of kernels that are in an executable order; side effects keep theirs (``effects``).

    Args:
        kernels: in an executable order.
        claimed: for each, whether a delegate claims it.
        variables: tensors that some of the kernels assign to.
        outputs: of the graph; None where boundary bytes do not matter, and the tensors are left out.
        replaced: the kernels that graph kernels among ``kernels`` stand for: each graph kernel comes after all of
            their inputs.
    """
    producer = {t: i for i, kernel in enumerate(kernels) for t in kernel.outputs}
    edges = effect_edges(kernels, variables, replaced)
    for i, kernel in enumerate(kernels):
        for node in (kernel, *replaced.get(kernel, ())):
            edges[i].update([producer[t] for t in node.inputs if t in producer])
        edges[i].discard(i)
    return PartitionGraph(
        tuple([tuple(sorted(each)) for each in edges]),
        tuple(claimed),
        () if outputs is None else _tensors(kernels, producer, set(outputs)),
        tuple([k.name for k in kernels]),
        tuple([k.type for k in kernels]),
        tuple([tuple(dict.fromkeys([source.op_type for source in k.sources])) for k in kernels]),
    )


def _tensors(
    kernels: Sequence[Kernel], producer: Mapping[Tensor, int], outputs: Collection[Tensor]
) -> tuple[PartitionTensor, ...]:
    """The tensors that can cross a boundary: all inputs and outputs of kernels, except constants."""
    return tuple(
        PartitionTensor(producer.get(t), tuple(consumers), t.data_size, t in outputs)
        for t, consumers in readers_of(kernels).items()
    )


def readers_of(kernels: Sequence[Kernel]) -> dict[Tensor, list[int]]:
    """The kernels that read each tensor that is made or read and is no constant, by number."""
    readers: dict[Tensor, list[int]] = {t: [] for kernel in kernels for t in kernel.outputs}
    for i, kernel in enumerate(kernels):
        for t in dict.fromkeys(kernel.inputs):
            if not t.is_const:
                readers.setdefault(t, []).append(i)
    return readers
