"""The calls of a request: what it takes, what it gives, when it is busy, and what lasts after a failure."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Context, DataType, InputError, KernelError, Model, RequestBusy, RequestError, Tensor
from lite_delegate.inference import CompiledModel, InferRequest, Outcome, Port, RequestStatus, compile_graph
from lite_delegate.ir import Graph, Node, Value, make_primitive
from lite_delegate.runtime.settings import Settings

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def two() -> CompiledModel:
    """a (float32), b (int32) -> sum of a with itself, b with itself."""
    a, b = Value("a", DataType.FLOAT32, (2, 3)), Value("b", DataType.INT32, (2,))
    nodes = [
        Node(f"twice_{v.name}", make_primitive("AddFusion"), [v, v], [Value(f"{v.name}2", v.dtype, v.shape)])
        for v in (a, b)
    ]
    return compile_graph(Graph("main", [a, b], [n.outputs[0] for n in nodes], nodes), Settings())


def one() -> CompiledModel:
    """x -> x + x."""
    x = Value("x", DataType.FLOAT32, (2, 3))
    y = Value("y", DataType.FLOAT32, (2, 3))
    node = Node("twice", make_primitive("AddFusion"), [x, x], [y])
    return compile_graph(Graph("main", [x], [y], [node]), Settings())


class Custom:
    """A model of one node x -> x + 1, which waits, or fails, when it is told to."""

    def __init__(self) -> None:
        self.inside, self.leave = threading.Event(), threading.Event()
        self.waits = self.fails = False
        x = Value("x", DataType.FLOAT32, (2, 3))
        odd = Node("odd", make_primitive("Custom", type="Odd"), [x], [Value("y", DataType.FLOAT32, (2, 3))])
        context, model = Context(), Model()
        context.register_custom("Odd", self.run)
        model.build_from_graph(Graph("main", [x], list(odd.outputs), [odd]), context)
        self.request = model.compiled.create_infer_request()

    def run(self, given: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
        if self.waits:
            self.inside.set()
            assert self.leave.wait(timeout=60)
        if self.fails:
            raise OSError("no such table")
        assert given[0] is not None
        return given[0] + 1

    @contextmanager
    def running(self) -> Iterator[InferRequest]:
        """The request, while a run of it is under way."""
        self.waits = True
        with ThreadPoolExecutor(1) as pool:
            run = pool.submit(self.request.infer, [X])
            assert self.inside.wait(timeout=60)
            try:
                yield self.request
            finally:
                self.leave.set()
                run.result()


A, B = X, np.array([5, -7], np.int32)


@pytest.mark.parametrize(
    "inputs",
    [
        {"a": A, "b": B},
        {0: A, 1: B},
        {"b": B, 0: A},
        [A, B],
        (A, B),
        [Tensor(A), Tensor(B)],
        {"a": A.tolist(), "b": [5, -7]},
        [A.astype(np.float64), B.astype(np.int8)],
    ],
    ids=["names", "indices", "mixed", "list", "tuple", "tensors", "numbers", "other types"],
)
def test_ways_to_give_inputs(inputs: Any) -> None:
    results = two().create_infer_request().infer(inputs)
    np.testing.assert_array_equal(results[0], A + A)
    np.testing.assert_array_equal(results["b2"], B + B)
    assert [r.dtype for r in results] == [np.float32, np.int32]


def test_inputs_by_port_and_results_by_every_key() -> None:
    compiled = two()
    results = compiled.create_infer_request().infer({compiled.input("b"): B, compiled.input(0): A})
    assert results[compiled.output(1)] is results["b2"] is results[1] is results[-1]
    assert (results.keys(), len(results), "b2" in results, "z" in results) == (["a2", "b2"], 2, True, False)
    assert dict(results)["a2"] is results.to_dict()["a2"] is results.values()[0]
    first, second = results
    assert (first is results[0], second is results[1]) == (True, True)


@pytest.mark.parametrize("inputs", [X, Tensor(X), [X.tolist()], [X], {"x": X}])
def test_ways_to_give_the_only_input(inputs: Any) -> None:
    np.testing.assert_array_equal(one().create_infer_request().infer(inputs)[0], X + X)


def test_numbers_for_the_only_input() -> None:
    x = Value("x", DataType.FLOAT32, (3,))
    node = Node("twice", make_primitive("AddFusion"), [x, x], [Value("y", DataType.FLOAT32, (3,))])
    request = compile_graph(Graph("main", [x], list(node.outputs), [node]), Settings()).create_infer_request()
    np.testing.assert_array_equal(request.infer([1, 2.5, 3])[0], np.array([2, 5, 6], np.float32))


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ({"aa": A, "b": B}, r"There is no input 'aa'; expected one of 'a', 'b'. Did you mean 'a'"),
        ({2: A, "b": B}, r"There is no input 2; expected 0 to 1: 'a', 'b'"),
        ({-1: A}, r"There is no input -1; expected 0 to 1"),
        ({"a": A, 0: A}, r"Input 0 'a': it is given twice"),
        ([A], r"The model has 2 inputs \('a', 'b'\), got 1"),
        ([A, B, B], r"got 3"),
        (A, r"The model has 2 inputs \('a', 'b'\), got 1"),
        ([A.T, B], r"Input 0 'a': expected shape \[2, 3\], got \[3, 2\]"),
        ([A, np.array([1, 2])], r"Input 1 'b': expected INT32, got int64"),
        ([A, [1, 2.5]], r"Input 1 'b': expected numbers that INT32 holds, of one shape, got \[1, 2.5\]"),
        ([A, [1, 2**40]], r"Input 1 'b': expected numbers that INT32 holds"),
        ([[[1], [2, 3]], B], r"Input 0 'a': expected numbers that FLOAT32 holds"),
        ({"a": A}, r"Nothing was set for the inputs 1 'b'; give them to infer, or call set_tensor"),
        (None, r"Nothing was set for the inputs 0 'a', 1 'b'"),
    ],
)
def test_wrong_inputs_are_named(inputs: Any, text: str) -> None:
    request = two().create_infer_request()
    with pytest.raises(InputError, match=text):
        request.infer(inputs)
    assert (request.status, request.outcome) == (RequestStatus.IDLE, None)


@pytest.mark.parametrize("inputs", [object(), "ab", {1.5: A}, [A, "text"]])
def test_a_value_that_is_no_input_is_a_type_error(inputs: Any) -> None:
    with pytest.raises(TypeError):
        two().create_infer_request().infer(inputs)


def test_a_port_of_another_model_is_not_taken() -> None:
    with pytest.raises(InputError, match=r"Input 0 'x': FLOAT32 \[2, 3\] is no input of this model"):
        two().create_infer_request().infer({one().input(): X})


def test_inputs_that_are_unset_work_once_they_are_set() -> None:
    request = two().create_infer_request()
    with pytest.raises(InputError, match="Nothing was set"):
        request.infer()
    request.get_tensor("a").data[:] = A
    with pytest.raises(InputError, match="the inputs 1 'b'"):
        request.infer()
    request.set_tensor("b", B)
    np.testing.assert_array_equal(request.infer()["a2"], A + A)
    np.testing.assert_array_equal(request.infer({"b": B + 1})["b2"], 2 * B + 2)
    np.testing.assert_array_equal(request.infer()["b2"], B + B)


@pytest.mark.parametrize(
    ("dtype", "wanted", "is_taken"),
    [
        (np.float64, DataType.FLOAT32, True),
        (np.float16, DataType.FLOAT32, True),
        (np.int16, DataType.FLOAT32, True),
        (np.uint8, DataType.INT16, True),
        (np.dtype(">f4"), DataType.FLOAT32, True),
        (np.int32, DataType.FLOAT32, False),
        (np.int64, DataType.FLOAT32, False),
        (np.int64, DataType.FLOAT64, False),
        (np.int8, DataType.UINT8, False),
        (np.float32, DataType.FLOAT16, False),
        (np.float64, DataType.FLOAT16, False),
        (np.float32, DataType.INT32, False),
        (np.complex64, DataType.FLOAT32, False),
    ],
)
def test_types_are_converted_only_where_nothing_is_lost(dtype: Any, wanted: DataType, is_taken: bool) -> None:
    x = Value("x", wanted, (3,))
    node = Node("twice", make_primitive("AddFusion"), [x, x], [Value("y", wanted, (3,))])
    request = compile_graph(Graph("main", [x], list(node.outputs), [node]), Settings()).create_infer_request()
    given = np.array([1, 2, 3], dtype)
    if not is_taken:
        with pytest.raises(InputError, match=f"expected {wanted.name}, got {given.dtype}"):
            request.infer(given)
        return
    np.testing.assert_array_equal(request.infer(given)[0], np.array([2, 4, 6]))
    (copy,) = [c for c in request.copies if isinstance(c.port, Port) and c.port.is_input]
    assert (copy.port.name, copy.nbytes) == ("x", 3 * request.infer(given)[0].itemsize)
    assert copy.reason.startswith(f"converted from {given.dtype} to ")


def test_outputs_before_the_first_run() -> None:
    request = one().create_infer_request()
    assert (request.status, request.outcome, request.error) == ("idle", None, None)
    for read in (
        lambda: request.results,
        lambda: request.profile,
        lambda: request.latency,
        lambda: request.get_tensor("y").data,
        lambda: request.get_output_tensor().get_data_to_numpy(),
    ):
        with pytest.raises(RequestError, match="nothing has run yet"):
            read()
    assert request.get_output_tensor().shape == [2, 3]


def test_results_are_copies_and_shared_ones_change_with_the_next_run() -> None:
    request = one().create_infer_request()
    own = request.infer(X)
    shared = request.infer(X, share_outputs=True)
    read = request.results
    assert np.shares_memory(shared[0], request.get_output_tensor().data)
    own[0][:] = read[0][:] = 0
    np.testing.assert_array_equal(request.results["y"], X + X)
    request.infer(X + 1)
    np.testing.assert_array_equal(shared[0], 2 * X + 2)
    np.testing.assert_array_equal(own[0], 0)


BUSY: dict[str, Callable[[InferRequest], Any]] = {
    "infer": lambda r: r.infer(X),
    "set_tensor": lambda r: r.set_tensor("x", X),
    "set_tensors": lambda r: r.set_tensors("x", [X[:1], X[1:]]),
    "set_input_tensor": lambda r: r.set_input_tensor(0, X),
    "set_output_tensor": lambda r: r.set_output_tensor(0, np.zeros_like(X)),
    "get_tensor": lambda r: r.get_tensor("x"),
    "get_input_tensor": lambda r: r.get_input_tensor(),
    "get_output_tensor": lambda r: r.get_output_tensor(),
    "results": lambda r: r.results,
    "profile": lambda r: r.profile,
    "latency": lambda r: r.latency,
    "copies": lambda r: r.copies,
}


def test_calls_that_are_for_idle_requests() -> None:
    custom = Custom()
    custom.request.infer([X])
    for call in BUSY.values():
        call(custom.request)
    with custom.running() as request:
        for name, call in BUSY.items():
            with pytest.raises(RequestBusy, match=f"^{name}: the request is busy"):
                call(request)
        assert (request.status, request.outcome) == (RequestStatus.RUNNING, Outcome.DONE)
    assert (custom.request.status, custom.request.outcome) == (RequestStatus.IDLE, Outcome.DONE)
    np.testing.assert_array_equal(custom.request.results[0], X + 1)


def test_after_a_failure_tensors_hold_the_last_finished_run_and_results_raise() -> None:
    custom = Custom()
    request = custom.request
    request.infer([X])
    custom.fails = True
    with pytest.raises(KernelError, match="no such table") as caught:
        request.infer([X + 5])
    assert caught.value.__notes__ == [f"In request {request.number}."]
    assert (request.outcome, request.error) == (Outcome.FAILED, caught.value)
    np.testing.assert_array_equal(request.get_output_tensor().data, X + 1)
    with pytest.raises(KernelError) as again:
        _ = request.results
    assert again.value is caught.value
    custom.fails = False
    np.testing.assert_array_equal(request.infer([X + 2])[0], X + 3)
    assert (request.outcome, request.error) == (Outcome.DONE, None)
    np.testing.assert_array_equal(request.results[0], X + 3)


def test_a_model_without_such_a_port() -> None:
    compiled = two()
    for find, text in (
        (lambda: compiled.input("A"), "There is no input 'A'"),
        (lambda: compiled.output(2), "There is no output 2; expected 0 to 1: 'a2', 'b2'"),
        (lambda: compiled.create_infer_request().get_tensor("c"), "There is no input or output 'c'"),
        (lambda: compiled.create_infer_request().get_output_tensor(7), "There is no output 7"),
    ):
        with pytest.raises(InputError, match=text):
            find()
    port = compiled.input("b")
    assert (port.index, port.names, port.dtype, port.shape, port.ranges) == (1, ("b",), DataType.INT32, [2], ((2, 2),))
