"""Resizing: every graph kernel is told; all follow, or all is as it was and the model is planned anew."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from lite_delegate import (
    Context,
    DelegateModel,
    DelegateWarning,
    Kernel,
    LiteDelegateError,
    Model,
    PartitionOptions,
    RejectCode,
    Rejected,
    ResizeUnsupported,
    Supported,
    Tensor,
)
from lite_delegate.ir import Graph
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate, WalkingDelegate
from tests.runtime import control_graphs as control
from tests.runtime.graphs import binary, chain, result_of, unary, value

Shape = tuple[int, ...]


class Told(GroupKernel):
    """Notes the shapes that it is told, of all its tensors and of those inside; may not be able to follow."""

    delegate: Telling

    def prepare(self) -> None:
        super().prepare()
        self.delegate.prepared.append(self)

    def release(self) -> None:
        self.delegate.released.append(self)

    def resize(self) -> None:
        inside = tuple(tuple(t.shape) for kernel in self.kernels for t in kernel.outputs)
        self.delegate.told.append((self.name, tuple(self.inputs[0].shape), inside))
        if tuple(self.inputs[0].shape) in self.delegate.impossible.get(self.name, ()):
            raise self.delegate.error

    def execute(self) -> None:
        if self.delegate.gate is not None:
            self.delegate.gate(self)
        super().execute()


class Forking(Told):
    """The same with forks, which run the functions of the nodes on arrays of their own."""

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return Fork(self, inputs, outputs)


class Fork(Kernel):
    def __init__(self, first: Forking, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        super().__init__(first.name, first.type, inputs, outputs)
        self.first = first

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return Fork(self.first, inputs, outputs)

    def resize(self) -> None:
        self.first.delegate.told.append((self.first.name, tuple(self.inputs[0].shape), ()))
        if tuple(self.inputs[0].shape) in self.first.delegate.impossible.get(self.first.name, ()):
            raise self.first.delegate.error

    def release(self) -> None:
        raise AssertionError("forks are not released")

    def execute(self) -> None:
        known = {t: mine.data for t, mine in zip(self.first.inputs, self.inputs, strict=True)}
        for kernel in self.first.kernels:
            known[kernel.outputs[0]] = result_of(kernel, [t.data if t.is_const else known[t] for t in kernel.inputs])
        for tensor, mine in zip(self.first.outputs, self.outputs, strict=True):
            mine.data = known[tensor]


class Telling(NamedDelegate):
    """Makes kernels that are told; ``forking`` has the first nodes of those that can be forked."""

    name = "telling"

    def __init__(self, names: Sequence[str] | None, *, forking: Sequence[str] = ()) -> None:
        super().__init__(names)
        self.forking = forking
        self.told: list[tuple[str, Shape, tuple[Shape, ...]]] = []
        self.impossible: dict[str, list[Shape]] = {}
        self.error: Exception = ResizeUnsupported("not these")
        self.prepared: list[Told] = []
        self.released: list[Told] = []
        self.builds = 0
        self.gate: Callable[[Told], None] | None = None

    def build(self, model: DelegateModel) -> None:
        self.builds += 1
        super().build(model)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kind = Forking if run[0].name in self.forking else Told
        kernel = kind(f"Told_{run[0].name}", model.boundary_of(run), run)
        kernel.delegate = self
        return kernel

    def shapes(self) -> list[tuple[str, Shape]]:
        """What the kernels were told since the last call, by name."""
        found = [(name.removeprefix("Told_"), shape) for name, shape, _ in self.told]
        self.told.clear()
        return found


class TellingWalker(WalkingDelegate, Telling):
    """The same the original's way: ``build`` alone, no claims."""

    name = "telling"

    def __init__(self, names: Sequence[str] | None, *, forking: Sequence[str] = ()) -> None:
        Telling.__init__(self, names, forking=forking)

    def build(self, model: DelegateModel) -> None:
        self.builds += 1
        WalkingDelegate.build(self, model)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return Telling.create_graph_kernel(self, run, model)


KINDS = [Telling, TellingWalker]


def built(graph: Graph, *delegates: NamedDelegate, **options: object) -> Model:
    context, model = Context(), Model()
    context.set_delegates(delegates)
    context.partition = PartitionOptions(**options)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        model.build_from_graph(graph, context)
    return model


def resize(model: Model, *shape: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        model.resize(model.get_inputs(), [list(shape)] * len(model.get_inputs()))


def assert_right(graph: Graph, model: Model) -> None:
    """The model gives what it gives without a delegate, for the shapes that it has."""
    plain = built(graph)
    shapes = [t.shape for t in model.get_inputs()]
    plain.resize(plain.get_inputs(), shapes)
    arrays = {t.name: np.arange(np.prod(t.shape), dtype=np.float32).reshape(t.shape) - 2 for t in model.get_inputs()}
    for got, want in zip(model.predict(arrays), plain.predict(arrays), strict=True):
        np.testing.assert_array_equal(got.get_data_to_numpy(), want.get_data_to_numpy())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forking", [(), ("n0", "n3"), ("n3",)], ids=["none", "all", "some"])
def test_every_kernel_is_told_once_and_nothing_is_built(kind: type[Telling], forking: Sequence[str]) -> None:
    graph = chain(5)
    delegate = kind(["n0", "n1", "n3"], forking=forking)
    model = built(graph, delegate)
    for shape in ((5, 3), (1, 1), (4, 7)):
        resize(model, *shape)
        assert delegate.shapes() == [("n0", shape), ("n3", shape)]
        assert_right(graph, model)
    assert (delegate.builds, len(delegate.prepared), delegate.released) == (1, 2, [])
    assert [s.kernels for s in model.get_partition().subgraphs] == [("n0", "n1"), ("n3",)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_without_forks_is_told_with_its_tensors_in_the_new_shapes(kind: type[Telling]) -> None:
    delegate = kind(["n0", "n1"])
    model = built(chain(3), delegate)
    resize(model, 6, 2)
    assert delegate.told == [("Told_n0", (6, 2), ((6, 2), (6, 2)))]
    (kernel,) = model.get_graph_kernels()
    assert kernel is delegate.prepared[0]
    assert [t.shape for t in (*kernel.inputs, *kernel.outputs)] == [[6, 2], [6, 2]]


def test_going_back_tells_a_kernel_without_forks_and_costs_nothing_with_them() -> None:
    alone, forking = Telling(["n0"]), Telling(["n0"], forking=["n0"])
    for delegate in (alone, forking):
        model = built(chain(2), delegate)
        resize(model, 5, 3)
        resize(model, 2, 3)
        assert_right(chain(2), model)
        assert delegate.builds == 1
    assert alone.shapes() == [("n0", (5, 3)), ("n0", (2, 3))]
    assert forking.shapes() == [("n0", (5, 3))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forking", [(), ("n0",), ("n4",)], ids=["none", "first", "last"])
@pytest.mark.parametrize("error", [ResizeUnsupported("no"), ZeroDivisionError("no")])
def test_all_or_nothing(kind: type[Telling], forking: Sequence[str], error: Exception) -> None:
    """n2 cannot follow: n0, which had, is told its old shape again, n4 not at all; all of it is built anew.

    Then a fork of n0 may be told once more, since planning takes over what it can of delegates that state their claims.
    """
    graph = chain(5)
    delegate = kind(["n0", "n2", "n4"], forking=forking)
    delegate.impossible, delegate.error = {"Told_n2": [(5, 3)]}, error
    model = built(graph, delegate)
    before = model.get_graph_kernels()
    resize(model, 5, 3)
    told = delegate.shapes()
    assert told[:2] == [("n0", (5, 3)), ("n2", (5, 3))]
    fork_told = [("n0", (5, 3))] if kind is Telling else []
    assert told[2:] == (fork_told if "n0" in forking else [("n0", (2, 3))])
    assert delegate.builds == 2
    assert len(delegate.prepared) == 6
    assert_right(graph, model)
    resize(model, 2, 3)
    assert model.get_graph_kernels() == before
    assert delegate.builds == 2
    assert_right(graph, model)
    assert delegate.released == []


def test_the_default_cannot_follow() -> None:
    class Plain(NamedDelegate):
        pass

    delegate = Plain(["n0"])
    model = built(chain(2), delegate)
    resize(model, 5, 3)
    assert len(delegate.made) == 2
    assert_right(chain(2), model)


def test_several_delegates_follow_together_or_not_at_all() -> None:
    a, b = Telling(["n0"]), Telling(["n1"])
    b.name = "b"
    b.impossible = {"Told_n1": [(9, 9)]}
    model = built(chain(3), a, b)
    resize(model, 5, 3)
    assert (a.builds, b.builds) == (1, 1)
    assert (a.shapes(), b.shapes()) == ([("n0", (5, 3))], [("n1", (5, 3))])
    resize(model, 9, 9)
    assert (a.builds, b.builds) == (2, 2)
    assert (a.shapes(), b.shapes()) == ([("n0", (9, 9)), ("n0", (5, 3))], [("n1", (9, 9))])
    assert_right(chain(3), model)


def test_other_claims_are_planned_anew() -> None:
    class Choosy(Telling):
        def supports(self, kernel: Kernel) -> Supported | Rejected:
            if kernel.name == "n1" and kernel.inputs[0].shape == [5, 3]:
                return Rejected(RejectCode.SHAPE, "5 is odd")
            return Supported()

    delegate = Choosy(None)
    model = built(chain(3), delegate)
    resize(model, 5, 3)
    assert delegate.builds == 2
    assert [s.kernels for s in model.get_partition().subgraphs] == [("n0",), ("n2",)]
    resize(model, 7, 3)
    assert [s.kernels for s in model.get_partition().subgraphs] == [("n0", "n1", "n2")]
    assert_right(chain(3), model)


def test_the_record_says_what_the_delegate_says_of_the_new_shapes() -> None:
    class Saying(Telling):
        def supports(self, kernel: Kernel) -> Supported | Rejected:
            if kernel.name == "n0":
                return Supported()
            return Rejected(RejectCode.SHAPE, f"{kernel.inputs[0].shape} is no good")

    model = built(chain(2), delegate := Saying(None))
    resize(model, 5, 3)
    assert delegate.builds == 1
    record = model.get_partition()
    assert [n.reason for n in record.nodes] == ["", "[5, 3] is no good"]
    assert [t.shape for t in record.subgraphs[0].input_tensors] == [(5, 3)]
    assert record.minimum_subgraphs == 1


def test_what_failed_to_compile_for_one_shape_is_tried_again_for_another() -> None:
    class Failing(Telling):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            if run[0].name == "n2" and run[0].inputs[0].shape == [2, 3]:
                raise ValueError("not with 2")
            return super().create_graph_kernel(run, model)

    model = built(chain(3), Failing(["n0", "n2"]))
    assert [s.kernels for s in model.get_partition().subgraphs] == [("n0",)]
    resize(model, 5, 3)
    assert [s.kernels for s in model.get_partition().subgraphs] == [("n0",), ("n2",)]


def test_other_options_of_the_user_are_planned_anew() -> None:
    context, model, delegate = Context(), Model(), Telling(None)
    context.set_delegate(delegate)
    model.build_from_graph(chain(3), context)
    context.partition = PartitionOptions(deny_names={"n1"})
    resize(model, 5, 3)
    assert [s.kernels for s in model.get_partition().subgraphs] == [("n0",), ("n2",)]


@pytest.mark.parametrize("forking", [(), ("n0", "n2")], ids=["alone", "forking"])
def test_a_resize_that_fails_leaves_the_model_as_it_was(forking: Sequence[str]) -> None:
    """The shapes are impossible for the model, or for the plan once the kernels had followed."""
    x, y = value("x", (2, 3)), value("y", (2, 3))
    n0 = unary("n0", x)
    n1 = binary("n1", n0.outputs[0], y)
    n2 = unary("n2", n1.outputs[0])
    graph = Graph("main", [x, y], list(n2.outputs), [n0, n1, n2])
    delegate = Telling(["n0", "n2"], forking=forking)
    model = built(graph, delegate)
    record = model.get_partition()
    with pytest.raises(LiteDelegateError):
        model.resize(model.get_inputs(), [[5, 3], [4, 3]])
    assert delegate.told == []
    assert model.get_partition() is record or model.get_partition() == record
    assert [t.shape for t in model.get_inputs()] == [[2, 3], [2, 3]]
    assert_right(graph, model)


def test_a_plan_that_fails_after_all_followed_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    from lite_delegate.runtime.planning import scheduler

    delegate = Telling(["n0"])
    model = built(chain(2), delegate)
    plan = scheduler._plan
    with monkeypatch.context() as patched:
        patched.setattr(scheduler, "_plan", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            resize(model, 5, 3)
    assert plan is scheduler._plan
    assert delegate.shapes() == [("n0", (5, 3)), ("n0", (2, 3))]
    assert delegate.released == []
    assert_right(chain(2), model)
    resize(model, 5, 3)
    assert delegate.builds == 1
    assert_right(chain(2), model)


def test_a_kernel_that_cannot_take_its_old_shapes_back_is_said(caplog: pytest.LogCaptureFixture) -> None:
    delegate = Telling(["n0", "n2"])
    delegate.impossible = {"Told_n0": [(2, 3)], "Told_n2": [(5, 3)]}
    model = built(chain(3), delegate)
    resize(model, 5, 3)
    assert "graph kernel 'Told_n0' could not take its shapes back: not these" in caplog.messages
    assert_right(chain(3), model)


def test_subgraphs_of_control_flow_follow() -> None:
    graph = control.if_else(lambda x: control.add("plus", x, 10), lambda x: control.multiply("times", x, 3))
    delegate = Telling(["plus", "times"])
    model = built(graph, delegate)
    inputs = model.get_inputs()
    model.resize(inputs, [t.shape if t.name == "c" else [7, 3] for t in inputs])
    assert sorted(delegate.shapes()) == [("plus", (7, 3)), ("times", (7, 3))]
    assert delegate.builds <= 2
    x = np.arange(21, dtype=np.float32).reshape(7, 3)
    for c, want in ((True, x + 10), (False, x * 3)):
        (got,) = model.predict({"c": np.array(c), "x": x})
        np.testing.assert_array_equal(got.get_data_to_numpy(), want)


def test_a_prediction_under_way_keeps_its_shapes() -> None:
    """A kernel without forks that is needed by a prediction cannot go over: the model is planned anew."""
    started, go_on = threading.Event(), threading.Event()

    def gate(kernel: Told) -> None:
        if kernel.inputs[0].data.shape == (2, 3):
            started.set()
            assert go_on.wait(30)

    delegate = Telling(["n0", "n2"])
    model = built(chain(3), delegate)
    delegate.gate = gate
    results: list[np.ndarray] = []
    x = np.zeros((2, 3), np.float32)
    thread = threading.Thread(target=lambda: results.append(model.predict({"x": x})[0].get_data_to_numpy()))
    thread.start()
    assert started.wait(30)
    resize(model, 5, 3)
    assert delegate.shapes() == []
    assert delegate.builds == 2
    go_on.set()
    thread.join()
    np.testing.assert_array_equal(results[0], np.full((2, 3), 6))
    assert_right(chain(3), model)


def test_predictions_beside_resizes_are_right() -> None:
    delegate = Telling(["n0", "n2"])
    model = built(chain(3), delegate)
    errors: list[BaseException] = []
    done = threading.Event()

    def predict() -> None:
        from lite_delegate import InputError

        while not done.is_set():
            shape = model.get_inputs()[0].shape
            x = np.ones(shape, np.float32)
            try:
                (got,) = model.predict({"x": x})
                np.testing.assert_array_equal(got.get_data_to_numpy(), x + 6)
            except InputError:
                continue  # resized between the two
            except BaseException as e:
                errors.append(e)
                return

    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(40):
        resize(model, 1 + number % 4, 3)
    done.set()
    for thread in threads:
        thread.join()
    assert errors == []
