"""States of a request: kept from run to run, read, set, reset, put aside and taken back."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Context, InputError, KernelError, Model, ModelFormatError, RequestBusy, Tensor
from lite_delegate.inference import InferRequest, StateSnapshot, make_stateful
from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from tests.inference.state.cells import START, R, W, recurrent_cell, steps
from tests.runtime import control_graphs as control

FIRST = np.array([10, 20], np.float32)


def counter(*, waits: bool = False) -> Graph:
    """count += x; y = count. With ``waits``, a node in between that calls what the context has for "Wait"."""
    x, count = Value("x", DataType.FLOAT32, (2,)), constant("count", FIRST)
    nodes = [control.node("add", "AssignAdd", [count, x], Value("y", DataType.FLOAT32, (2,)))]
    if waits:
        z = Value("z", DataType.FLOAT32, (2,))
        nodes.append(Node("wait", make_primitive("Custom", type="Wait"), [control.out(nodes[0])], [z]))
    return Graph("main", [x], [control.out(nodes[-1])], nodes)


def model_of(graph: Graph, context: Context | None = None) -> Model:
    model = Model()
    model.build_from_graph(graph, context or Context())
    return model


def request_of(graph: Graph, context: Context | None = None) -> InferRequest:
    return model_of(graph, context).compiled.create_infer_request()


def cell_request() -> InferRequest:
    return request_of(make_stateful(recurrent_cell(), {"before": "after"}, {"before": START}))


def values(request: InferRequest) -> list[Array]:
    return [state.value for state in request.query_state()]


def test_a_request_counts_and_predictions_do_not() -> None:
    model = model_of(counter())
    request, ones = model.create_request(), np.ones(2, np.float32)
    assert [list(request.infer([ones])[0] - FIRST) for _ in range(3)] == [[1, 1], [2, 2], [3, 3]]
    assert [list(model.predict([ones])[0].get_data_to_numpy() - FIRST) for _ in range(2)] == [[1, 1]] * 2
    request.reset_state()
    np.testing.assert_array_equal(request.query_state()[0].value, FIRST)
    np.testing.assert_array_equal(request.infer([ones])[0], FIRST + 1)


def test_states_are_told() -> None:
    model = model_of(counter())
    (info,) = model.compiled.states
    assert (info.name, info.dtype, info.shape) == ("count", DataType.FLOAT32, (2,))
    (state,) = model.compiled.create_infer_request().query_state()
    assert (state.name, state.info) == ("count", info)


def test_the_value_is_a_copy() -> None:
    request = request_of(counter())
    (state,) = request.query_state()
    state.value[:] = 0
    np.testing.assert_array_equal(state.value, FIRST)
    mine = np.array([1, 2], np.float32)
    state.value = mine
    mine[:] = 7
    np.testing.assert_array_equal(state.value, [1, 2])
    np.testing.assert_array_equal(request.infer([np.ones(2, np.float32)])[0], [2, 3])
    state.value = Tensor(np.array([5, 6], np.float32))
    np.testing.assert_array_equal(state.value, [5, 6])
    state.reset()
    np.testing.assert_array_equal(state.value, FIRST)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros(3, np.float32), r"State 'count': expected FLOAT32 \[2\], got float32 \[3\]"),
        (np.zeros((1, 2), np.float32), r"State 'count': expected FLOAT32 \[2\], got float32 \[1, 2\]"),
        (np.zeros(2, np.float64), r"State 'count': expected FLOAT32 \[2\], got float64 \[2\]"),
        (np.zeros(2, np.complex64), r"State 'count': expected FLOAT32 \[2\], got complex64 \[2\]"),
    ],
)
def test_another_type_or_shape_is_rejected(value: Array, message: str) -> None:
    (state,) = request_of(counter()).query_state()
    with pytest.raises(InputError, match=message):
        state.value = value
    np.testing.assert_array_equal(state.value, FIRST)


def test_a_list_is_no_value() -> None:
    (state,) = request_of(counter()).query_state()
    with pytest.raises(TypeError, match=r"State .count.: value must be numpy.ndarray or Tensor, but got list"):
        state.value = [1.0, 2.0]  # type: ignore[assignment]


def test_outputs_and_states_share_no_memory() -> None:
    request = request_of(counter())
    output = request.infer([np.ones(2, np.float32)])[0]
    output[:] = 0
    np.testing.assert_array_equal(values(request)[0], FIRST + 1)


def test_inputs_and_states_share_no_memory() -> None:
    x, kept = Value("x", DataType.FLOAT32, (2,)), constant("kept", FIRST)
    node = control.node("set", "Assign", [kept, x], Value("y", DataType.FLOAT32, (2,)))
    request = request_of(Graph("main", [x], [control.out(node)], [node]))
    given = np.ones(2, np.float32)
    request.infer([given])
    given[:] = 5
    np.testing.assert_array_equal(values(request)[0], [1, 1])


def test_requests_share_no_state() -> None:
    model = model_of(make_stateful(recurrent_cell(), {"before": "after"}, {"before": START}))
    alone = []
    for seed in range(4):
        request = model.compiled.create_infer_request()
        alone.append([np.array(request.infer([x])[0]) for x in steps(20, seed)])

    def stream(seed: int) -> list[Array]:
        request = model.compiled.create_infer_request()
        return [np.array(request.infer([x])[0]) for x in steps(20, seed)]

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(stream, range(4)))
    np.testing.assert_array_equal(together, alone)


class Waiting:
    """A kernel that waits until it is let go, and fails when told to."""

    def __init__(self) -> None:
        self.begun, self.goes_on = threading.Event(), threading.Event()
        self.goes_on.set()
        self.fails = False

    def __call__(self, given: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
        self.begun.set()
        assert self.goes_on.wait(30)
        if self.fails:
            raise OSError("no more")
        assert given[0] is not None
        return given[0] + 0


def waiting_request() -> tuple[InferRequest, Waiting]:
    context, kernel = Context(), Waiting()
    context.register_custom("Wait", kernel)
    return request_of(counter(waits=True), context), kernel


def test_nothing_touches_states_while_a_run_is_under_way() -> None:
    request, kernel = waiting_request()
    (state,) = request.query_state()
    snapshot, other = request.snapshot(), request_of(counter())
    kernel.goes_on.clear()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(request.infer, [np.ones(2, np.float32)])
        assert kernel.begun.wait(30)
        for call in (
            request.query_state,
            request.reset_state,
            request.snapshot,
            lambda: request.restore(snapshot),
            lambda: request.fork_state(other),
            lambda: other.fork_state(request),
            state.reset,
            lambda: state.value,
            lambda: setattr(state, "value", FIRST),
        ):
            with pytest.raises(RequestBusy):
                call()
        kernel.goes_on.set()
        run.result()
    np.testing.assert_array_equal(state.value, FIRST + 1)


def test_a_failed_run_leaves_states_as_they_were() -> None:
    request, kernel = waiting_request()
    request.infer([np.ones(2, np.float32)])
    kernel.fails = True
    with pytest.raises(KernelError, match="no more"):
        request.infer([np.ones(2, np.float32)])
    np.testing.assert_array_equal(values(request)[0], FIRST + 1)
    kernel.fails = False
    np.testing.assert_array_equal(request.infer([np.ones(2, np.float32)])[0], FIRST + 2)


def test_a_cancelled_run_leaves_states_as_they_were() -> None:
    request, kernel = waiting_request()
    request.infer([np.ones(2, np.float32)])
    kernel.begun.clear()
    kernel.goes_on.clear()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(request.infer, [np.ones(2, np.float32)])
        assert kernel.begun.wait(30)
        assert request.cancel()
        kernel.goes_on.set()
        assert run.exception() is not None
    np.testing.assert_array_equal(values(request)[0], FIRST + 1)


def test_a_snapshot_goes_back_forward_and_through_a_file(tmp_path: Path) -> None:
    request, other = cell_request(), cell_request()
    xs = steps(8)
    for x in xs[:3]:
        request.infer([x])
    snapshot = request.snapshot()
    want = [np.array(request.infer([x])[0]) for x in xs[3:]]
    snapshot.save(tmp_path / "states.npz")
    for start in (snapshot, StateSnapshot.load(tmp_path / "states.npz")):
        for each in (request, other):
            each.restore(start)
            np.testing.assert_array_equal([each.infer([x])[0] for x in xs[3:]], want)


def test_a_snapshot_never_changes() -> None:
    request = cell_request()
    snapshot = request.snapshot()
    request.infer([steps(1)[0]])
    np.testing.assert_array_equal(snapshot["before"], START)
    with pytest.raises(ValueError, match="read-only"):
        snapshot["before"][:] = 0
    assert dict(snapshot).keys() == {"before"}


def test_states_of_another_model_are_rejected(tmp_path: Path) -> None:
    snapshot = request_of(counter()).snapshot()
    with pytest.raises(
        InputError, match=r"it has 'count' FLOAT32 \[2\], which the model has not; it lacks 'before' FLO"
    ):
        cell_request().restore(snapshot)
    larger = constant("count", np.zeros(3, np.float32))
    x = Value("x", DataType.FLOAT32, (3,))
    node = control.node("add", "AssignAdd", [larger, x], Value("y", DataType.FLOAT32, (3,)))
    with pytest.raises(InputError, match=r"expected 'count' FLOAT32 \[3\], found 'count' FLOAT32 \[2\]"):
        request_of(Graph("main", [x], [control.out(node)], [node])).restore(snapshot)
    (tmp_path / "other.npz").write_bytes(b"PK no")
    with pytest.raises(ModelFormatError, match=r"other.npz' is no snapshot of states"):
        StateSnapshot.load(tmp_path / "other.npz")
    np.savez(tmp_path / "arrays.npz", a=np.zeros(2))
    with pytest.raises(ModelFormatError, match=r"arrays.npz' is no snapshot of states"):
        StateSnapshot.load(tmp_path / "arrays.npz")


def test_a_damaged_snapshot_is_an_error_or_the_same(tmp_path: Path) -> None:
    snapshot, path, rng = cell_request().snapshot(), tmp_path / "states.npz", np.random.default_rng(1)
    snapshot.save(path)
    whole = path.read_bytes()
    for i in range(300):
        content = bytearray(whole[: rng.integers(len(whole))] if i % 2 else whole)
        if not i % 2:
            content[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        path.write_bytes(content)
        try:
            found = StateSnapshot.load(path)
        except ModelFormatError:
            continue
        np.testing.assert_array_equal(found["before"], START)


def test_a_fork_goes_on_alone() -> None:
    request, other = cell_request(), cell_request()
    xs = steps(6)
    for x in xs[:2]:
        request.infer([x])
    other.fork_state(request)
    np.testing.assert_array_equal(values(other), values(request))
    first = [np.array(request.infer([x])[0]) for x in xs[2:4]]
    second = [np.array(other.infer([x])[0]) for x in xs[2:4]]
    np.testing.assert_array_equal(first, second)
    request.infer([xs[4]])
    np.testing.assert_array_equal(values(other)[0], second[-1] / 2)


def test_steps_are_the_steps_of_a_loop_by_hand() -> None:
    request, h = cell_request(), START
    for x in steps(10):
        h = np.tanh(x @ W + h @ R)
        np.testing.assert_allclose(request.infer([x])[0], 2 * h, rtol=1e-5, atol=1e-6)


def test_states_go_along_to_other_shapes_of_inputs() -> None:
    x, count = Value("x", DataType.FLOAT32, (-1, 2)), constant("count", FIRST)
    one = constant("one", np.ones(2, np.float32))
    nodes = [
        control.node("add", "AssignAdd", [count, one], Value("sum", DataType.FLOAT32, (2,))),
        control.node("read", "AddFusion", [x, count], Value("y", DataType.FLOAT32, None)),
    ]
    model = model_of(Graph("main", [x], [control.out(nodes[1])], nodes))
    request = model.compiled.create_infer_request()
    request.infer([np.zeros((1, 2), np.float32)])
    model.resize(model.get_inputs(), [[3, 2]])
    other = model.compiled.create_infer_request()
    other.fork_state(request)
    np.testing.assert_array_equal(other.infer([np.zeros((3, 2), np.float32)])[0], [FIRST + 2] * 3)
    request.infer([np.zeros((1, 2), np.float32)])
    np.testing.assert_array_equal(values(request), values(other))
