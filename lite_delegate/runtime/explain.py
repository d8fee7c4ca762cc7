"""From a built delegate model to the record of who runs what, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..delegate import Delegate, DelegateModel, Kernel, RejectCode, Rejected, SupportResult
from ..partition import PartitionGraph, minimum_runs
from .records import CPU, NodeRecord, PartitionRecord, SubgraphRecord


def make_record(
    delegate: Delegate | None,
    model: DelegateModel,
    claims: Mapping[Kernel, SupportResult | None],
    notes: Sequence[str],
) -> PartitionRecord:
    """The record of a model after ``Delegate.build``."""
    replaced = model.replaced
    nodes: list[NodeRecord] = []
    subgraphs: list[SubgraphRecord] = []
    for kernel in model:
        if kernel not in replaced:
            nodes.append(_fallback(kernel, claims.get(kernel), model.failures.get(kernel), delegate))
            continue
        name = delegate.name if delegate is not None else ""
        nodes.extend(NodeRecord(k.name, k.type, name, kernel.name, None, "") for k in replaced[kernel])
        subgraphs.append(_subgraph(kernel, replaced[kernel], model))
    order = [node for kernel in model for node in replaced.get(kernel, (kernel,))]
    taken = {node for originals in replaced.values() for node in originals}
    minimum = minimum_runs(partition_graph(order, [node in taken for node in order]))
    return PartitionRecord(
        delegate=None if delegate is None else delegate.name,
        notes=tuple(notes),
        nodes=tuple(nodes),
        subgraphs=tuple(subgraphs),
        minimum_subgraphs=minimum.runs,
        minimum_proof=tuple(order[i].name for i in minimum.path),
    )


def _fallback(
    kernel: Kernel, claim: SupportResult | None, failure: Exception | None, delegate: Delegate | None
) -> NodeRecord:
    code, reason = _why(claim, failure, delegate)
    return NodeRecord(kernel.name, kernel.type, CPU, None, code, reason)


def _why(claim: SupportResult | None, failure: Exception | None, delegate: Delegate | None) -> tuple[RejectCode, str]:
    name = "" if delegate is None else delegate.name
    if isinstance(claim, Rejected):
        return claim.code, claim.reason
    if failure is not None:
        return RejectCode.COMPILE_FAILED, str(failure) or type(failure).__name__
    if claim is None:
        return RejectCode.POLICY, f"delegate '{name}' did not take it and states no reason"
    return RejectCode.POLICY, f"delegate '{name}' claims it, but its build left it out"


def _subgraph(kernel: Kernel, originals: Sequence[Kernel], model: DelegateModel) -> SubgraphRecord:
    boundary = model.boundary_of([kernel])
    return SubgraphRecord(
        name=kernel.name,
        kernels=tuple(k.name for k in originals),
        inputs=tuple(t.name for t in boundary.inputs),
        outputs=tuple(t.name for t in boundary.outputs),
        boundary_bytes=boundary.nbytes,
    )


def partition_graph(kernels: Sequence[Kernel], claimed: Sequence[bool]) -> PartitionGraph:
    """The abstract graph of kernels that are in an executable order."""
    producer = {t: i for i, kernel in enumerate(kernels) for t in kernel.outputs}
    before = tuple(tuple(sorted({producer[t] for t in k.inputs if t in producer})) for k in kernels)
    return PartitionGraph(before, tuple(claimed))
