"""Graph kernels whose runtime leaves some of their kernels to a CPU of its own: these go, the others stay."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from lite_delegate import Boundary, DelegateModel, Kernel, KernelsNotTaken, RejectCode
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate, WalkingDelegate
from tests.runtime.graphs import chain
from tests.runtime.planning.building.test_repair import built
from tests.runtime.planning.claims.test_several_delegates import assert_same_as_cpu, devices, parts


class Leaving(GroupKernel):
    """Its runtime runs some kernels on its own CPU, and says so under names of its own."""

    def __init__(self, name: str, boundary: Boundary, run: Sequence[Kernel], delegate: Partial) -> None:
        super().__init__(name, boundary, run)
        self.delegate = delegate

    def prepare(self) -> None:
        self.delegate.prepared += 1
        left = [k.name for k in self.kernels if k.name in self.delegate.left]
        if left:
            said = {self.delegate.aliases.get(name, name): f"{name} is on the runtime's CPU" for name in left}
            raise KernelsNotTaken(f"{len(left)} kernels are not taken", said)


class Partial(NamedDelegate):
    """Claims all; what it compiles does not run all."""

    def __init__(self, left: Collection[str], *, hidden: bool = False) -> None:
        super().__init__(None)
        self.left, self.prepared = left, 0
        self.aliases = dict.fromkeys(left, "fused_0") if hidden else {}

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return Leaving("Part", model.boundary_of(run), run, self)


class PartialWalker(WalkingDelegate, Partial):
    """The same the original's way."""

    def __init__(self, left: Collection[str], *, hidden: bool = False) -> None:
        Partial.__init__(self, left, hidden=hidden)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return Partial.create_graph_kernel(self, run, model)


@pytest.mark.parametrize("kind", [Partial, PartialWalker])
def test_what_is_named_goes_at_once_and_the_rest_is_compiled_again(kind: type[Partial]) -> None:
    graph = chain(9)
    delegate = kind(["n2", "n5"])
    model = built(graph, delegate)
    record = model.get_partition()
    left = [n for n in record.nodes if n.subgraph is None]
    assert [(n.name, n.code, n.reason) for n in left] == [
        ("n2", RejectCode.COMPILE_FAILED, "n2 is on the runtime's CPU"),
        ("n5", RejectCode.COMPILE_FAILED, "n5 is on the runtime's CPU"),
    ]
    assert [len(part) for part in parts(record, delegate.name)] == [2, 2, 3]
    assert delegate.prepared == 4  # the whole, and the three parts: nothing is bisected
    assert_same_as_cpu(graph, model)


def test_names_that_the_run_does_not_have_are_looked_for() -> None:
    graph = chain(8)
    model = built(graph, Partial(["n3"], hidden=True))
    assert [name for name, device in devices(model).items() if device == "CPU"] == ["n3"]
    assert_same_as_cpu(graph, model)


def test_without_repair_each_kernel_has_its_reason() -> None:
    model = built(chain(3), Partial(["n1"]), repair_tries=0)
    reasons = [n.reason for n in model.get_partition().nodes]
    assert reasons == ["1 kernels are not taken", "n1 is on the runtime's CPU", "1 kernels are not taken"]
