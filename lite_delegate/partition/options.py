"""What a user may ask of the partitioner. Every limit has one meaning: None is no limit, 0 is none at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

COUNT = "count"
COST = "cost"


@dataclass(frozen=True, slots=True)
class PartitionOptions:
    """How a model is split between delegates and the CPU.

    Attributes:
        placement: "count": the delegate gets all that it claims, in the fewest subgraphs. "cost": it keeps only what
            is estimated, or was measured, to pay.
        min_kernels: subgraphs of fewer kernels go to the CPU, where no other order makes them larger.
        max_subgraphs: the most subgraphs of a graph; the largest ones (with "cost": those that gain most) stay.
        max_kernels_per_subgraph: larger subgraphs are split.
        connected: subgraphs whose parts share no tensor are split into these parts.
        allow_types: operator types that delegates may take; None for all.
        deny_types: operator types that stay on the CPU.
        allow_names: names of nodes that delegates may take; None for all.
        deny_names: names of nodes that stay on the CPU.
        affinity: the user's own plan: the name of a delegate, or "CPU", by the name of a node. It is met exactly, or
            building the model fails with the reason.
        groups: names of nodes that stay on one device, in one subgraph; each group whole or not at all.
        repair_tries: how many parts of subgraphs that do not compile are tried, for each delegate and graph of the
            model, to find the nodes that are to blame. 0: all nodes of such a subgraph go to the CPU.
    """

    placement: str = COUNT
    min_kernels: int | None = None
    max_subgraphs: int | None = None
    max_kernels_per_subgraph: int | None = None
    connected: bool = False
    allow_types: frozenset[str] | None = None
    deny_types: frozenset[str] = frozenset()
    allow_names: frozenset[str] | None = None
    deny_names: frozenset[str] = frozenset()
    affinity: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    groups: tuple[frozenset[str], ...] = ()
    repair_tries: int | None = 32
