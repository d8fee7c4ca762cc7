"""Checks of the partition of a built model, for authors of delegates and their tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..basics.counted import counted
from ..mindspore.model import Model
from ..partition import PartitionGraph
from ..partition.properties import Property, Violation, violations
from ..runtime.records.records import NodeRecord, PartitionRecord


def model_violations(model: Model, again: Model | None = None) -> list[Violation]:
    """The properties that the partition of a built model violates; none, if all hold.

    Who depends on whom is read from the tensors of its record, not from what planned it.

    Args:
        model: a built model.
        again: another one, built from the same file for the same context, which must have the same partition.

    Checks COVER, ORDER, DISJOINT, CLAIMS (a node of a subgraph has no reason against it), ACYCLIC, CONVEX, GROUPS,
    REASONS (a node on the CPU has one), LIMITS and COUNT; SAME with ``again``.

    Raises:
        LiteDelegateError: a model has not been built.
    """
    record = model.get_partition()
    found: list[Violation] = []
    for label in dict.fromkeys(node.graph for node in record.nodes):
        found += _graph_violations(record, label)
    found += [*_members(record), *_reasons(record), *_limits(record), *_count(record)]
    if again is not None and _summary(again.get_partition()) != _summary(record):
        found.append(Violation(Property.SAME, "the second model has another partition than the first"))
    return found


def recorded_graph(record: PartitionRecord, label: str = "") -> PartitionGraph:
    """The graph of a record, in the order in which it runs: for ``quantize_chains``, or to partition it anew.

    Nodes on the CPU count as rejected. Tensors are left out, and so is the order of side effects.

    Args:
        record: of a built model.
        label: which of its graphs; "" for the main graph.
    """
    nodes = [n for n in record.nodes if n.graph == label]
    return PartitionGraph(
        tuple(_dependencies(nodes)[0]),
        tuple(n.code is None for n in nodes),
        names=tuple(n.name for n in nodes),
        types=tuple(n.type for n in nodes),
    )


def _graph_violations(record: PartitionRecord, label: str) -> list[Violation]:
    nodes = [n for n in record.nodes if n.graph == label]
    graph, late = recorded_graph(record, label), _dependencies(nodes)[1]
    number = {n.name: i for i, n in enumerate(nodes)}
    subgraphs = [[number[k] for k in s.kernels if k in number] for s in record.subgraphs if s.graph == label]
    groups = [[number[name] for name in group if name in number] for group in record.options.groups]
    return [*late, *violations(graph, range(len(nodes)), subgraphs, groups)]


def _dependencies(nodes: Sequence[NodeRecord]) -> tuple[list[tuple[int, ...]], list[Violation]]:
    """For each node those that it reads from; and those that run before what they read is made."""
    maker = {tensor.id: i for i, node in enumerate(nodes) for tensor in node.outputs}
    before, late = [], []
    for i, node in enumerate(nodes):
        reads = sorted({maker[t.id] for t in node.inputs if t.id in maker})
        before.append(tuple(p for p in reads if p < i))
        for p in reads[len(before[-1]) :]:
            text = f"'{node.name}' runs before '{nodes[p].name}', on which it depends"
            late.append(Violation(Property.ORDER, text))
    return before, late


def _members(record: PartitionRecord) -> Iterator[Violation]:
    """Nodes and subgraphs say the same of each other, and no name stands for two nodes."""
    of: dict[str, list[str]] = {}
    for subgraph in record.subgraphs:
        for name in subgraph.kernels:
            of.setdefault(name, []).append(subgraph.name)
    times: dict[str, int] = {}
    for node in record.nodes:
        times[node.name] = times.get(node.name, 0) + 1
        if of.get(node.name, []) != ([] if node.subgraph is None else [node.subgraph]):
            text = f"'{node.name}' is of subgraph {node.subgraph}, but these have it: {of.get(node.name, [])}"
            yield Violation(Property.DISJOINT, text)
    for name in sorted({*times, *of}):
        if times.get(name, 0) != 1:
            yield Violation(Property.COVER, f"'{name}' is in the order {times.get(name, 0)} times")


def _reasons(record: PartitionRecord) -> Iterator[Violation]:
    for node in record.nodes:
        if node.subgraph is None and (node.code is None or not node.reason) and record.delegate is not None:
            yield Violation(Property.REASONS, f"'{node.name}' is on the CPU without a reason")


def _limits(record: PartitionRecord) -> Iterator[Violation]:
    options = record.options
    least, most = options.min_kernels or 0, options.max_kernels_per_subgraph
    for subgraph in record.subgraphs:
        size = len(subgraph.kernels)
        if size < least or (most is not None and size > most):
            text = (
                f"{subgraph.name} has {counted(size, 'kernel')}, min_kernels is {least}, "
                f"max_kernels_per_subgraph {most}"
            )
            yield Violation(Property.LIMITS, text)


def _count(record: PartitionRecord) -> Iterator[Violation]:
    """Each delegate has at least as many subgraphs as the bound, and no more, where nothing splits runs."""
    options = record.options
    may_exceed = options.connected or options.max_kernels_per_subgraph is not None or bool(options.groups)
    for taken in record.delegates:
        if taken.subgraphs < taken.minimum_subgraphs or (taken.subgraphs > taken.minimum_subgraphs and not may_exceed):
            text = (
                f"delegate '{taken.name}' has {counted(taken.subgraphs, 'subgraph')}, the bound is "
                f"{taken.minimum_subgraphs}"
            )
            yield Violation(Property.COUNT, text)


def _summary(record: PartitionRecord) -> object:
    nodes = [(n.graph, n.name, n.device, n.subgraph, n.code) for n in record.nodes]
    return nodes, [(s.name, s.kernels, s.boundary_bytes) for s in record.subgraphs]
