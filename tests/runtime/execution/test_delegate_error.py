"""What becomes of a prediction in which a delegate's graph kernel fails: it fails, or the CPU stands in."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import (
    Context,
    DelegateExecuteError,
    DelegateModel,
    DelegateWarning,
    DeviceLost,
    FallbackError,
    Kernel,
    KernelError,
    LiteDelegateError,
    Model,
)
from lite_delegate.inference.shapes.plan_cache import MOST_PLANS
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.report import partition_report
from lite_delegate.runtime.execution import fallback as fallback_module
from lite_delegate.runtime.execution.plan import GraphPlan, plan_graph
from lite_delegate.runtime.records.records import SubgraphRecord, SubgraphStatus
from tests.runtime import control_graphs as control
from tests.runtime.failing import MARK, Failing, FailingKernel, built, raising, run
from tests.runtime.graphs import binary, chain, unary, value

X = np.arange(6, dtype=np.float32).reshape(2, 3)
BROKEN = DelegateExecuteError("the board is hot.")
LOST = DeviceLost("the board is gone.")


def status(model: Model, number: int = 0) -> SubgraphRecord:
    return model.get_partition().subgraphs[number]


def mixed() -> Graph:
    """x -> a -> b -> c -> d adding 1 to 4; a delegate that takes a, b and d leaves c."""
    graph = chain(4)
    for node, name in zip(graph.nodes, "abcd", strict=True):
        node.name = name
    return graph


def test_the_default_is_to_raise() -> None:
    assert Context().on_delegate_error == "raise"


def test_other_settings_are_rejected() -> None:
    context = Context()
    with pytest.raises(ValueError, match="on_delegate_error must be one of 'raise', 'fallback', got 'ignore'"):
        context.on_delegate_error = "ignore"
    with pytest.raises(TypeError, match="on_delegate_error must be str, but got bool"):
        context.on_delegate_error = True  # type: ignore[assignment]
    assert context.on_delegate_error == "raise"


def test_strict_and_fallback_contradict_each_other() -> None:
    context = Context()
    context.strict = True
    context.on_delegate_error = "fallback"
    context.set_delegate(Failing(raising(BROKEN)))
    model = Model()
    with pytest.raises(FallbackError, match=r"strict mode .* on_delegate_error is 'fallback'.* set on_delegate_error"):
        model.build_from_graph(chain(1), context)
    context.on_delegate_error = "raise"
    model.build_from_graph(chain(1), context)


def test_a_failure_is_raised_and_reported_and_the_next_prediction_asks_the_device_again() -> None:
    model = built(chain(2), Failing(raising(BROKEN, 1)), "raise")
    assert status(model).status == "ok"
    with pytest.raises(DelegateExecuteError, match="the board is hot"):
        model.predict({"x": X})
    assert (status(model).status, status(model).failures, status(model).error) == ("failed", 1, "the board is hot.")
    (note,) = model.get_partition().notes
    assert note == (
        "Subgraph 'Failing0' failed on the device once, the predictions failed. The last error: the board is hot."
    )
    np.testing.assert_array_equal(run(model, x=X)[0][0], X + MARK)
    assert status(model).failures == 1


@pytest.mark.parametrize("error", [BROKEN, ValueError("bad luck")])
def test_the_cpu_stands_in_and_the_next_prediction_asks_the_device_again(error: Exception) -> None:
    delegate = Failing(raising(error, 1, 3), ["a", "b", "d"])
    delegate.behave = lambda kernel, number: (
        raising(error, 1, 3)(kernel, number) if kernel.name == "Failing0" else kernel.compute()
    )
    model = built(mixed(), delegate)
    got, said = run(model, x=X)
    np.testing.assert_array_equal(got[0], X + 1 + 2 + 3 + MARK)
    (warning,) = said
    assert warning.startswith("Subgraph 'Failing0' failed on the device once, the CPU ran it instead; the next")
    assert str(error) in warning
    np.testing.assert_array_equal(run(model, x=X)[0][0], X + MARK + 3 + MARK)
    got, said = run(model, x=X)
    np.testing.assert_array_equal(got[0], X + 1 + 2 + 3 + MARK)
    assert said == []
    assert [s.status for s in model.get_partition().subgraphs] == ["failed", "ok"]
    assert status(model).failures == 2
    assert delegate.calls == {"Failing0": 3, "Failing1": 3}


def test_each_subgraph_is_warned_of_once() -> None:
    model = built(mixed(), Failing(raising(BROKEN), ["a", "b", "d"]))
    got, said = run(model, x=X)
    np.testing.assert_array_equal(got[0], X + 10)
    assert [text.split("'")[1] for text in said] == ["Failing0", "Failing1"]
    assert run(model, x=X)[1] == []


def test_the_warning_points_at_the_call_of_predict() -> None:
    model = built(chain(1), Failing(raising(BROKEN)))
    with pytest.warns(DelegateWarning) as caught:
        model.predict({"x": X})
    assert caught[0].filename == __file__


def test_a_lost_device_is_not_asked_again() -> None:
    delegate = Failing(raising(LOST))
    model = built(chain(3), delegate)
    for _ in range(3):
        np.testing.assert_array_equal(run(model, x=X)[0][0], X + 6)
    assert delegate.calls == {"Failing0": 1}
    assert (status(model).status, status(model).failures) == (SubgraphStatus.LOST, 1)
    (note,) = model.get_partition().notes
    assert "the CPU runs it until the model is built or resized anew, because the device is lost" in note


def test_a_device_that_is_lost_after_another_failure_is_not_asked_again() -> None:
    delegate = Failing(lambda kernel, number: raising(BROKEN if number == 1 else LOST)(kernel, number))
    model = built(chain(1), delegate)
    said = [text for _ in range(4) for text in run(model, x=X)[1]]
    assert len(said) == 2
    assert "because the device is lost" in said[1]
    assert delegate.calls == {"Failing0": 2}
    assert (status(model).status, status(model).error) == ("lost", "the board is gone.")


def test_a_lost_device_is_raised_each_time_where_nothing_stands_in() -> None:
    delegate = Failing(raising(LOST, 1, 2))
    model = built(chain(1), delegate, "raise")
    for _ in range(2):
        with pytest.raises(DeviceLost, match="the board is gone"):
            model.predict({"x": X})
    assert status(model).status == "lost"
    assert delegate.calls == {"Failing0": 2}


def test_a_loss_is_not_forgotten_over_another_failure() -> None:
    delegate = Failing(lambda kernel, number: raising(LOST if number == 1 else BROKEN)(kernel, number))
    model = built(chain(1), delegate, "raise")
    for error in ("gone", "hot"):
        with pytest.raises(DelegateExecuteError, match=error):
            model.predict({"x": X})
    assert (status(model).status, status(model).error) == ("lost", "the board is hot.")


@pytest.mark.parametrize("setting", ["raise", "fallback"])
def test_resizing_plans_anew_after_a_loss_and_asks_the_device_again(setting: str) -> None:
    delegate = Failing(raising(LOST, 1))
    model = built(chain(1), delegate, setting)
    if setting == "raise":
        with pytest.raises(DeviceLost):
            model.predict({"x": X})
    else:
        run(model, x=X)
    model.resize(model.get_inputs(), [[2, 3]])
    assert (delegate.builds, delegate.inits) == (2, 2)
    assert status(model).status == "ok"
    assert model.get_partition().notes == ()
    np.testing.assert_array_equal(run(model, x=X)[0][0], X + MARK)
    model.resize(model.get_inputs(), [[2, 3]])
    assert delegate.builds == 2


def test_going_back_to_shapes_whose_plan_lost_the_device_plans_anew() -> None:
    delegate = Failing(raising(LOST, 1))
    model = built(chain(1), delegate)
    run(model, x=X)
    model.resize(model.get_inputs(), [[1, 3]])
    np.testing.assert_array_equal(run(model, x=X[:1])[0][0], X[:1] + MARK)
    model.resize(model.get_inputs(), [[2, 3]])
    np.testing.assert_array_equal(run(model, x=X)[0][0], X + MARK)
    assert delegate.builds == 3


def test_a_plan_that_is_made_anew_pushes_no_other_out() -> None:
    delegate = Failing(raising(LOST, 1))
    model = built(chain(1), delegate)
    for rows in range(3, MOST_PLANS + 2):
        model.resize(model.get_inputs(), [[rows, 3]])
    run(model, x=np.zeros((MOST_PLANS + 1, 3), np.float32))
    model.resize(model.get_inputs(), [[MOST_PLANS + 1, 3]])
    assert delegate.builds == MOST_PLANS + 1
    for rows in range(2, MOST_PLANS + 2):
        model.resize(model.get_inputs(), [[rows, 3]])
    assert delegate.builds == MOST_PLANS + 1


def test_graph_kernels_of_a_plan_that_lost_its_device_are_not_reused() -> None:
    class Following(FailingKernel):
        def resize(self) -> None:
            return None

        def fork(self, inputs: object, outputs: object) -> Kernel:
            return Following(self.name, inputs, outputs, self.delegate)  # type: ignore[arg-type]

    class Reusable(Failing):
        def create_graph_kernel(self, kernels: Sequence[Kernel], model: DelegateModel) -> Kernel:
            made = super().create_graph_kernel(kernels, model)
            self.created = getattr(self, "created", 0) + 1
            return Following(made.name, made.inputs, made.outputs, self)

    delegate = Reusable(raising(LOST, 1))
    model = built(chain(1), delegate)
    run(model, x=X)
    model.resize(model.get_inputs(), [[1, 3]])
    assert delegate.created == 2
    model.resize(model.get_inputs(), [[4, 3]])
    assert delegate.created == 2


def test_a_failed_resize_after_a_loss_leaves_the_model_as_it_was() -> None:
    model = built(Graph("main", *two_inputs()), Failing(raising(LOST)))
    a = np.ones((2, 3), np.float32)
    run(model, a=a, b=a)
    with pytest.raises(LiteDelegateError):
        model.resize(model.get_inputs(), [[2, 3], [5, 7]])
    np.testing.assert_array_equal(run(model, a=a, b=a)[0][0], 2 * a)
    assert status(model).status == "lost"


def two_inputs() -> tuple[list[Value], list[Value], list[Node]]:
    a, b = value("a"), value("b")
    both = binary("both", a, b)
    return [a, b], list(both.outputs), [both]


def without_cpu_kernel() -> Graph:
    x = value("x")
    first = unary("first", x)
    odd = Node("odd", make_primitive("Custom", type="Odd"), list(first.outputs), [value("odd:0")])
    return Graph("main", [x], list(odd.outputs), [first, odd])


@pytest.mark.parametrize("error", [BROKEN, LOST])
def test_the_error_says_why_the_cpu_cannot_take_over(error: Exception) -> None:
    model = built(without_cpu_kernel(), Failing(raising(error, 1, 2)))
    (note,) = model.get_partition().notes
    assert note == ("The CPU cannot run subgraph 'Failing0' if the device fails: it has no kernel for 'odd' (Custom).")
    for _ in range(2):
        with pytest.raises(
            type(error), match=r"the board is .*\. The CPU cannot take over: it has no kernel for 'odd' \(Custom\)\.$"
        ) as caught:
            model.predict({"x": X})
        assert caught.value.__cause__ is error
    got, said = run(model, x=X)
    np.testing.assert_array_equal(got[0], X + MARK)
    assert said == []
    assert "the predictions failed" in model.get_partition().notes[-1]


def give(shape: tuple[int, ...]) -> Any:
    def behave(kernel: FailingKernel, number: int) -> None:
        kernel.outputs[0].data = np.zeros(shape, np.float32)

    return behave


@pytest.mark.parametrize("forks", [True, False])
@pytest.mark.parametrize(
    ("behave", "message"),
    [
        (give((2, 4)), r"Graph kernel 'Failing0': output 'n0:0' must have shape \[2, 3\], got \[2, 4\]"),
        (give((6,)), r"output 'n0:0' must have shape \[2, 3\], got \[6\]"),
        (lambda kernel, number: None, r"Graph kernel 'Failing0' did not set its output 'n0:0'"),
    ],
)
def test_results_of_a_graph_kernel_are_checked(behave: Any, message: str, forks: bool) -> None:
    model = built(chain(1), Failing(behave, forks=forks), "raise")
    for _ in range(2):
        with pytest.raises(DelegateExecuteError, match=message):
            model.predict({"x": X})
    model = built(chain(1), Failing(behave, forks=forks))
    np.testing.assert_array_equal(run(model, x=X)[0][0], X + 1)


def test_a_graph_kernel_that_cannot_be_forked_for_a_run_is_a_failure_too() -> None:
    class Unforkable(FailingKernel):
        def fork(self, inputs: object, outputs: object) -> Kernel:
            raise OSError("no handles left")

    class Delegate(Failing):
        def create_graph_kernel(self, kernels: Sequence[Kernel], model: DelegateModel) -> Kernel:
            made = super().create_graph_kernel(kernels, model)
            return Unforkable(made.name, made.inputs, made.outputs, self)

    model = built(chain(1), Delegate(raising(BROKEN)), "raise")
    with pytest.raises(
        DelegateExecuteError, match=r"Graph kernel 'Failing0' \(Failing\): forking it failed: OSError: no handles"
    ):
        model.predict({"x": X})
    got, said = run(built(chain(1), Delegate(raising(BROKEN))), x=X)
    np.testing.assert_array_equal(got[0], X + 1)
    assert len(said) == 1


class Choosing(Failing):
    """A delegate whose graph kernels take and give other tensors than those that cross the boundary."""

    def __init__(self, take: Any, names: Sequence[str] | None = None) -> None:
        super().__init__(raising(BROKEN), names)
        self.take = take

    def create_graph_kernel(self, kernels: Sequence[Kernel], model: DelegateModel) -> Kernel:
        made = super().create_graph_kernel(kernels, model)
        inputs, outputs = self.take(made, kernels)
        return FailingKernel(made.name, inputs, outputs, self)


@pytest.mark.parametrize(
    "take",
    [
        lambda made, kernels: (made.inputs[:1], made.outputs),
        lambda made, kernels: ((made.inputs[1], made.inputs[0], made.inputs[1]), made.outputs),
        lambda made, kernels: ((), (made.outputs[0], kernels[0].outputs[0])),
    ],
    ids=["fewer inputs", "an input twice, in another order", "more outputs"],
)
def test_the_cpu_is_handed_what_the_nodes_read_whatever_the_graph_kernel_takes(take: Any) -> None:
    a, b = value("a"), value("b")
    doubled = binary("doubled", a, a)
    both = binary("both", doubled.outputs[0], b, "SubFusion")
    end = unary("end", both.outputs[0], "RELU")
    graph = Graph("main", [a, b], list(end.outputs), [doubled, both, end])
    model = built(graph, Choosing(take, ["doubled", "both"]))
    got, _ = run(model, a=X, b=np.full_like(X, 3))
    np.testing.assert_array_equal(got[0], np.maximum(2 * X - 3, 0))


def test_a_graph_kernel_that_takes_a_tensor_twice_is_handed_it_twice() -> None:
    def weigh(kernel: FailingKernel, number: int) -> None:
        first, second, third = (t.data for t in kernel.inputs)
        kernel.outputs[0].data = first + 10 * second + 100 * third

    a, b = value("a"), value("b")
    both = binary("both", a, b)
    delegate = Choosing(lambda made, kernels: ((made.inputs[1], made.inputs[1], made.inputs[0]), made.outputs))
    delegate.behave = weigh
    model = built(Graph("main", [a, b], list(both.outputs), [both]), delegate)
    got, _ = run(model, a=X, b=np.full_like(X, 2))
    np.testing.assert_array_equal(got[0], 22 + 100 * X)


def test_what_an_earlier_graph_kernel_does_not_give_cannot_be_handed_on() -> None:
    """The second run is replaced first, and reads nothing; so the first need not give what lies between."""

    class Backwards(Choosing):
        def build(self, model: DelegateModel) -> None:
            for kernels in (model[2:3], model[0:1]):
                model.replace(*model.span(kernels), self.create_graph_kernel(kernels, model))

    x = value("x")
    first = Node("first", make_primitive("Abs"), [x], [value("first:0")])
    second = unary("second", x)
    third = binary("third", first.outputs[0], x)
    nodes = [first, second, third]
    graph = Graph("main", [x], [second.outputs[0], third.outputs[0]], nodes)
    delegate = Backwards(lambda made, kernels: ([t for t in made.inputs if t.name == "x"], made.outputs))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = built(graph, delegate)
    with pytest.raises(
        DelegateExecuteError, match=r"The CPU cannot take over: the delegate's build left nobody to give it 'first:0'"
    ):
        model.predict({"x": X})


def test_a_cpu_kernel_that_fails_in_place_of_the_device_is_named() -> None:
    def fail(arrays: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
        raise OSError("no such table")

    context = Context()
    context.register_custom("Odd", fail)
    context.on_delegate_error = "fallback"
    context.set_delegate(Failing(raising(BROKEN)))
    model = Model()
    model.build_from_graph(without_cpu_kernel(), context)
    with pytest.raises(KernelError, match=r"'odd'.*no such table"):
        model.predict({"x": X})
    assert status(model).failures == 1


def test_the_plan_of_the_cpu_kernels_is_made_once_and_only_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def counted(*arguments: Any) -> GraphPlan:
        made.append(arguments)
        return plan_graph(*arguments)

    monkeypatch.setattr(fallback_module, "plan_graph", counted)
    model = built(chain(3), Failing(raising(BROKEN, 2, 3)))
    run(model, x=X)
    assert made == []
    for _ in range(2):
        run(model, x=X)
    assert len(made) == 1


def test_variables_are_read_as_they_are_when_the_subgraph_runs() -> None:
    v, x = constant("v", np.array([100, 200, 300], np.float32)), Value("x", value("x").dtype, (3,))
    before, after = control.binary("before", "AddFusion", v, x), control.binary("after", "AddFusion", v, x)
    change = control.node("change", "Assign", [v, x])
    nodes = [before, change, after]
    graph = Graph("main", [x], [control.out(before), control.out(after)], nodes)
    model = built(graph, Failing(raising(BROKEN), ["before", "after"]))
    one = np.array([1, 2, 3], np.float32)
    for _ in range(2):
        (first, second), _ = run(model, x=one)
        np.testing.assert_array_equal(first, [101, 202, 303])
        np.testing.assert_array_equal(second, 2 * one)


def test_the_cpu_stands_in_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device adds MARK in a round in which it works, where the node adds 2. One fork serves all rounds."""

    def step(i: Value, x: Value) -> list[Node]:
        return [control.add("same", x, 2)]

    delegate = Failing(raising(BROKEN, 2, 3), ["same"])
    forks = Counter[str]()
    original = FailingKernel.fork

    def counted(self: FailingKernel, *arguments: Any) -> Kernel | None:
        forks.update([self.name])
        return original(self, *arguments)

    monkeypatch.setattr(FailingKernel, "fork", counted)
    model = built(control.while_loop(step, shape=(3,)), delegate)
    x = np.zeros(3, np.float32)
    got, said = run(model, n=np.array(4, np.int32), x=x)
    np.testing.assert_array_equal(got[0], x + 2 * MARK + 2 * 2)
    assert len(said) == 1
    assert status(model).failures == 2
    assert forks == {"Failing0": 1}


@pytest.mark.parametrize("forks", [True, False])
def test_parallel_predictions_fall_back_each_by_itself(forks: bool) -> None:
    delegate = Failing(lambda kernel, number: raising(BROKEN, *range(1, 400, 3))(kernel, number), forks=forks)
    model = built(chain(4), delegate)
    together = Barrier(8)

    def work(number: int) -> tuple[list[bool], int]:
        x = np.full((2, 3), number, np.float32)
        together.wait(timeout=30)
        results = [model.predict({"x": x})[0].get_data_to_numpy() for _ in range(40)]
        by_device = [bool((r == x + MARK).all()) for r in results]
        assert all(d or (r == x + 10).all() for d, r in zip(by_device, results, strict=True))
        return by_device, len(results)

    with warnings.catch_warnings(record=True) as caught, ThreadPoolExecutor(8) as pool:
        warnings.simplefilter("always")
        done = [d for by_device, _ in pool.map(work, range(8)) for d in by_device]
    failures = len(range(1, 321, 3))
    assert done.count(False) == status(model).failures == failures
    assert [w.category for w in caught] == [DelegateWarning]


def test_a_loss_is_seen_by_all_threads() -> None:
    delegate = Failing(raising(LOST))
    model = built(chain(2), delegate)
    with warnings.catch_warnings(record=True) as caught, ThreadPoolExecutor(4) as pool:
        warnings.simplefilter("always")
        results = list(pool.map(lambda _: model.predict({"x": X})[0].get_data_to_numpy(), range(32)))
    assert all((r == X + 3).all() for r in results)
    assert len(caught) == 1
    assert delegate.calls["Failing0"] <= 4


def test_quantized_nodes_give_what_the_cpu_gives() -> None:
    from tests.runtime.binding.test_quantization import small_network

    graph, _ = small_network()
    x = np.random.default_rng(1).normal(size=(2, 8, 8, 2)).astype(np.float32)
    (want,), _ = run(built(graph, None), x=x)
    names = [node.name for node in graph.nodes]
    for taken in (names, names[1:], names[1:3]):
        (got,), said = run(built(graph, Failing(raising(LOST), taken)), x=x)
        np.testing.assert_array_equal(got, want)
        assert len(said) == 1


def test_outputs_of_the_cpu_kernels_are_the_callers() -> None:
    """A reshape gives a view of its input, which must not reach the caller."""
    x = value("x")
    flat = Node("flat", make_primitive("Reshape"), [x, constant("six", np.array([6], np.int32))], [value("y", (6,))])
    model = built(Graph("main", [x], list(flat.outputs), [flat]), Failing(raising(LOST)))
    (got,), _ = run(model, x=X)
    assert not np.shares_memory(got, X)
    assert got.flags.writeable


def test_the_report_has_the_failures_in_every_form() -> None:
    model = built(mixed(), Failing(raising(LOST), ["a", "b"]))
    before = json.loads(partition_report(model).to_json())
    assert (before["subgraphs"][0]["status"], before["subgraphs"][0]["failures"]) == ("ok", 0)
    run(model, x=X)
    report = partition_report(model)
    after = json.loads(report.to_json())
    assert "in behave" in after["subgraphs"][0].pop("traceback")
    assert before["subgraphs"][0].pop("traceback") == ""
    assert after["subgraphs"][0] == before["subgraphs"][0] | {
        "status": "lost",
        "failures": 1,
        "error": "the board is gone.",
    }
    assert after["notes"] == list(report.notes)
    text = report.to_text()
    assert "note       Subgraph 'Failing0' failed on the device once, the CPU runs it" in text
    assert max(map(len, text.splitlines())) <= 100
    assert {k: v for k, v in after.items() if k not in ("notes", "subgraphs")} == {
        k: v for k, v in before.items() if k not in ("notes", "subgraphs")
    }
