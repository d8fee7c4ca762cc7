"""How many asynchronous runs of a compiled model run at once, and who says so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lite_delegate import Context, Core, DelegateBuildError, Model, PropertyError
from lite_delegate.demo import model_path
from lite_delegate.inference import CompiledModel
from lite_delegate.npu import Device, NPUDelegate
from lite_delegate.npu.device.programs.memory import Capacity
from lite_delegate.properties import Integer, PropertySpec
from tests.inference.holding import Gate, HoldingDelegate, X
from tests.runtime.graphs import chain

OPTIMAL = [
    ("NPU.3720", "LATENCY", 1),
    ("NPU.3720", "THROUGHPUT", 4),
    ("NPU.4000", "LATENCY", 1),
    ("NPU.4000", "THROUGHPUT", 8),
]
"""Of the document on the plugin: by platform and hint."""


class Streaming(HoldingDelegate):
    """Has a number of streams."""

    streams = 2

    def properties(self) -> Sequence[PropertySpec]:
        return [PropertySpec("NUM_STREAMS", "runs at once", Integer(1, 9), self.streams, scope="dc", when="L")]


def at_once(compiled: CompiledModel, gate: Gate, expected: int) -> int:
    """The most runs that were in a graph kernel at once, of more than may be."""
    requests = [compiled.create_infer_request() for _ in range(expected + 2)]
    for request in requests:
        request.start_async([X])
    for _ in range(expected):
        gate.wait_for_a_run()
    assert not gate.entered.acquire(timeout=0.05)
    gate.open()
    for request in requests:
        request.wait()
    return gate.most


def test_no_more_runs_at_once_than_streams() -> None:
    gate, context, model = Gate(), Context(), Model()
    context.set_delegate(Streaming(gate, ["n0"]))
    model.build_from_graph(chain(1), context)
    assert model.compiled.optimal_requests == 3
    assert at_once(model.compiled, gate, Streaming.streams) == Streaming.streams


def npu(properties: dict[str, object], device: str = "NPU.4000") -> CompiledModel:
    of_parts = {"DEVICE_PROPERTIES": {device: properties}}
    return Core().compile_model(model_path(), f"HETERO:{device},CPU", of_parts)


@pytest.mark.shows("NPU", "NUM_STREAMS")
def test_streams_of_the_npu() -> None:
    assert npu({}).get_property("NUM_STREAMS") == "AUTO"
    compiled = npu({"NUM_STREAMS": "3"})
    assert compiled.get_property("NUM_STREAMS") == 3
    assert (compiled._executor.workers, compiled.optimal_requests) == (3, 1)
    with pytest.raises(PropertyError, match="NUM_STREAMS must be AUTO or an integer, from 1 to 1024; got 0"):
        npu({"NUM_STREAMS": 0})


@pytest.mark.shows("NPU", "PERFORMANCE_HINT_NUM_REQUESTS", "OPTIMAL_NUMBER_OF_INFER_REQUESTS")
@pytest.mark.shows("model", "OPTIMAL_NUMBER_OF_INFER_REQUESTS")
@pytest.mark.parametrize(("device", "hint", "optimal"), OPTIMAL)
@pytest.mark.parametrize("most", [0, 2, 100])
def test_the_optimal_number_is_that_of_the_hint_and_capped(device: str, hint: str, optimal: int, most: int) -> None:
    compiled = npu({"PERFORMANCE_HINT": hint, "PERFORMANCE_HINT_NUM_REQUESTS": most}, device)
    wanted = min(optimal, most or optimal)
    assert compiled.optimal_requests == compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS") == wanted
    assert compiled._executor.workers == wanted


def small_device(dram: int | None) -> tuple[CompiledModel, Device]:
    """A model with room for more requests than the device's memory may have room for."""
    device, core = Device(memory=Capacity(dram=dram)), Core()
    core.register_device(
        "chip",
        lambda options: NPUDelegate("npu4000", device=device, options={"PERFORMANCE_HINT": "THROUGHPUT"}),
    )
    return core.compile_model(chain(1, (64, 64)), "chip"), device


@pytest.mark.parametrize("room", [0, 1, 3, 100])
def test_the_optimal_number_is_no_more_than_the_memory_of_the_device_holds(room: int) -> None:
    compiled, device = small_device(None)
    best, program = compiled.optimal_requests, device.allocated_memory
    assert best > 3
    request = compiled.create_infer_request()
    each = device.allocated_memory - program
    del request
    compiled, device = small_device(program + room * each + each // 2)
    wanted = min(max(room, 1), best)
    assert compiled.optimal_requests == compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS") == wanted
    notes = [note for note in compiled.partition.notes if "at once" in note]
    told = f"Requests: {wanted} instead of {best} at once; 'chip' has memory for {room}"
    assert notes == ([told] if room < best else [])
    requests = [compiled.create_infer_request() for _ in range(wanted if room else 0)]
    x = np.ones((64, 64), np.float32)
    for request in requests:
        np.testing.assert_array_equal(request.infer([x])[0], x + 1)
    if room < best:
        with pytest.raises(DelegateBuildError, match="bytes of device memory"):
            compiled.create_infer_request()
