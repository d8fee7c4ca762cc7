"""Graphs to partition: random ones, long ones, and those of real networks with some operators rejected."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from pathlib import Path

import onnx

from benchmarks.networks import detector, mobilenet_v2, resnet50
from benchmarks.onnx_networks import vision_transformer
from lite_delegate import Context, Model
from lite_delegate.ir import Graph
from lite_delegate.partition import PartitionGraph, PartitionTensor
from lite_delegate.testing.delegates import NamedDelegate

LAYER = 32
"""Nodes of a layer."""


def random_graph(seed: int) -> PartitionGraph:
    """2 to 40 nodes in a random order that can run: edge probability 0.05 to 0.8, 30 to 90 % of the nodes claimed."""
    rng = random.Random(seed)
    n, share = rng.randint(2, 40), rng.uniform(0.05, 0.8)
    before = [[p for p in range(v) if rng.random() < share] for v in range(n)]
    order = _any_order(before, rng)
    number = {v: i for i, v in enumerate(order)}
    return graph_of([sorted(number[p] for p in before[v]) for v in order], rng, rng.uniform(0.3, 0.9))


def _any_order(before: list[list[int]], rng: random.Random) -> list[int]:
    left = [len(each) for each in before]
    ready, order = [v for v, count in enumerate(left) if not count], []
    while ready:
        order.append(ready.pop(rng.randrange(len(ready))))
        for v, each in enumerate(before):
            if order[-1] in each:
                left[v] -= 1
                if not left[v]:
                    ready.append(v)
    return order


def layered(n: int, seed: int = 0) -> PartitionGraph:
    """Layers of 32 nodes, each of which reads one to three of the layer before."""
    rng = random.Random(seed)
    before: list[list[int]] = []
    for v in range(n):
        start = (v // LAYER - 1) * LAYER
        chosen = {start + rng.randrange(LAYER) for _ in range(rng.randint(1, 3))} if start >= 0 else set()
        before.append(sorted(chosen))
    return graph_of(before, rng, 0.7)


def chain_like(n: int, seed: int = 0) -> PartitionGraph:
    """A chain, with a further edge from up to eight nodes before to 30 % of the nodes."""
    rng = random.Random(seed)
    before: list[list[int]] = []
    for v in range(n):
        chosen = {v - 1} if v else set()
        if v > 1 and rng.random() < 0.3:
            chosen.add(v - rng.randint(2, min(v, 8)))
        before.append(sorted(chosen))
    return graph_of(before, rng, 0.7)


def graph_of(before: list[list[int]], rng: random.Random, share: float) -> PartitionGraph:
    """A graph with these edges: one tensor of random size for each node, a share of the nodes claimed."""
    readers: list[list[int]] = [[] for _ in before]
    for v, each in enumerate(before):
        for p in each:
            readers[p].append(v)
    tensors = tuple(
        PartitionTensor(v, tuple(each), 64 * rng.randint(1, 1000), not each) for v, each in enumerate(readers)
    )
    claimed = tuple(rng.random() < share for _ in before)
    return PartitionGraph(tuple(map(tuple, before)), claimed, tensors)


def _planning() -> Context:
    """For plans only, with a delegate that is asked: what is asked is what a partitioner works on."""
    context = Context()
    context.set_delegate(NamedDelegate(None))
    context.plan_only = True
    return context


def _vit() -> Model:
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vit.onnx"
        onnx.save(vision_transformer(), path)
        model.build_from_file(path, context=_planning())
    return model


def _network(make: Callable[..., Graph]) -> Model:
    model = Model()
    model.build_from_graph(make(fused=False), _planning())
    return model


NETWORKS: Mapping[str, Callable[[], Model]] = {
    "ResNet50": lambda: _network(resnet50),
    "MobileNetV2": lambda: _network(mobilenet_v2),
    "detector": lambda: _network(detector),
    "ViT-tiny": _vit,
}
"""By name; convolutions, normalizations and activations are nodes of their own."""


def real_graphs(name: str) -> Iterator[PartitionGraph]:
    """The graph of a network, with each one and each two of its operator types rejected."""
    (asked,) = NETWORKS[name]().get_partition().asked
    graph = asked.graph
    types = sorted(set(graph.types))
    for rejected in (*((each,) for each in types), *combinations(types, 2)):
        claimed = [each not in rejected for each in graph.types]
        if any(claimed):
            yield graph.with_claims(claimed)
