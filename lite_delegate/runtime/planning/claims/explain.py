"""The record of a plan: which device runs each node, and why."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....basics.unforeseen import FAILURES
from ....delegate import Kernel, RejectCode, Rejected
from ....ir.custom import imported_as_custom
from ....partition import MinimumRuns, PartitionOptions, minimum_runs
from ...drafting.draft import GraphDraft
from ...records.describing import TensorRecords, plain_attributes
from ...records.labels import sources_of
from ...records.records import CPU, DelegateRecord, NodeRecord, PartitionRecord, PlacementRecord, SubgraphRecord
from ..timing.roofline import host_us
from .delegation import Delegation
from .partitioning import partition_graph

_log = logging.getLogger("lite_delegate")


def make_record(delegation: Delegation, notes: Sequence[str], options: PartitionOptions) -> PartitionRecord:
    """The record of a model whose delegates have had their turns."""
    tensors = TensorRecords()
    nodes: list[NodeRecord] = []
    subgraphs: list[SubgraphRecord] = []
    for graph, model in delegation.models.items():
        _add_graph(delegation, graph, model, tensors, nodes, subgraphs)
    delegates = _delegates(delegation, nodes)
    main = delegation.models[""]
    return PartitionRecord(
        delegate=", ".join(delegation.delegates) or None,
        notes=tuple(dict.fromkeys(notes)),
        nodes=tuple(nodes),
        subgraphs=tuple(subgraphs),
        minimum_subgraphs=sum(each.minimum_subgraphs for each in delegates),
        minimum_proof=tuple(name for each in delegates for name in each.minimum_proof),
        inputs=tensors.of_all(main.inputs),
        outputs=tensors.of_all(main.outputs),
        options=options,
        delegates=delegates,
    )


def _add_graph(
    delegation: Delegation,
    graph: str,
    model: GraphDraft,
    tensors: TensorRecords,
    nodes: list[NodeRecord],
    subgraphs: list[SubgraphRecord],
) -> None:
    replaced, host = model.replaced, _measured(delegation)
    for kernel in model:
        if kernel in replaced:
            owner = delegation.owners[kernel]
            made = [_node(k, owner, kernel.name, None, "", graph, tensors, host) for k in replaced[kernel]]
            nodes.extend(_with_places(made, kernel))
            subgraphs.append(_subgraph(kernel, delegation, replaced[kernel], model, graph, tensors))
            continue
        code, reason = _why(delegation.rejections[kernel])
        nodes.append(_node(kernel, CPU, None, code, _with_operator(reason, kernel), graph, tensors, host))


def _with_operator(reason: str, kernel: Kernel) -> str:
    """The reason, with the file's operator where the node is Custom because ours do not say it."""
    told = "" if kernel.primitive is None else imported_as_custom(kernel.primitive)
    return f"{reason}; {told}" if told else reason


def _why(rejections: Mapping[str, Rejected]) -> tuple[RejectCode, str]:
    """The code of the first delegate, and the reason of each delegate, once where all reasons are the same."""
    code = next(iter(rejections.values())).code
    reasons = dict.fromkeys(why.reason for why in rejections.values())
    if len(reasons) == 1:
        return code, next(iter(reasons))
    return code, "; ".join(f"{name}: {why.reason}" for name, why in rejections.items())


def _delegates(delegation: Delegation, nodes: Sequence[NodeRecord]) -> tuple[DelegateRecord, ...]:
    """The part of each delegate, and the fewest subgraphs for that."""
    kernels = Counter(node.device for node in nodes)
    subgraphs = Counter(delegation.owners.values())
    records = []
    for name in delegation.delegates:
        runs, proof = 0, []
        for model in delegation.models.values():
            order, minimum = _minimum(model, delegation, name)
            runs += minimum.runs
            proof += [order[i].name for i in minimum.path]
        placement = _placement(delegation, name)
        absent = delegation.absent.get(name, "")
        records.append(DelegateRecord(name, kernels[name], subgraphs[name], runs, tuple(proof), placement, absent))
    return tuple(records)


def _placement(delegation: Delegation, delegate: str) -> PlacementRecord | None:
    """The result of placement by gain for a delegate, None where its part was not chosen so."""
    times = delegation.times.get(delegate)
    claimed = [p.all_claimed.total_us for (name, _), p in delegation.placements.items() if name == delegate]
    if times is None or not claimed:
        return None
    later = delegation.delegates[delegation.delegates.index(delegate) :]
    cpu = chosen = 0.0
    for model in delegation.models.values():
        replaced = model.replaced
        for kernel in model:
            owner = delegation.owners.get(kernel)
            if owner is None or owner in later:
                cost = times.subgraph(replaced.get(kernel, (kernel,)), model.boundary_of([kernel]))
                cpu += cost.host_us
                chosen += cost.total_us if owner == delegate else cost.host_us
    sources = times.times.host_source, times.times.device_source, times.times.transfer_source
    return PlacementRecord(cpu, sum(claimed), chosen, *sources)


def _minimum(model: GraphDraft, delegation: Delegation, delegate: str) -> tuple[list[Kernel], MinimumRuns]:
    """Kernels in execution order, and the fewest runs that the kernels of a delegate can have.

    Each graph kernel of an earlier delegate counts as one kernel, since it was there already.
    """
    earlier = delegation.delegates[: delegation.delegates.index(delegate)]
    standing = {k: run for k, run in model.replaced.items() if delegation.owners[k] in earlier}
    others = {k: run for k, run in model.replaced.items() if k not in standing}
    order = [node for kernel in model for node in others.get(kernel, (kernel,))]
    taken = {node for kernel, run in others.items() if delegation.owners[kernel] == delegate for node in run}
    claimed = [node in taken for node in order]
    return order, minimum_runs(partition_graph(order, claimed, model.variables, replaced=standing))


def _node(
    kernel: Kernel,
    device: str,
    subgraph: str | None,
    code: RejectCode | None,
    reason: str,
    graph: str,
    tensors: TensorRecords,
    host: Mapping[str, float],
) -> NodeRecord:
    return NodeRecord(
        name=kernel.name,
        type=kernel.type,
        device=device,
        subgraph=subgraph,
        code=code,
        reason=reason,
        graph=graph,
        attributes=plain_attributes(kernel.primitive),
        inputs=tensors.of_all(kernel.inputs),
        outputs=tensors.of_all(kernel.outputs),
        sources=sources_of([kernel]),
        host_us=host[kernel.name] if kernel.name in host else host_us(kernel),
    )


def _measured(delegation: Delegation) -> Mapping[str, float]:
    """The times of kernels on the CPU, as placement by gain knows them; empty without it."""
    return next((times.times.host_us for times in delegation.times.values()), {})


def _subgraph(
    kernel: Kernel,
    delegation: Delegation,
    originals: Sequence[Kernel],
    model: GraphDraft,
    graph: str,
    tensors: TensorRecords,
) -> SubgraphRecord:
    owner = delegation.owners[kernel]
    boundary = model.boundary_of([kernel])
    times = delegation.times.get(owner)
    estimated_us, input_wait_us = _estimated(kernel)
    return SubgraphRecord(
        name=kernel.name,
        kernels=tuple(k.name for k in originals),
        inputs=tuple(t.name for t in boundary.inputs),
        outputs=tuple(t.name for t in boundary.outputs),
        boundary_bytes=boundary.nbytes,
        graph=graph,
        estimated_us=estimated_us,
        input_wait_us=input_wait_us,
        input_tensors=tensors.of_all(boundary.inputs),
        output_tensors=tensors.of_all(boundary.outputs),
        delegate=owner,
        saved_us=None if times is None else times.subgraph(originals, boundary).saved_us,
    )


def _estimated(kernel: Kernel) -> tuple[float | None, float | None]:
    """Microseconds that one run takes, and that the device waits for input between two; None where not known."""
    try:
        estimate = kernel.estimate()
        if estimate is None:
            return None, None
        wait = estimate.input_wait_us
        return _finite(float(estimate.estimated_us)), None if wait is None else _finite(float(wait))
    except FAILURES as e:  # a delegate's own code may raise anything, and a report is no reason to stop
        _log.warning("graph kernel '%s' has no estimate: %s", kernel.name, e)
        return None, None


def _with_places(nodes: Sequence[NodeRecord], kernel: Kernel) -> list[NodeRecord]:
    """The nodes of a graph kernel with the provider that runs each, as far as the graph kernel says."""
    try:
        places = {str(name): str(place) for name, place in kernel.places().items()}
    except FAILURES as e:  # a delegate's own code may raise anything, and a report is no reason to stop
        _log.warning("graph kernel '%s' does not say where its kernels run: %s", kernel.name, e)
        return list(nodes)
    unnamed = places.get("", "")
    return [replace(node, provider=places.get(node.name, unnamed)) for node in nodes]


def _finite(time: float) -> float | None:
    return time if math.isfinite(time) else None
