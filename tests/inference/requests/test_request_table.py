"""What each call of a request does while it is idle, queued, running and in its own callback: the whole table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Model, RequestBusy, RequestError, make_stateful
from lite_delegate.inference import InferRequest, Outcome, RequestStatus
from lite_delegate.ir import Graph, constant
from tests.inference.holding import LONG, STEP, Gate, HoldingDelegate, X
from tests.runtime.graphs import binary, value

ONE = np.ones((2, 3), np.float32)


class OneAtATime(HoldingDelegate):
    """Has room for one run, so that the next one is queued."""

    def optimal_requests(self) -> int:
        return 1


class Setting:
    """A model y = x + STEP + s, s = s + 1, of which n0 waits at a gate, and a request of it that has run once.

    Attributes:
        gate: where runs wait.
        request: the one that is asked.
        other: one that keeps the only worker busy.
        states: of the request, asked for while it was idle.
    """

    def __init__(self) -> None:
        self.gate = Gate()
        context, model = Context(), Model()
        context.set_delegate(OneAtATime(self.gate, ["n0"]))
        x, s = value("x", (2, 3)), value("s", (2, 3))
        held = binary("n0", x, constant("c", np.full((1,), STEP, np.float32)))
        y = binary("y", held.outputs[0], s)
        after = binary("after", s, constant("one", np.ones((1,), np.float32)))
        graph = Graph("main", [x, s], [y.outputs[0], after.outputs[0]], [held, y, after])
        model.build_from_graph(make_stateful(graph, {"s": after.outputs[0].name}), context)
        self.gate.open()
        self.request, self.other = (model.compiled.create_infer_request() for _ in range(2))
        self.request.infer([X])
        self.states = self.request.query_state()
        self.again()

    def again(self) -> None:
        """The gate is closed, and nobody has come."""
        self.gate.opened.clear()
        while self.gate.entered.acquire(blocking=False):
            pass

    def opened(self) -> None:
        """All runs end, and are waited for."""
        self.gate.open()
        for request in (self.request, self.other):
            request.wait()


@contextmanager
def idle() -> Iterator[Setting]:
    setting = Setting()
    setting.gate.open()
    yield setting


@contextmanager
def running() -> Iterator[Setting]:
    setting = Setting()
    setting.request.start_async([X])
    setting.gate.wait_for_a_run()
    assert setting.request.status is RequestStatus.RUNNING
    yield setting
    setting.opened()


@contextmanager
def queued() -> Iterator[Setting]:
    setting = Setting()
    setting.other.start_async([X])
    setting.gate.wait_for_a_run()
    setting.request.start_async([X])
    assert setting.request.status is RequestStatus.QUEUED
    yield setting
    setting.opened()


@dataclass(frozen=True)
class Call:
    """A call of a request.

    Attributes:
        make: calls it.
        group: the row of the table.
    """

    make: Callable[[Setting], Any]
    group: str


CALLS = {
    "infer": Call(lambda s: s.request.infer([X]), "starts"),
    "start_async": Call(lambda s: s.request.start_async([X]), "starts"),
    "set_tensor": Call(lambda s: s.request.set_tensor("x", X), "changes"),
    "set_tensors": Call(lambda s: s.request.set_tensors("x", [X[:1], X[1:]]), "changes"),
    "set_input_tensor": Call(lambda s: s.request.set_input_tensor(0, X), "changes"),
    "set_output_tensor": Call(lambda s: s.request.set_output_tensor(0, np.zeros_like(X)), "changes"),
    "own_outputs": Call(lambda s: s.request.own_outputs(), "changes"),
    "set_callback": Call(lambda s: s.request.set_callback(None), "changes"),
    "state set": Call(lambda s: setattr(s.states[0], "value", ONE), "changes"),
    "state reset": Call(lambda s: s.states[0].reset(), "changes"),
    "reset_state": Call(lambda s: s.request.reset_state(), "changes"),
    "restore": Call(lambda s: s.request.restore(s.other.snapshot()), "changes"),
    "fork_state": Call(lambda s: s.request.fork_state(s.other), "changes"),
    "get_tensor": Call(lambda s: s.request.get_tensor("x"), "reads"),
    "get_input_tensor": Call(lambda s: s.request.get_input_tensor(), "reads"),
    "get_output_tensor": Call(lambda s: s.request.get_output_tensor(), "reads"),
    "inputs": Call(lambda s: s.request.inputs, "reads"),
    "outputs": Call(lambda s: s.request.outputs, "reads"),
    "results": Call(lambda s: s.request.results, "reads"),
    "profile": Call(lambda s: s.request.profile, "reads"),
    "get_profiling_info": Call(lambda s: s.request.get_profiling_info(), "reads"),
    "profiling_info": Call(lambda s: s.request.profiling_info, "reads"),
    "latency": Call(lambda s: s.request.latency, "reads"),
    "copies": Call(lambda s: s.request.copies, "reads"),
    "query_state": Call(lambda s: s.request.query_state(), "reads"),
    "state get": Call(lambda s: s.states[0].value, "reads"),
    "snapshot": Call(lambda s: s.request.snapshot(), "reads"),
    "status": Call(lambda s: s.request.status, "any time"),
    "outcome": Call(lambda s: s.request.outcome, "any time"),
    "error": Call(lambda s: s.request.error, "any time"),
    "signatures": Call(lambda s: s.request.signatures, "any time"),
    "model_inputs": Call(lambda s: s.request.model_inputs, "any time"),
    "model_outputs": Call(lambda s: s.request.model_outputs, "any time"),
}
"""All but those that wait and cancel, which answer otherwise in each place."""
WAITS: dict[str, Callable[[InferRequest], Any]] = {
    "wait": lambda r: r.wait(),
    "wait_for": lambda r: r.wait_for(LONG * 1000),
    "wait_for without limit": lambda r: r.wait_for(None),
}

calls = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
waits = pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
busy = pytest.mark.parametrize("place", [queued, running])


def test_the_table_has_every_public_name_of_a_request() -> None:
    public = {name for name in dir(InferRequest) if not name.startswith("_")}
    told = {name.split()[0] for name in (*CALLS, *WAITS)} | {"cancel", "device", "infer_async"}
    others = {
        "give_back_memory",
        "join_queue",
        "share_states",
        "signature",
    }  # of who makes requests; a signature's runs are in theirs
    assert public - told - others == set()


@calls
def test_idle(call: Call) -> None:
    with idle() as setting:
        call.make(setting)
        setting.request.wait()
        assert (setting.request.status, setting.request.outcome) == (RequestStatus.IDLE, Outcome.DONE)


@busy
@calls
def test_busy(call: Call, place: Callable[[], Any]) -> None:
    with place() as setting:
        before = setting.request.status
        if call.group == "any time":
            call.make(setting)
        else:
            with pytest.raises(RequestBusy):
                call.make(setting)
        assert (setting.request.status, setting.request.outcome) == (before, Outcome.DONE)
    assert setting.request.outcome is Outcome.DONE
    np.testing.assert_array_equal(setting.request.results[0], X + STEP + 1)  # of the run that was under way
    np.testing.assert_array_equal(setting.states[0].value, X + 2)


@calls
def test_callback(call: Call) -> None:
    setting, found = Setting(), list[Any]()

    def callback(userdata: Any) -> None:
        setting.request.set_callback(None)
        found.append((setting.request.status, setting.request.outcome))
        call.make(setting)
        found.append(call)

    setting.request.set_callback(callback)
    setting.gate.open()
    setting.request.start_async([X])
    setting.request.wait()
    assert found == [(RequestStatus.IDLE, Outcome.DONE), call]
    runs = 3 if call.group == "starts" else 2
    if call.group != "changes":
        np.testing.assert_array_equal(setting.states[0].value, X + runs)


@waits
def test_waiting_while_idle_returns_at_once(wait: Callable[[InferRequest], Any]) -> None:
    with idle() as setting:
        assert not wait(setting.other)  # nothing was started
        setting.request.start_async([X])
        setting.request.wait()
        assert wait(setting.request) in (None, True)


@busy
@waits
def test_waiting_while_busy_lasts_until_the_end(wait: Callable[[InferRequest], Any], place: Callable[[], Any]) -> None:
    with place() as setting, ThreadPoolExecutor(1) as pool:
        assert not setting.request.wait_for(0)
        assert not setting.request.wait_for(1)
        waiting = pool.submit(lambda: (wait(setting.request), setting.request.status))
        assert not waiting.done()
        setting.gate.open()
        result, status = waiting.result(LONG)
        assert (result in (None, True), status) == (True, RequestStatus.IDLE)


@waits
def test_waiting_in_the_callback_is_an_error(wait: Callable[[InferRequest], Any]) -> None:
    setting, raised = Setting(), list[bool]()

    def callback(userdata: Any) -> None:
        with pytest.raises(RequestError, match="cannot be waited for in its own callback"):
            wait(setting.request)
        raised.append(True)

    setting.request.set_callback(callback)
    setting.gate.open()
    setting.request.start_async([X])
    setting.request.wait()
    assert raised == [True]


def test_cancelling() -> None:
    told: list[bool] = []
    with idle() as setting:
        assert not setting.request.cancel()
        setting.request.set_callback(lambda userdata: told.append(setting.request.cancel()))
        setting.request.start_async([X])
        setting.request.wait()
        assert (told, setting.request.outcome) == ([False], Outcome.DONE)


@busy
def test_cancelling_while_busy(place: Callable[[], Any]) -> None:
    with place() as setting:
        assert setting.request.cancel()
        with pytest.raises(RequestError, match="cancelled"):
            setting.request.wait()
        assert setting.request.outcome is Outcome.CANCELLED
        setting.gate.open()
        setting.request.start_async([X])
    np.testing.assert_array_equal(setting.states[0].value, X + 2)  # the run that was cancelled left it alone
