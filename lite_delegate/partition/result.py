"""Partition: the partitioner's decisions, as frozen data."""

from __future__ import annotations

from collections.abc import Mapping

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..delegate import Rejected
from .minimum import MinimumRuns


@dataclass(frozen=True, slots=True)
class Partition(Brief):
    """The execution order, and the owner of each node.

    Attributes:
        order: the nodes in execution order.
        runs: the subgraphs, as half-open ranges of positions in ``order``, in that order. They do not overlap; two
            may touch where a run was split.
        kept: for each node, whether it is in a subgraph.
        minimum: the bound for the kept nodes: no order has fewer runs, and the path that proves it. There are as many
            subgraphs as that, more only where ``connected`` or ``max_kernels_per_subgraph`` split runs.
        dropped: the claimed nodes that are in none, each with the reason.
        boundary_bytes: bytes that cross the boundaries of the subgraphs per run of the model.
    """

    order: tuple[int, ...]
    runs: tuple[range, ...]
    kept: tuple[bool, ...]
    minimum: MinimumRuns
    dropped: Mapping[int, Rejected]
    boundary_bytes: int

    @property
    def subgraphs(self) -> tuple[tuple[int, ...], ...]:
        """The nodes of each subgraph, in execution order."""
        return tuple(self.order[r.start : r.stop] for r in self.runs)
