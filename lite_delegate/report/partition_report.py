"""PartitionReport: who runs what and why, as frozen data."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from ..delegate import RejectCode
from ..runtime import Model, NodeRecord, SubgraphRecord


@dataclass(frozen=True, slots=True)
class PartitionReport:
    """The partition of a built model. Keys of ``to_dict`` are only ever added.

    Attributes:
        model: the model's file, "" when it was not read from one.
        delegate: the delegate's name, "none" without one.
        kernels_total: nodes of the model.
        kernels_delegated: nodes that the delegate runs.
        subgraphs: the graph kernels, in execution order.
        minimum_subgraphs: no execution order has fewer subgraphs for the nodes that the delegate runs.
        minimum_proof: names of the nodes of a dependency path that forces that many: each stretch of delegated
            nodes on it needs a subgraph of its own, because a node between them runs on the CPU.
        nodes: in execution order.
        notes: what concerns the whole model (the device is not there, ...).
    """

    model: str
    delegate: str
    kernels_total: int
    kernels_delegated: int
    subgraphs: tuple[SubgraphRecord, ...]
    minimum_subgraphs: int
    minimum_proof: tuple[str, ...]
    nodes: tuple[NodeRecord, ...]
    notes: tuple[str, ...] = ()

    @property
    def coverage(self) -> float:
        """Share of the nodes that the delegate runs, 0 to 1."""
        return self.kernels_delegated / self.kernels_total if self.kernels_total else 0.0

    @property
    def boundary_bytes(self) -> int:
        """Bytes that cross subgraph boundaries per prediction."""
        return sum(s.boundary_bytes for s in self.subgraphs)

    @property
    def estimated_us(self) -> float | None:
        """Microseconds that the subgraphs are estimated to take together; None where a delegate does not say."""
        estimates = [s.estimated_us for s in self.subgraphs if s.estimated_us is not None]
        return sum(estimates) if estimates and len(estimates) == len(self.subgraphs) else None

    @property
    def fallback(self) -> tuple[NodeRecord, ...]:
        """The nodes that run on the CPU."""
        return tuple(n for n in self.nodes if n.subgraph is None)

    def refused_types(self) -> Counter[tuple[str, RejectCode | None, str]]:
        """How often each operator type stays on the CPU for each reason."""
        return Counter((n.type, n.code, n.reason) for n in self.fallback)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON."""
        data = asdict(self)
        data["coverage"] = self.coverage
        data["boundary_bytes"] = self.boundary_bytes
        data["estimated_us"] = self.estimated_us
        return data

    def to_json(self) -> str:
        """The report as JSON text."""
        return json.dumps(self.to_dict(), indent=2)

    def to_text(self) -> str:
        """The report as text for a terminal, 100 columns wide."""
        from .text import report_text

        return report_text(self)


def partition_report(model: Model) -> PartitionReport:
    """The partition of a built model, for the shapes it has now.

    Raises:
        LiteDelegateError: the model has not been built.
    """
    record = model.get_partition()
    return PartitionReport(
        model=model.model_path_,
        delegate=record.delegate or "none",
        kernels_total=len(record.nodes),
        kernels_delegated=sum(n.subgraph is not None for n in record.nodes),
        subgraphs=record.subgraphs,
        minimum_subgraphs=record.minimum_subgraphs,
        minimum_proof=record.minimum_proof,
        nodes=record.nodes,
        notes=record.notes,
    )
