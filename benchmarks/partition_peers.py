"""Peers: other projects' partitioners, from installed packages, or their rule in a few lines.

1. ONNX Runtime: its Python copy of what its execution providers partition with, from the installed package.
2. PyTorch: ``CapabilityBasedPartitioner`` from the installed package; subgraphs of single nodes are allowed.
3. Epochs: the first node that is ready starts a subgraph or a stretch on the CPU, which takes all that is ready for it
   before the other has its turn (the rule of TensorFlow Lite's delegates).
4. As given: the order of the file, cut at each rejected node.

Each gives the nodes of its subgraphs.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeAlias

from lite_delegate.partition import PartitionGraph, runs_of

Subgraphs: TypeAlias = list[list[int]]
Partitioner: TypeAlias = Callable[[PartitionGraph], Subgraphs]


def as_given(graph: PartitionGraph) -> Subgraphs:
    """The given order, cut at each rejected node."""
    return [list(run) for run in runs_of(range(len(graph)), graph.claimed)]


def epochs(graph: PartitionGraph) -> Subgraphs:
    """Subgraphs of the order that drains all ready nodes of one kind in turn, from the first ready node on."""
    readers = _readers(graph)
    left = [len(before) for before in graph.predecessors]
    ready: dict[bool, list[int]] = {True: [], False: []}
    for v, count in enumerate(left):
        if not count:
            ready[graph.claimed[v]].append(v)
    first = min((each[0] for each in ready.values() if each), default=0)
    kind = graph.claimed[first] if len(graph) else False
    found: Subgraphs = []
    while ready[True] or ready[False]:
        done, queue = [], ready[kind]
        while queue:
            done.append(queue.pop(0))
            for v in readers[done[-1]]:
                left[v] -= 1
                if not left[v]:
                    ready[graph.claimed[v]].append(v)
        if kind and done:
            found.append(done)
        kind = not kind
    return found


def onnx_runtime() -> Partitioner | None:
    """ONNX Runtime's, None where it is not installed."""
    try:
        from onnxruntime.tools.mobile_helpers import usability_checker
    except ImportError:
        return None
    check: Any = usability_checker._check_partitioning_for_graph

    def partition(graph: PartitionGraph) -> Subgraphs:
        nodes = [_OnnxNode(v, graph.claimed[v]) for v in range(len(graph))]
        producers = {nodes[v]: {nodes[p] for p in before} for v, before in enumerate(graph.predecessors) if before}
        consumers = {nodes[v]: [nodes[r] for r in each] for v, each in enumerate(_readers(graph)) if each}
        whole = SimpleNamespace(node=nodes, initializer=[])
        info = check(whole, producers, consumers, _Supported(), set(), False, {})
        return [[node.number for node in group] for group in info.supported_groups]

    return partition


class _OnnxNode:
    """A node as the checker needs it."""

    domain = ""
    op_type = "Any"
    input = ()

    def __init__(self, number: int, claimed: bool) -> None:
        self.number, self.claimed = number, claimed


class _Supported:
    """The list of supported operators as the checker needs it."""

    def is_op_supported(self, node: _OnnxNode) -> bool:
        return node.claimed


def torch() -> Partitioner | None:
    """PyTorch's, None where it is not installed."""
    try:
        from torch.fx import Graph, GraphModule, Node
        from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
        from torch.fx.passes.operator_support import OperatorSupportBase
        from torch.nn import Module
    except ImportError:
        return None

    def anything(*arguments: Any) -> Any:
        return arguments

    class Claims(OperatorSupportBase):
        def is_node_supported(self, submodules: Any, node: Node) -> bool:
            return bool(node.meta.get("claimed", False))

    def partition(graph: PartitionGraph) -> Subgraphs:
        fx = Graph()
        x = fx.placeholder("x")
        nodes: list[Node] = []
        for v, before in enumerate(graph.predecessors):
            nodes.append(fx.call_function(anything, tuple(nodes[p] for p in before) or (x,)))
            nodes[v].meta.update(claimed=graph.claimed[v], number=v)
        fx.output(tuple(nodes[v] for v, readers in enumerate(_readers(graph)) if not readers))
        whole = CapabilityBasedPartitioner(GraphModule(Module(), fx), Claims(), allows_single_node_partition=True)
        return [[node.meta["number"] for node in each.nodes] for each in whole.propose_partitions()]

    return partition


def _readers(graph: PartitionGraph) -> list[list[int]]:
    readers: list[list[int]] = [[] for _ in range(len(graph))]
    for v, before in enumerate(graph.predecessors):
        for p in before:
            readers[p].append(v)
    return readers
