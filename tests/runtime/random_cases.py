"""Random models, delegates with random claims and faults, and random options: the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lite_delegate import Context, Model, PartitionOptions
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.testing.faults import FaultyDelegate, FaultyWalkingDelegate, PlantedFaults
from tests.runtime.control_graphs import F32, binary
from tests.runtime.execution.test_control_flow_random import Branch, Compiler, Loop, Statement, Step
from tests.runtime.graphs import unary


@dataclass(frozen=True)
class Case:
    """A model and how it is built.

    Attributes:
        graph: the model.
        claims: of each delegate, by node.
        faults: of each delegate.
        walks: of each delegate, whether it states no claims.
        options: of the partitioner.
        host_us: what nodes take on the CPU.
        device_us: what they take on each device.
        strict: of the context.
        on_delegate_error: of the context.
        can_resize: whether the inputs may get other first dimensions.
    """

    graph: Graph
    claims: tuple[frozenset[str], ...]
    faults: tuple[PlantedFaults, ...]
    walks: tuple[bool, ...]
    options: PartitionOptions
    host_us: dict[str, float]
    device_us: tuple[dict[str, float], ...]
    strict: bool
    on_delegate_error: str
    can_resize: bool

    def delegates(self) -> list[FaultyDelegate]:
        """New delegates."""
        return [
            (FaultyWalkingDelegate if walks else FaultyDelegate)(f"d{i}", sorted(claims), faults, us)
            for i, (claims, faults, walks, us) in enumerate(
                zip(self.claims, self.faults, self.walks, self.device_us, strict=True)
            )
        ]

    def context(self, delegates: Sequence[FaultyDelegate]) -> Context:
        """A context with these delegates."""
        context = Context()
        context.set_delegates(delegates)
        context.partition = self.options
        context.strict = self.strict
        context.on_delegate_error = self.on_delegate_error
        return context


def case(seed: int) -> Case:
    """The case of a seed."""
    rng = random.Random(seed)
    can_resize = rng.random() < 0.7
    graph = dag(rng) if can_resize else Compiler().compile(program(rng, 2))
    plain = Model()
    plain.build_from_graph(graph)
    nodes = plain.get_partition().nodes
    names = sorted(n.name for n in nodes)
    count = rng.choice([1, 1, 2, 3])
    walks = tuple(rng.random() < 0.1 for _ in range(count))
    share = rng.choice([0.3, 0.6, 0.8, 1.0])
    claims = tuple(frozenset(name for name in names if rng.random() < share) for _ in range(count))
    strict = rng.random() < 0.1
    return Case(
        graph,
        claims,
        tuple(_faults(rng, names) for _ in range(count)),
        walks,
        _options(rng, [n.name for n in nodes if not n.graph], names, sorted({n.type for n in nodes}), count),
        {name: float(rng.randint(0, 20)) for name in names},
        tuple({name: float(rng.randint(0, 10)) for name in names} for _ in range(count)),
        strict,
        "raise" if strict else rng.choice(["raise", "fallback"]),
        can_resize,
    )


def dag(rng: random.Random) -> Graph:
    """Additions, activations and splits of what is there already, with shared inputs and several outputs."""
    known = [Value("x", F32, (2, 4)), Value("w", F32, (2, 4))]
    inputs, nodes, width = list(known), [], dict.fromkeys(known, 4)
    for i in range(rng.randint(1, 14)):
        a = rng.choice(known[-6:])
        like = [v for v in known if width[v] == width[a]]
        kind = rng.choice(["add", "add", "unary", "constant", "split"])
        if kind == "split" and width[a] == 4:
            halves = [Value(f"n{i}:{j}", F32, (2, 2)) for j in range(2)]
            primitive = make_primitive("Split", output_num=2, size_splits=(2, 2), axis=1)
            nodes.append(Node(f"n{i}", primitive, [a], halves))
        elif kind == "unary":
            nodes.append(unary(f"n{i}", a, rng.choice(["RELU", "RELU6"])))
        elif kind == "constant":
            nodes.append(
                binary(f"n{i}", "MulFusion", a, constant(f"c{i}", np.full((1,), rng.randint(-2, 2), np.float32)))
            )
        else:
            nodes.append(binary(f"n{i}", "AddFusion", a, rng.choice(like)))
        for made in nodes[-1].outputs:
            known.append(made)
            width[made] = 2 if len(nodes[-1].outputs) == 2 else width[a]
    read = {v for n in nodes for v in n.inputs}
    outputs = [v for v in known[2:] if v not in read or rng.random() < 0.15]
    return Graph("main", inputs, outputs, nodes)


def program(rng: random.Random, depth: int) -> tuple[Statement, ...]:
    """A program with branches, loops and a variable."""
    return tuple(_statement(rng, depth) for _ in range(rng.randint(1, 5)))


def _statement(rng: random.Random, depth: int) -> Statement:
    kind = rng.choice(["step", "step", "step", "branch", "loop"]) if depth else "step"
    if kind == "branch":
        return Branch(rng.randint(-3, 3), program(rng, depth - 1), program(rng, depth - 1))
    if kind == "loop":
        return Loop(rng.randint(0, 3), program(rng, depth - 1))
    return Step(rng.choice(["add", "multiply", "remember", "recall"]), rng.randint(-2, 2))


def _faults(rng: random.Random, names: Sequence[str]) -> PlantedFaults:
    if rng.random() < 0.3:
        return PlantedFaults(follows=rng.random() < 0.5)
    few = rng.sample(names, min(len(names), rng.choice([0, 0, 1, 2])))
    pair = rng.sample(names, 2) if len(names) > 1 and rng.random() < 0.4 else []
    return PlantedFaults(
        frozenset(few),
        frozenset(pair),
        rng.choice([1, 2, 3, 1000, 1000, 1000]),
        rng.choice([3, 6, 1000, 1000, 1000]),
        rng.random() < 0.5,
        rng.choice([0, 0, 0, 0, 1, 3]),
        rng.random() < 0.3,
        rng.random() < 0.4,
        rng.random() < 0.1,
    )


def _options(
    rng: random.Random, main: Sequence[str], names: Sequence[str], types: Sequence[str], count: int
) -> PartitionOptions:
    def some(most: int) -> list[str]:
        return rng.sample(names, min(len(names), rng.choice([0, 0, 0, rng.randint(0, most)])))

    limit = [None, None, None, None, 0, 1, 2, 3, 5]
    devices = [*(f"d{i}" for i in range(count)), "CPU", "cpu"]
    return PartitionOptions(
        placement=rng.choice(["count", "count", "count", "cost"]),
        min_kernels=rng.choice(limit),
        max_subgraphs=rng.choice(limit),
        max_kernels_per_subgraph=rng.choice(limit),
        connected=rng.random() < 0.3,
        allow_types=rng.choice([None, None, None, frozenset(rng.sample(types, rng.randint(0, len(types))))]),
        deny_types=frozenset(rng.sample(types, rng.choice([0, 0, 0, 1 if types else 0]))),
        allow_names=rng.choice([None, None, None, frozenset(some(len(names)))]),
        deny_names=frozenset(some(3)),
        affinity={name: rng.choice(devices) for name in (some(2) if rng.random() < 0.3 else ())},
        groups=[set(rng.sample(main, min(len(main), rng.randint(0, 3)))) for _ in range(rng.choice([0, 0, 1, 2]))],
        repair_tries=rng.choice([None, 0, 1, 3, 9, 32]),
    )
