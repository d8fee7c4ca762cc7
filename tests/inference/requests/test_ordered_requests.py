"""Runs that go one at a time, in the order in which they were started: NPU_RUN_INFERENCES_SEQUENTIALLY."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lite_delegate import CallbackError, Core, InputError, RequestCancelled, RequestError
from lite_delegate.inference import CompiledModel, InferRequest, RequestStatus
from lite_delegate.npu import Device, NPUDelegate
from tests.inference.holding import LONG
from tests.runtime.graphs import chain

IN_ORDER = {"NPU_RUN_INFERENCES_SEQUENTIALLY": "YES", "NUM_STREAMS": 4, "NPU_TILES": 1}


class Held(Device):
    """Notes what its runs were given; the first is held until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[int] = []
        self.held, self.go = threading.Event(), threading.Event()
        self.now = self.most = 0

    def run(self, loaded, inputs, **options):
        self.now += 1
        self.most = max(self.most, self.now)
        self.seen.append(int(inputs[0].ravel()[0]))
        if len(self.seen) == 1:
            self.held.set()
            assert self.go.wait(LONG)
        self.now -= 1
        return super().run(loaded, inputs, **options)


def held(device: str = "chip") -> tuple[CompiledModel, Held]:
    simulated, core = Held(), Core()
    core.register_device("chip", lambda options: NPUDelegate("npu4000", device=simulated, options=options))
    if device == "chip":
        return core.compile_model(chain(1), device, IN_ORDER), simulated
    return core.compile_model(chain(1), device, {"DEVICE_PROPERTIES": {"chip": IN_ORDER}}), simulated


def x(number: float) -> list[np.ndarray]:
    return [np.full((2, 3), number, np.float32)]


def results(requests: Sequence[InferRequest]) -> list[float]:
    return [float(request.results[0][0, 0]) for request in requests]


def queued(request: InferRequest) -> None:
    """Waits until a run was started."""
    while request.status is RequestStatus.IDLE and request.outcome is None:
        threading.Event().wait(0.001)


@pytest.mark.shows("NPU", "NPU_RUN_INFERENCES_SEQUENTIALLY")
@pytest.mark.parametrize("device", ["chip", "HETERO:chip,CPU", "MULTI:chip,CPU"])
def test_runs_go_in_the_order_of_their_start_including_runs_of_infer(device: str) -> None:
    compiled, simulated = held(device)
    requests = [compiled.create_infer_request() for _ in range(5)]
    requests[0].start_async(x(0))
    assert simulated.held.wait(LONG)
    with ThreadPoolExecutor(3) as threads:
        for number, request in enumerate(requests[1:], 1):
            if number % 2:
                threads.submit(request.infer, x(number))
                queued(request)
            else:
                request.start_async(x(number))
        simulated.go.set()
    for request in requests:
        assert request.wait_for(LONG)
    assert simulated.seen == [0, 1, 2, 3, 4]
    assert simulated.most == 1
    assert results(requests) == [1, 2, 3, 4, 5]
    assert float(compiled(x(6))[0][0, 0]) == 7
    shared = requests[0].infer(x(8), share_outputs=True)
    requests[0].infer(x(9))
    assert float(shared[0][0, 0]) == 10
    compiled.close()


def test_a_run_that_waits_its_turn_can_be_cancelled_and_the_next_goes_on() -> None:
    compiled, simulated = held()
    first, second, third = (compiled.create_infer_request() for _ in range(3))
    first.start_async(x(0))
    assert simulated.held.wait(LONG)
    with ThreadPoolExecutor(1) as threads:
        run = threads.submit(second.infer, x(1))
        queued(second)
        third.start_async(x(2))
        assert second.cancel()
        with pytest.raises(RequestCancelled):
            run.result(LONG)
        simulated.go.set()
    third.wait()
    assert simulated.seen == [0, 2]


def test_a_callback_cannot_wait_for_the_worker_that_it_is_called_by() -> None:
    compiled, simulated = held()
    simulated.go.set()
    request, other = compiled.create_infer_request(), compiled.create_infer_request()
    request.set_callback(lambda userdata: other.infer(x(1)))
    request.start_async(x(0))
    with pytest.raises(CallbackError) as raised:
        request.wait()
    assert isinstance(raised.value.__cause__, RequestError)
    assert "call start_async" in str(raised.value.__cause__)
    request.set_callback(lambda userdata: other.start_async(x(1)))
    request.start_async(x(0))
    request.wait()
    other.wait()
    assert results([other]) == [2]


def test_wrong_inputs_are_an_error_at_once_and_hold_nobody_up() -> None:
    compiled, simulated = held()
    simulated.go.set()
    request = compiled.create_infer_request()
    with pytest.raises(InputError):
        request.infer([np.zeros((9, 9), np.float32)])
    assert float(request.infer(x(1))[0][0, 0]) == 2


def test_runs_in_order_cannot_be_joined() -> None:
    with pytest.raises(InputError, match="BATCH: the model's runs go one at a time, as NPU_RUN_INFERENCES_SEQUENTIALL"):
        held("BATCH:chip(2)")
