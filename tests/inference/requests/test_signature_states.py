"""Signatures of one file as one request has them: LiteRT's interpreter says what its variables hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from ai_edge_litert.interpreter import Interpreter

from lite_delegate import Core, InputError, RequestBusy
from lite_delegate.cache import CacheStatus
from lite_delegate.inference import InferRequest
from lite_delegate.inference.running.plan_runner import PlanRunner
from tests.formats.tflite.models import G, Op, T, const, floats, model_bytes, out
from tests.formats.tflite.test_state import BATCH, FEATURES, UNITS, cell

COUNT = {"sharedName": "count", "container": "a"}
ONCE = Op("CALL_ONCE", [], [], "CallOnceOptions", {"initSubgraphIndex": 3})
RESOURCE = T(dtype="resource", shape=())
X = np.array([1, -2], np.float32)
STEPS = ["add", "add", "peek", "double", "peek", "add", "double", "add", "peek"]


def part(name: str, variable: dict[str, str], operator: str, *, assigns: bool, once: bool) -> G:
    """y = count (+ or *) x, which is assigned, or not."""
    ops = [
        *([ONCE] if once else []),
        Op("VAR_HANDLE", [], [1], "VarHandleOptions", variable),
        Op("READ_VARIABLE", [1], [2]),
        Op(operator, [2, 0], [3], f"{operator.title()}Options"),
        *([Op("ASSIGN_VARIABLE", [1, 3], [])] if assigns else []),
    ]
    return G([floats(1, 2), RESOURCE, out(shape=(2,)), out(shape=(2,))], ops, [0], [3], name)


def counter(first: dict[str, str] = COUNT, *, initial: list[float] | None = None, where: str = "all") -> bytes:
    """Signatures that add to a variable, double it, and read it."""
    has = {name: initial is not None and where in ("all", name) for name in ("add", "double", "peek")}
    graphs = [
        part("add", first, "ADD", assigns=True, once=has["add"]),
        part("double", COUNT, "MUL", assigns=True, once=has["double"]),
        part("peek", COUNT, "ADD", assigns=False, once=has["peek"]),
    ]
    if initial is not None:
        setting = [Op("VAR_HANDLE", [], [0], "VarHandleOptions", COUNT), Op("ASSIGN_VARIABLE", [0, 1], [])]
        graphs.append(G([RESOURCE, const(np.array(initial, np.float32))], setting, [], [], "once"))
    names = [graph.name for graph in graphs[:3]]
    return model_bytes(graphs, [(name, number, {"x": 0}, {"y": 3}) for number, name in enumerate(names)])


def request_for(content: bytes, device: str = "CPU") -> InferRequest:
    return Core().compile_model(content, device).create_infer_request()


@pytest.mark.parametrize("device", ["CPU", "HETERO:NPU,CPU", "AUTO"])
@pytest.mark.parametrize(("initial", "where"), [([3, 4], "all"), ([3, 4], "add"), ([3, 4], "double")])
def test_all_signatures_share_their_variables(initial: list[float], where: str, device: str) -> None:
    content = counter(initial=initial, where=where)
    interpreter, request = Interpreter(model_content=content), request_for(content, device)
    for name in STEPS if where == "all" else [where, *STEPS]:  # LiteRT reads what nobody initialized
        want = interpreter.get_signature_runner(name)(x=X)["y"]
        got = request.signature(name)(x=X)["y"]
        np.testing.assert_array_equal(got, want, err_msg=name)


def test_variables_without_contents_begin_with_zeros() -> None:
    request = request_for(counter())
    add, peek = request.signature("add"), request.signature("peek")
    np.testing.assert_array_equal(peek(x=X)["y"], X)
    np.testing.assert_array_equal(add(x=X)["y"], X)
    np.testing.assert_array_equal(peek(x=X)["y"], 2 * X)


def test_requests_have_variables_of_their_own_and_calls_of_the_model_begin_anew() -> None:
    compiled = Core().compile_model(counter(initial=[3, 4]), "CPU")
    one, other = compiled.create_infer_request(), compiled.create_infer_request()
    first = np.array([3, 4], np.float32)
    for times in (1, 2):
        np.testing.assert_array_equal(one.signature("add")(x=X)["y"], first + times * X)
        np.testing.assert_array_equal(compiled.signature("add")(x=X)["y"], first + X)
    np.testing.assert_array_equal(other.signature("peek")(x=X)["y"], first + X)
    np.testing.assert_array_equal(one.infer(x=X)["y"], first + 3 * X)
    np.testing.assert_array_equal(one.signature("peek")(x=X)["y"], first + 4 * X)


def test_states_are_seen_set_and_reset_for_all() -> None:
    request = request_for(counter(initial=[3, 4], where="double"))
    peek = request.signature("peek")
    (state,) = request.query_state()
    state.value = np.array([10, 20], np.float32)
    np.testing.assert_array_equal(peek(x=0 * X)["y"], [10, 20])
    np.testing.assert_array_equal(request.signature("double")(x=X)["y"], [3, -8])  # its CALL_ONCE comes first
    snapshot = request.snapshot()
    request.reset_state()
    np.testing.assert_array_equal(peek(x=0 * X)["y"], [3, 4])
    request.restore(snapshot)
    np.testing.assert_array_equal(peek(x=0 * X)["y"], [3, -8])


def test_variables_of_other_containers_and_variable_tensors_are_not_shared() -> None:
    request = request_for(counter({"sharedName": "count", "container": "b"}))
    request.signature("add")(x=X)
    np.testing.assert_array_equal(request.signature("peek")(x=0 * X)["y"], [0, 0])
    graphs = [
        G([floats(1, BATCH, FEATURES), *cell(2), out(shape=(BATCH, UNITS))], [RNN], [0], [5], name) for name in "ab"
    ]
    content = model_bytes(graphs, [("one", 0, {"x": 0}, {"y": 5}), ("two", 1, {"x": 0}, {"y": 5})])
    interpreter, request = Interpreter(model_content=content), request_for(content)
    x = np.ones((BATCH, FEATURES), np.float32)
    for name in ("one", "one", "two", "two", "one"):
        want = interpreter.get_signature_runner(name)(x=x)["y"]
        np.testing.assert_allclose(request.signature(name)(x=x)["y"], want, rtol=1e-6)


RNN = Op("RNN", [0, 1, 2, 3, 4], [5], "RNNOptions", {"fusedActivationFunction": 4})


def test_one_run_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    request = request_for(counter())
    add, peek = request.signature("add"), request.signature("peek")
    run, errors = PlanRunner.run, list[str]()

    def nested(self: PlanRunner, *given: Any) -> Any:
        for call in (add, peek, request.infer):
            with pytest.raises(RequestBusy) as raised:
                call(x=X)
            errors.append(str(raised.value))
        with pytest.raises(RequestBusy):
            request.query_state()
        return run(self, *given)

    for call in (add, peek):
        monkeypatch.setattr(PlanRunner, "run", nested)
        call(x=X)
        monkeypatch.setattr(PlanRunner, "run", run)
    assert len(errors) == 6
    np.testing.assert_array_equal(peek(x=0 * X)["y"], X)


def test_a_failed_or_cancelled_run_assigns_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    request = request_for(counter())
    double, peek, run = request.signature("double"), request.signature("peek"), PlanRunner.run
    request.signature("add")(x=X)

    def failing(self: PlanRunner, *given: Any) -> Any:
        run(self, *given)
        raise OSError("no power")

    monkeypatch.setattr(PlanRunner, "run", failing)
    with pytest.raises(OSError, match="no power"):
        double(x=X)
    monkeypatch.setattr(PlanRunner, "run", run)
    np.testing.assert_array_equal(peek(x=0 * X)["y"], X)


def test_models_from_the_cache_share_too(tmp_path: Path) -> None:
    path = tmp_path / "counter.tflite"
    path.write_bytes(counter(initial=[3, 4]))
    for status in (CacheStatus.MISS, CacheStatus.HIT):
        compiled = Core().compile_model(path, "CPU", {"CACHE_DIR": str(tmp_path / "cache")})
        assert compiled.cache_outcome.status is status
        request = compiled.create_infer_request()
        request.signature("add")(x=X)
        np.testing.assert_array_equal(request.signature("peek")(x=0 * X)["y"], X + [3, 4])


def test_an_unknown_signature_is_rejected_with_the_known_signatures() -> None:
    request = request_for(counter())
    with pytest.raises(InputError, match="The model has no signature 'minus'; it has 'add', 'double', 'peek'"):
        request.signature("minus")
    without = request_for(model_bytes([G([floats(1, 2), out(shape=(2,))], [Op("ABS", [0], [1])], [0], [1])]))
    with pytest.raises(InputError, match="The model has no signature ''; it has none"):
        without.signature()
