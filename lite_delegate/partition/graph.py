"""The small abstract graph that the partitioner works on: numbers, edges and claims, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief


@dataclass(frozen=True, slots=True)
class PartitionTensor(Brief):
    """A tensor that may cross a boundary; constants are none.

    Attributes:
        producer: the node that makes it, None for an input of the graph.
        consumers: the nodes that read it, each once, ascending.
        nbytes: its size; 0 where it is not known.
        is_output: whether it is an output of the graph.
    """

    producer: int | None
    consumers: tuple[int, ...]
    nbytes: int
    is_output: bool = False


@dataclass(frozen=True, slots=True)
class PartitionGraph(Brief):
    """Nodes 0..n-1 in an executable order.

    Attributes:
        predecessors: for each node, the nodes it must come after; each smaller than the node itself.
        claimed: for each node, whether the delegate claims it.
        tensors: the tensors that can cross a boundary; empty where bytes do not matter.
        names: the names of the nodes, each once; empty where no option uses names. Reasons call a node without a name
            by its number.
        types: the nodes' operator types; empty where no option uses types.
        origins: the operator types that each node has in the model file; empty where it has none, or all go by
            ``types``.

    Raises:
        ValueError: the order is not executable, or there are more or fewer claims, names, types or origins than nodes.
    """

    predecessors: tuple[tuple[int, ...], ...]
    claimed: tuple[bool, ...]
    tensors: tuple[PartitionTensor, ...] = ()
    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    origins: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        if len(self.predecessors) != len(self.claimed):
            raise ValueError(f"{counted(len(self.predecessors), 'node')}, but {len(self.claimed)} claims")
        for kind, count in (("names", len(self.names)), ("types", len(self.types)), ("origins", len(self.origins))):
            if count and count != len(self.claimed):
                raise ValueError(f"{counted(len(self.claimed), 'node')}, but {count} {kind}")
        for node, before in enumerate(self.predecessors):
            if before and (min(before) < 0 or max(before) >= node):
                raise ValueError(f"node {node} must come after its predecessors {before}: the order is not executable")

    def __len__(self) -> int:
        return len(self.claimed)

    def label(self, node: int) -> str:
        """The name of a node in messages: its quoted name, or its number."""
        return f"'{self.names[node]}'" if self.names else f"node {node}"

    def with_claims(self, claimed: Sequence[bool]) -> PartitionGraph:
        """The graph with other claims."""
        return replace(self, claimed=tuple(claimed))

    def words_of(self, node: int) -> tuple[str, ...]:
        """The words for the operator type of a node: the schema's type, and the types in the model file."""
        own = self.types[node : node + 1]
        return (*own, *self.origins[node]) if self.origins else own


def successors(graph: PartitionGraph) -> list[list[int]]:
    """For each node the nodes that must come after it, ascending."""
    found: list[list[int]] = [[] for _ in range(len(graph))]
    for node, before in enumerate(graph.predecessors):
        for p in before:
            found[p].append(node)
    return found


def runs_of(order: Sequence[int], claimed: Sequence[bool]) -> list[range]:
    """The maximal stretches of claimed nodes in an order, as half-open ranges of positions in it."""
    runs: list[range] = []
    start: int | None = None
    for position, node in enumerate(order):
        if claimed[node]:
            start = position if start is None else start
        elif start is not None:
            runs.append(range(start, position))
            start = None
    if start is not None:
        runs.append(range(start, len(order)))
    return runs
