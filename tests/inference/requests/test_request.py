from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import (
    Context,
    DelegateExecuteError,
    InputError,
    KernelError,
    LiteDelegateError,
    Model,
    RequestBusy,
)
from lite_delegate.inference import InferRequest, compile_graph
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.mindspore.model_plans import MAX_IDLE
from lite_delegate.runtime.settings import Settings
from tests.inference.reusing import STEP, Reusing, ReusingDelegate, built
from tests.runtime import control_graphs as control
from tests.runtime.graphs import chain, unary, value

X = np.zeros((2, 3), np.float32)


def alone() -> Graph:
    """x -> n0 -> output: what the graph kernel gives is the model's output."""
    return chain(1)


def behind_a_view() -> Graph:
    """x -> n0 -> reshape: the output is a view of what the graph kernel gives."""
    first = unary("n0", value("x"))
    six = constant("six", np.array([6], np.int32))
    flat = Node("flat", make_primitive("Reshape"), [first.outputs[0], six], [value("y", (6,))])
    return Graph("main", [first.inputs[0]], list(flat.outputs), [first, flat])  # type: ignore[list-item]


def twice() -> Graph:
    """x -> n0, which gives the first output; n1 of it gives the second."""
    graph = chain(2)
    graph.outputs[:0] = graph.nodes[0].outputs
    return graph


def loop() -> Graph:
    """x = n0(x), n times."""

    def step(i: Value, x: Value) -> list[Node]:
        return [control.add("n0", x, 2)]

    return control.while_loop(step, shape=(2, 3))


def arrays(model: Model, x: Array) -> dict[str, Array]:
    known = {"x": x, "n": np.array(3, np.int32)}
    return {t.name: known[t.name] for t in model.get_inputs()}


@pytest.mark.parametrize("can_fork", [True, False], ids=["forks", "takes turns"])
@pytest.mark.parametrize("graph", [alone, behind_a_view, twice, loop])
def test_outputs_are_never_written_to_again(graph: Any, can_fork: bool) -> None:
    model = built(graph(), ReusingDelegate(["n0"], can_fork=can_fork))
    request = model.compiled.create_infer_request()
    given = [[o.copy() for o in request.infer(arrays(model, X + i))] for i in range(3)]
    kept = [request.infer(arrays(model, X + i)) for i in range(3)]
    for want, got in zip(given, kept, strict=True):
        for a, b in zip(want, got, strict=True):
            np.testing.assert_array_equal(a, b)
    assert not np.array_equal(kept[0][-1], kept[1][-1])


@pytest.mark.parametrize("can_fork", [True, False], ids=["forks", "takes turns"])
@pytest.mark.parametrize("graph", [alone, behind_a_view, twice, loop])
def test_threads_get_their_own_outputs(graph: Any, can_fork: bool) -> None:
    model = built(graph(), ReusingDelegate(["n0"], can_fork=can_fork))
    want = [t.data.copy() for t in model.predict(arrays(model, X))]

    def work(number: int) -> None:
        kept = [model.predict(arrays(model, X + number + i)) for i in range(20)]
        for i, outputs in enumerate(kept):
            for tensor, base in zip(outputs, want, strict=True):
                np.testing.assert_array_equal(tensor.data, base + number + i)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(0, 400, 100)))


def test_a_result_that_is_new_each_time_is_handed_on_without_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reusing, "gives_new_arrays", True)
    model = built(alone(), ReusingDelegate())
    request = model.compiled.create_infer_request()
    (first,), (second,) = request.infer({"x": X}), request.infer({"x": X + 1})
    assert np.shares_memory(first, second)  # the promise was not kept, and nothing was copied


def test_a_request_forks_once() -> None:
    delegate = ReusingDelegate()
    model = built(chain(1), delegate)
    request = model.compiled.create_infer_request()
    for _ in range(3):
        request.infer([X])
    assert delegate.forks == 1
    model.compiled.create_infer_request().infer([X])
    assert delegate.forks == 2


def test_predict_uses_requests_again() -> None:
    delegate = ReusingDelegate()
    model = built(chain(1), delegate)
    for _ in range(3):
        model.predict({"x": X})
    assert delegate.forks == 1


def test_predictions_of_many_threads_keep_a_few_requests() -> None:
    delegate = ReusingDelegate()
    model = built(chain(1), delegate)
    together = threading.Barrier(3 * MAX_IDLE)
    monitor = threading.Lock()

    def work(_: int) -> None:
        together.wait(timeout=30)
        with monitor:
            model.predict({"x": X})

    with ThreadPoolExecutor(3 * MAX_IDLE) as pool:
        list(pool.map(work, range(3 * MAX_IDLE)))
    assert delegate.forks <= MAX_IDLE


def waiting(inside: threading.Event, leave: threading.Event) -> Model:
    """A model whose prediction waits."""

    def run(given: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
        inside.set()
        assert leave.wait(timeout=30)
        assert given[0] is not None
        return given[0] + 1

    x = value("x")
    odd = Node("odd", make_primitive("Custom", type="Odd"), [x], [value("y")])
    context, model = Context(), Model()
    context.register_custom("Odd", run)
    model.build_from_graph(Graph("main", [x], list(odd.outputs), [odd]), context)
    return model


def test_a_request_is_for_one_prediction_at_a_time() -> None:
    inside, leave = threading.Event(), threading.Event()
    model = waiting(inside, leave)
    request = model.compiled.create_infer_request()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(request.infer, [X])
        assert inside.wait(timeout=30)
        with pytest.raises(RequestBusy, match="busy with another prediction: make one request for each thread"):
            request.infer([X])
        leave.set()
        np.testing.assert_array_equal(first.result()[0], X + 1)
    np.testing.assert_array_equal(request.infer([X])[0], X + 1)


def test_predictions_of_a_model_do_not_wait_for_each_other() -> None:
    inside, leave = threading.Event(), threading.Event()
    model = waiting(inside, leave)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(model.predict, {"x": X})
        assert inside.wait(timeout=30)
        inside.clear()
        second = pool.submit(model.predict, {"x": X + 1})
        assert inside.wait(timeout=30)
        leave.set()
        np.testing.assert_array_equal(first.result()[0].data, X + 1)
        np.testing.assert_array_equal(second.result()[0].data, X + 2)


def test_a_request_may_be_used_again_after_a_failure() -> None:
    delegate = ReusingDelegate()
    request = built(chain(1), delegate).compiled.create_infer_request()
    delegate.fails = True
    with pytest.raises(DelegateExecuteError, match="no device today") as caught:
        request.infer([X])
    assert isinstance(caught.value.__cause__, OSError)
    delegate.fails = False
    np.testing.assert_array_equal(request.infer([X])[0], X + STEP)


def test_predict_does_not_use_a_request_again_that_failed() -> None:
    delegate = ReusingDelegate()
    model = built(chain(1), delegate)
    delegate.fails = True
    with pytest.raises(DelegateExecuteError):
        model.predict({"x": X})
    delegate.fails = False
    model.predict({"x": X})
    assert delegate.forks == 2


def test_a_request_keeps_no_array_of_a_prediction() -> None:
    made: list[weakref.ref[Array]] = []

    def run(given: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
        assert given[0] is not None
        result = given[0] + 1
        made.append(weakref.ref(result))
        return result

    x = value("x")
    odd = Node("odd", make_primitive("Custom", type="Odd"), [x], [value("y")])
    last = unary("last", odd.outputs[0])
    context, model = Context(), Model()
    context.register_custom("Odd", run)
    context.set_delegate(ReusingDelegate(["last"]))
    model.build_from_graph(Graph("main", [x], list(last.outputs), [odd, last]), context)
    request = model.compiled.create_infer_request()
    given = X.copy()
    reference = weakref.ref(given)
    outputs = request.infer([given])
    outputs_reference = weakref.ref(outputs[0])
    del given, outputs
    gc.collect()
    assert (made[0](), reference(), outputs_reference()) == (None, None, None)


def test_a_request_keeps_no_variable_of_a_prediction() -> None:
    x = Value("x", value("x").dtype, (3,))
    kept = constant("kept", np.zeros(3, np.float32))
    change = control.node("change", "Assign", [kept, x])
    request = compile_graph(Graph("main", [x], [control.out(change)], [change]), Settings()).create_infer_request()
    given = np.ones(3, np.float32)
    reference = weakref.ref(given)
    request.infer([given])
    del given
    gc.collect()
    assert reference() is None


def test_inputs_are_checked_before_anything_runs() -> None:
    delegate = ReusingDelegate()
    request = built(chain(1), delegate).compiled.create_infer_request()
    with pytest.raises(InputError, match=r"Input 0 'x': expected shape \[2, 3\], got \[3, 2\]"):
        request.infer([X.T])
    assert delegate.forks == 0


def test_the_error_of_a_step_names_its_node() -> None:
    def run(given: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
        raise OSError("no such table")

    x = value("x")
    before, odd = unary("before", x), Node("odd", make_primitive("Custom", type="Odd"), [x], [value("y")])
    context, model = Context(), Model()
    context.register_custom("Odd", run)
    model.build_from_graph(Graph("main", [x], [odd.outputs[0], before.outputs[0]], [before, odd]), context)
    with pytest.raises(KernelError, match=r"Node 'odd' \(Custom\).*no such table"):
        model.predict({"x": X})


def test_a_model_that_is_only_planned_has_no_requests() -> None:
    context, model = Context(), Model()
    context.plan_only = True
    model.build_from_graph(chain(1), context)
    with pytest.raises(LiteDelegateError, match="only planned and cannot predict"):
        model.compiled.create_infer_request()


def test_something_else_runs_in_the_steps_of_graph_kernels() -> None:
    model = built(chain(1), ReusingDelegate())
    seen = []

    def instead(kernel: Any, on_device: Any) -> Any:
        def run(*given: Array) -> tuple[Array, ...]:
            (result,) = on_device(*given)
            seen.append((kernel.name, result.copy()))
            return (result + 1,)

        return run

    request: InferRequest = model.compiled.create_infer_request(instead)
    np.testing.assert_array_equal(request.infer([X])[0], X + STEP + 1)
    ((name, result),) = seen
    assert name == "Reusing0"
    np.testing.assert_array_equal(result, X + STEP)
