"""The answers of delegates as abstract graphs: enough to partition a model again with other answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....delegate import Delegate, Kernel, RejectCode, Rejected, Supported, SupportResult
from ....ir.traits import ElementPattern, traits_of
from ....partition import PartitionGraph
from ....partition.placement import PlacementTimes
from ....partition.what_if.asked import Answers, AskedGraph, Cause
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ..timing.device import DeviceTimes, estimates_of, tensors_of
from .delegation import Delegation
from .partitioning import partition_graph, readers_of


def asked_graphs(
    graphs: Sequence[BoundGraph], delegation: Delegation, delegates: Sequence[Delegate]
) -> tuple[AskedGraph, ...]:
    """All graphs with the answers of all delegates; none without a delegate, or where one does not state its claims.

    A node that a delegate was not asked for, because one before it runs the node, is neither claimed nor rejected.
    """
    answers = delegation.answers
    if not delegation.delegates or any(claim is None for each in answers.values() for claim in each.values()):
        return ()
    estimates = {each.name: _estimates(each, graphs, delegation) for each in delegates}
    return tuple(_asked(graph, delegation, estimates) for graph in graphs)


def _estimates(delegate: Delegate, graphs: Sequence[BoundGraph], delegation: Delegation) -> DeviceTimes | None:
    """The times that a delegate estimates for the report, where placement by gain has no times for the delegate."""
    if delegate.name in delegation.times:
        return None
    made = {
        kernel: nodes
        for model in delegation.models.values()
        for kernel, nodes in model.replaced.items()
        if delegation.owners[kernel] == delegate.name
    }
    return estimates_of(delegate, made, tensors_of(graphs)) if made else None


def _asked(graph: BoundGraph, delegation: Delegation, estimates: Mapping[str, DeviceTimes | None]) -> AskedGraph:
    kernels = graph.kernels
    abstract = partition_graph(kernels, [False] * len(kernels), tuple(graph.variables), graph.outputs)
    tensors, of_shapes = list(readers_of(kernels)), _of_shapes(kernels)
    found = []
    for name in delegation.delegates:
        times, estimate = delegation.times.get(name), estimates[name]
        said = [_said(kernel, delegation.answers[name].get(kernel)) for kernel in kernels]
        rejected = {i: answer for i, answer in enumerate(said) if isinstance(answer, Rejected)}
        found.append(
            Answers(
                name,
                frozenset(i for i, answer in enumerate(said) if isinstance(answer, Supported)),
                {i: answer.code for i, answer in rejected.items()},
                None if times is None else times.placement(abstract, kernels, tensors),
                {i: _cause(kernels[i], answer, of_shapes) for i, answer in rejected.items()},
                None if estimate is None else _rough(abstract, kernels, tensors, estimate),
            )
        )
    return AskedGraph(abstract, tuple(found))


def _said(kernel: Kernel, answer: SupportResult | None) -> SupportResult | None:
    """The answer; None for a kernel that the runtime runs, since no delegate is asked for it."""
    return None if isinstance(kernel, HostKernel) else answer


def _cause(kernel: Kernel, answer: Rejected, of_shapes: set[Tensor]) -> Cause:
    is_open = not all(t.has_known_shape for t in (*kernel.inputs, *kernel.outputs))
    wants_shapes = (
        (is_open and answer.code in (RejectCode.SHAPE, RejectCode.RANK))
        or (answer.code is RejectCode.NOT_CONSTANT and any(t in of_shapes for t in kernel.inputs))
        or any(t in of_shapes for t in kernel.outputs)
    )
    return Cause(answer.rule, "" if answer.dtype is None else answer.dtype.name, wants_shapes)


def _of_shapes(kernels: Sequence[Kernel]) -> set[Tensor]:
    """The tensors that follow from shapes and constants alone, so that known shapes make constants of them."""
    found: set[Tensor] = set()
    for kernel in kernels:
        read = [t for t in kernel.inputs if not t.is_const]
        if traits_of(kernel.type).pattern is ElementPattern.SHAPE or (read and all(t in found for t in read)):
            found.update(kernel.outputs)
    return found


def _rough(
    graph: PartitionGraph, kernels: Sequence[Kernel], tensors: Sequence[Tensor], estimate: DeviceTimes
) -> PlacementTimes:
    from ..timing.roofline import host_us

    return PlacementTimes(
        tuple(map(host_us, kernels)),
        tuple(estimate.device_us.get(k.name, 0.0) for k in kernels),
        tuple(estimate.transfer_us.get(t, 0.0) for t in tensors),
        estimate.launch_us,
    )
