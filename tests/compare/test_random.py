"""Random graphs with a fault in a random node: that node is named, and no other."""

from __future__ import annotations

import random

import numpy as np
import pytest

from lite_delegate.compare import CompareOptions, compare
from lite_delegate.ir import Graph, Node, make_primitive
from tests.compare.planted import Planted, built
from tests.present import present
from tests.runtime.graphs import binary, unary, value


def random_graph(rng: random.Random) -> Graph:
    """Nodes with one or two inputs, and pairs that split a tensor and put its halves together the other way round."""
    x = value("x")
    nodes, made = [], [x]
    for i in range(rng.randrange(3, 12)):
        kind = rng.random()
        if kind < 0.15:
            halves = [value(f"n{i}:0", (1, 3)), value(f"n{i}:1", (1, 3))]
            split = make_primitive("Split", output_num=2, axis=0, size_splits=[1, 1])
            nodes.append(Node(f"n{i}", split, [rng.choice(made)], halves))
            nodes.append(Node(f"m{i}", make_primitive("Concat", axis=0), [*halves[::-1]], [value(f"m{i}:0")]))
        elif kind < 0.6:
            nodes.append(unary(f"n{i}", rng.choice(made), rng.choice(("SIGMOID", "TANH"))))
        else:
            nodes.append(binary(f"n{i}", rng.choice(made), rng.choice(made), rng.choice(("AddFusion", "MulFusion"))))
        made.append(nodes[-1].outputs[0])
    read = {v for node in nodes for v in node.inputs}
    return Graph("g", [x], [v for node in nodes for v in node.outputs if v not in read], nodes)


def off(y: np.ndarray) -> np.ndarray:
    return np.asarray(y * np.float32(1.1) + np.float32(0.01))


@pytest.mark.parametrize("seed", range(25))
def test_the_faulty_node_is_named_and_no_other(seed: int) -> None:
    rng = random.Random(seed)
    graph = random_graph(rng)
    names = [node.name for node in graph.nodes]
    claimed = [name for name in names if rng.random() < 0.8] or names[:1]
    guilty = rng.choice(claimed)
    model = built(graph, Planted({guilty: off}, names=claimed))
    x = np.random.default_rng(seed).uniform(0.5, 2, (2, 3)).astype(np.float32)
    found = compare(model, {"x": x}, CompareOptions(kernels=True, bisect=True))
    assert [p.name for s in found.subgraphs for p in s.parts if p.outcome.is_fault] == [guilty]
    assert [c.found.kernels for c in found.culprits] == [(guilty,)]
    assert all(guilty in s.kernels for s in found.subgraphs if s.outcome.is_fault)
    for tensor in (t for s in found.subgraphs for each in (s, *s.parts) for t in each.tensors):
        total, own, inherited = (present(found).max_abs for found in (tensor.total, tensor.own, tensor.inherited))
        assert present(total) <= present(own) + present(inherited) + 1e-6
