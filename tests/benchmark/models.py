"""Models and delegates that the tests of benchmarks share. They move a fake clock by what they pretend to take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from lite_delegate_kernels import Array

from lite_delegate import Boundary, Context, DelegateModel, DeviceEstimate, Kernel, LayerEstimate, Model
from lite_delegate.delegate import span
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.benchmark.fakes import FakeClock
from tests.runtime.graphs import F32

Work = Callable[[FakeClock], None]


def reports_nothing(clock: FakeClock) -> None:
    clock.work(9_000)


def reports_all(clock: FakeClock) -> None:
    """100 ns to pack, 20 to enqueue, 3,000 to compute, 400 to unpack, 5 between them."""
    for word, nanoseconds in (("pack", 100), ("enqueue", 20), ("compute", 3_000), ("unpack", 400)):
        with span(word):
            clock.work(nanoseconds)
    clock.work(5)


ESTIMATE = DeviceEstimate(
    12.5,
    1250,
    640,
    (
        LayerEstimate("load", "Copy", (), 2.0, 200, 640, 0.5),
        LayerEstimate("both", "Add", ("n0", "n1"), 8.0, 800, 0, 1.5),
        LayerEstimate("view", "View", (), 0.0, 0, 0, 9.5),
    ),
)


class Worker(GroupKernel):
    """Computes what it stands for, and pretends to take time for it."""

    def __init__(self, name: str, boundary: Boundary, kernels: Sequence[Kernel], delegate: Working) -> None:
        super().__init__(name, boundary, kernels)
        self.delegate = delegate

    def execute(self) -> None:
        self.delegate.work(self.delegate.clock)
        super().execute()

    def estimate(self) -> DeviceEstimate | None:
        return self.delegate.estimate


class Working(NamedDelegate):
    """Claims by name; its graph kernels do ``work`` and have an estimate."""

    name = "working"

    def __init__(
        self, clock: FakeClock, work: Work, names: Sequence[str] | None, estimate: DeviceEstimate | None = None
    ) -> None:
        super().__init__(names)
        self.clock = clock
        self.work = work
        self.estimate = estimate
        self.number = 0

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        self.number += 1
        return Worker(f"sub{self.number}", model.boundary_of(run), run, self)


def mixed() -> Graph:
    """x -> n0 (+1) -> c0 (Custom "slow", +1) -> n1 (+1) -> n2 (+1) -> c1 (Custom "slow", +1)."""
    last = first = Value("x", F32, (2, 3))
    one = constant("one", np.ones(1, np.float32))
    nodes: list[Node] = []
    for name in ("n0", "c0", "n1", "n2", "c1"):
        given = Value(f"{name}:0", F32, (2, 3))
        is_custom = name.startswith("c")
        primitive = make_primitive("Custom", type="slow") if is_custom else make_primitive("AddFusion")
        nodes.append(Node(name, primitive, [last] if is_custom else [last, one], [given]))
        last = given
    return Graph("main", [first], [last], nodes)


def built(graph: Graph, clock: FakeClock, delegate: NamedDelegate | None = None, cpu_ns: int = 1_000) -> Model:
    """A model whose Custom nodes take ``cpu_ns`` on the CPU."""
    context = Context()

    def slow(arrays: Sequence[Array | None], _: Mapping[str, bytes]) -> Array:
        clock.work(cpu_ns)
        (x,) = arrays
        assert x is not None
        return np.asarray(x + 1)

    context.register_custom("slow", slow)
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(graph, context)
    return model


X = {"x": np.zeros((2, 3), np.float32)}
