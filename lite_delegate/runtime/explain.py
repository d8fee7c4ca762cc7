"""From a built delegate model to the record of who runs what, and why."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence

from ..delegate import Delegate, DelegateModel, Kernel, RejectCode, Rejected, SupportResult
from ..partition import Minimum, PartitionOptions, minimum_runs
from .describing import TensorRecords, plain_attributes
from .partitioning import partition_graph
from .records import CPU, NodeRecord, PartitionRecord, SubgraphRecord

_log = logging.getLogger("lite_delegate")


def make_record(
    delegate: Delegate | None,
    models: Mapping[str, DelegateModel],
    claims: Mapping[Kernel, SupportResult | None],
    notes: Sequence[str],
    options: PartitionOptions,
) -> PartitionRecord:
    """The record of a model after ``Delegate.build``; ``models`` has its graphs by name, the main graph under ""."""
    tensors = TensorRecords()
    nodes: list[NodeRecord] = []
    subgraphs: list[SubgraphRecord] = []
    runs, proof = 0, []
    for graph, model in models.items():
        _add_graph(delegate, graph, model, claims, tensors, nodes, subgraphs)
        order, minimum = _minimum(model)
        runs += minimum.runs
        proof += [order[i].name for i in minimum.path]
    return PartitionRecord(
        delegate=None if delegate is None else delegate.name,
        notes=tuple(notes),
        nodes=tuple(nodes),
        subgraphs=tuple(subgraphs),
        minimum_subgraphs=runs,
        minimum_proof=tuple(proof),
        inputs=tensors.of_all(models[""].inputs),
        outputs=tensors.of_all(models[""].outputs),
        options=options,
    )


def _add_graph(
    delegate: Delegate | None,
    graph: str,
    model: DelegateModel,
    claims: Mapping[Kernel, SupportResult | None],
    tensors: TensorRecords,
    nodes: list[NodeRecord],
    subgraphs: list[SubgraphRecord],
) -> None:
    replaced = model.replaced
    name = "" if delegate is None else delegate.name
    for kernel in model:
        if kernel in replaced:
            nodes.extend(_node(k, name, kernel.name, None, "", graph, tensors) for k in replaced[kernel])
            subgraphs.append(_subgraph(kernel, replaced[kernel], model, graph, tensors))
            continue
        code, reason = _why(claims.get(kernel), model.failures.get(kernel), delegate)
        nodes.append(_node(kernel, CPU, None, code, reason, graph, tensors))


def _node(
    kernel: Kernel,
    device: str,
    subgraph: str | None,
    code: RejectCode | None,
    reason: str,
    graph: str,
    tensors: TensorRecords,
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
    )


def _minimum(model: DelegateModel) -> tuple[list[Kernel], Minimum]:
    """The nodes in execution order, and the fewest runs that those which the delegate took can have."""
    replaced = model.replaced
    order = [node for kernel in model for node in replaced.get(kernel, (kernel,))]
    taken = {node for originals in replaced.values() for node in originals}
    return order, minimum_runs(partition_graph(order, [node in taken for node in order], model.variables))


def _why(claim: SupportResult | None, failure: Exception | None, delegate: Delegate | None) -> tuple[RejectCode, str]:
    name = "" if delegate is None else delegate.name
    if isinstance(claim, Rejected):
        return claim.code, claim.reason
    if failure is not None:
        return RejectCode.COMPILE_FAILED, str(failure) or type(failure).__name__
    if claim is None:
        return RejectCode.POLICY, f"delegate '{name}' did not take it and states no reason"
    return RejectCode.POLICY, f"delegate '{name}' claims it, but its build left it out"


def _subgraph(
    kernel: Kernel, originals: Sequence[Kernel], model: DelegateModel, graph: str, tensors: TensorRecords
) -> SubgraphRecord:
    boundary = model.boundary_of([kernel])
    return SubgraphRecord(
        name=kernel.name,
        kernels=tuple(k.name for k in originals),
        inputs=tuple(t.name for t in boundary.inputs),
        outputs=tuple(t.name for t in boundary.outputs),
        boundary_bytes=boundary.nbytes,
        graph=graph,
        estimated_us=_estimated_us(kernel),
        input_tensors=tensors.of_all(boundary.inputs),
        output_tensors=tensors.of_all(boundary.outputs),
    )


def _estimated_us(kernel: Kernel) -> float | None:
    try:
        estimate = kernel.estimate()
        time = math.nan if estimate is None else float(estimate.estimated_us)
    except Exception as e:  # a delegate's own code may raise anything, and a report is no reason to stop
        _log.warning("graph kernel '%s' has no estimate: %s", kernel.name, e)
        return None
    return time if math.isfinite(time) else None
