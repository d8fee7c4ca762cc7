"""Graph kernels that their author gave one name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite_delegate import Boundary, Context, DelegateModel, Kernel, Model, Tensor
from lite_delegate.runtime.planning.building.plan_kernels import PlanKernels, free_name
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.runtime import control_graphs as control
from tests.runtime.execution.test_delegate_error import BROKEN
from tests.runtime.failing import Failing as FailingDelegate
from tests.runtime.failing import FailingKernel, raising, run
from tests.runtime.failing import built as built_with_fallback
from tests.runtime.graphs import chain
from tests.runtime.planning.building.test_repair import Picky, assert_clean, built, no


class OneName(NamedDelegate):
    """Calls every graph kernel MyGraph; notes the names under which they are prepared."""

    def __init__(self, names: Sequence[str] | None = None) -> None:
        super().__init__(names)
        self.prepared: list[str] = []

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = MyGraph("MyGraph", model.boundary_of(run), run)
        kernel.delegate = self
        return kernel


class MyGraph(GroupKernel):
    delegate: OneName

    def prepare(self) -> None:
        self.delegate.prepared.append(self.name)


def subgraphs(model: Model) -> dict[str, tuple[str, ...]]:
    return {s.name: s.kernels for s in model.get_partition().subgraphs}


def test_they_are_told_apart_in_the_order_in_which_they_run() -> None:
    model = built(chain(5), OneName(["n0", "n2", "n4"]))
    assert subgraphs(model) == {"MyGraph": ("n0",), "MyGraph#2": ("n2",), "MyGraph#3": ("n4",)}
    assert [k.name for k in model.get_graph_kernels()] == ["MyGraph", "MyGraph#2", "MyGraph#3"]
    assert [n.subgraph for n in model.get_partition().nodes if n.subgraph] == ["MyGraph", "MyGraph#2", "MyGraph#3"]


def test_they_have_their_names_when_they_are_prepared() -> None:
    delegate = OneName(["n0", "n2"])
    built(chain(3), delegate)
    assert delegate.prepared == ["MyGraph", "MyGraph#2"]


def test_names_differ_over_delegates_and_graphs() -> None:
    first, second = OneName(["n0", "n2"]), OneName(["n1"])
    second.name = "second"
    assert set(subgraphs(built(chain(3), first, second))) == {"MyGraph", "MyGraph#2", "MyGraph#3"}
    graph = control.if_else(lambda x: control.add("plus", x, 10), lambda x: control.multiply("times", x, 3))
    assert {"MyGraph", "MyGraph#2"} <= set(subgraphs(built(graph, OneName(["plus", "times"]))))


def test_names_are_the_same_each_time_after_a_repair_too() -> None:
    found = []
    for _ in range(2):
        delegate = Shy(no("n3"), at_prepare=True)
        model = built(chain(8), delegate)
        assert_clean(model, delegate)
        found.append(subgraphs(model))
    assert found[0] == found[1]
    assert set(found[0]) <= {"MyGraph", "MyGraph#2", "MyGraph#3"}


class Shy(Picky):
    """Cannot prepare some nodes, and calls every graph kernel MyGraph."""

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        kernel.name = "MyGraph"
        return kernel


def test_failures_and_fallback_speak_of_the_right_one() -> None:
    class Failing(OneName):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            boundary = model.boundary_of(run)
            behave = raising(BROKEN, *([] if run[0].name == "n2" else [0]))
            return FailingKernel("MyGraph", boundary.inputs, boundary.outputs, FailingDelegate(behave))

    model = built_with_fallback(chain(3), Failing(["n0", "n2"]))
    _, warned = run(model, x=np.zeros((2, 3), np.float32))
    assert warned[0].startswith("Subgraph 'MyGraph#2' failed on the device once")
    assert [(s.name, s.failures) for s in model.get_partition().subgraphs] == [("MyGraph", 0), ("MyGraph#2", 1)]


def test_a_resize_keeps_the_names() -> None:
    class Forking(OneName):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            boundary = model.boundary_of(run)
            return Forkable("MyGraph", boundary, run)

    class Forkable(GroupKernel):
        def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
            return Forkable(self.name, Boundary(tuple(inputs), tuple(outputs), ()), self.kernels)

        def resize(self) -> None:
            return None

    model = built(chain(3), Forking(["n0", "n2"]))
    before = subgraphs(model)
    for shape in ([9, 1], [1, 4], [2, 3]):
        model.resize(model.get_inputs(), [shape])
        assert subgraphs(model) == before


def test_free_names() -> None:
    assert free_name("G", ()) == "G"
    assert free_name("G", {"G"}) == "G#2"
    assert free_name("G", {"G", "G#2"}) == "G#3"
    assert free_name("G#2", {"G#2"}) == "G#3"
    assert free_name("G#2", {"G", "G#3"}) == "G#2"


def test_a_name_is_free_again_when_its_kernel_is_given_up() -> None:
    made, kernels = PlanKernels(), [_kernel(name) for name in ("G", "G", "G")]
    for kernel in kernels[:2]:
        made.prepare(kernel)
    made.give_up(kernels[1:2])
    made.prepare(kernels[2])
    assert [k.name for k in kernels] == ["G", "G#2", "G#2"]


def _kernel(name: str) -> Kernel:
    class Plain(Kernel):
        def execute(self) -> None:
            return None

    return Plain(name, "Plain", [], [])


def test_the_one_that_is_alone_keeps_its_name() -> None:
    context, model = Context(), Model()
    context.set_delegate(OneName())
    model.build_from_graph(chain(1), context)
    assert list(subgraphs(model)) == ["MyGraph"]
