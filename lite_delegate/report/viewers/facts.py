"""Facts that viewers show of a graph and of its nodes, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ...basics.counted import counted
from ...runtime.records import NodeRecord, source_texts
from ..accuracy.node_errors import NodeError
from ..partition_data import PartitionData

Errors = Mapping[tuple[str, str], NodeError]
"""By graph and name of their nodes."""


def graphs_of(report: PartitionData) -> Iterator[tuple[str, Sequence[NodeRecord]]]:
    """The name and the nodes of each graph, the main graph "" first."""
    ordered = sorted(report.nodes, key=lambda node: node.graph)
    return ((name, list(nodes)) for name, nodes in groupby(ordered, lambda node: node.graph))


def report_facts(report: PartitionData) -> dict[str, str]:
    """Facts of the whole partition, by their words."""
    return {
        "delegate": report.delegate,
        "delegated": f"{report.kernels_delegated:,} of {report.kernels_total:,}",
        "subgraphs": f"{len(report.subgraphs):,}",
        "fewest possible": f"{report.minimum_subgraphs:,}",
        "boundary": counted(report.boundary_bytes, "byte"),
    }


def node_facts(node: NodeRecord, errors: Errors) -> dict[str, str]:
    """Facts of a node, by their words; a fact that is not known is left out."""
    error = errors.get((node.graph, node.name))
    unknown = "not known" if errors and node.subgraph is not None else None
    found = {
        "runs on": node.device,
        "subgraph": node.subgraph,
        "code": node.code,
        "reason": node.reason,
        "hint": node.hint,
        "CPU time": None if node.host_us is None else f"{node.host_us:,.1f} us",
        "own error": unknown if error is None else error.text,
        "in the file": ", ".join(source_texts(node.sources)),
    }
    return {word: str(value) for word, value in found.items() if value}
