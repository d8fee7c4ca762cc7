"""Readings of a device: memory by what it is for, runs in flight, the use of its engines."""

from __future__ import annotations

import gc
from random import Random

import numpy as np
import pytest

from lite_delegate import Context, Core, InputError, Model
from lite_delegate.delegate import Telemetry
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device import Device
from tests.runtime.graphs import chain

X = np.zeros((2, 3), np.float32)


def built(delegate: NPUDelegate, count: int) -> Model:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(chain(count), context)
    return model


@pytest.mark.shows("NPU", "NPU_DEVICE_TOTAL_MEM_SIZE")
def test_a_device_in_use() -> None:
    delegate = NPUDelegate("npu3720")
    model = built(delegate, 3)
    idle = delegate.telemetry()
    assert (idle.in_flight, idle.waiting, idle.elapsed_us, idle.compute_use) == (0, 0, 0.0, 0.0)
    assert idle.total_bytes == delegate.get_property("NPU_DEVICE_TOTAL_MEM_SIZE")
    model.predict([X])
    used = delegate.telemetry()
    assert used.elapsed_us > 0
    assert 0 < used.compute_use <= 1
    assert 0 < used.transfer_use <= 1
    assert delegate.telemetry().elapsed_us == 0


def test_memory_adds_up_and_goes_back_after_any_lives() -> None:
    """Models, requests and tensors made and given back in random order; the peak is the most that was ever seen."""
    delegate, random = NPUDelegate("npu3720"), Random(3)
    context = delegate.remote_context()
    before, most = delegate.telemetry().memory, 0

    def step(held: list[object]) -> None:
        if held and random.random() < 0.3:
            held.pop(random.randrange(len(held)))
        elif held and isinstance(held[0], Model) and random.random() < 0.5:
            held.append(held[0].compiled.create_infer_request())
        elif random.random() < 0.5:
            held.append(context.create_tensor(np.uint8, [random.randint(1, 1000)]))
        else:
            held.append(built(delegate, random.randint(1, 3)))

    for _ in range(100):
        held: list[object] = []
        for _ in range(random.randint(2, 5)):
            step(held)
            now = delegate.telemetry()
            allocated = delegate.get_property("NPU_DEVICE_ALLOC_MEM_SIZE")
            assert sum(now.memory.values()) == now.allocated_bytes == allocated
            assert sum(sum(kinds.values()) for kinds in now.by_model.values()) == allocated
            most = max(most, now.allocated_bytes)
        held.clear()
        gc.collect(1)
        assert dict(delegate.telemetry().memory) == dict(before)
    assert delegate.telemetry().peak_bytes >= most > 0


def test_memory_by_model_and_kind() -> None:
    """Two models of one name, a request more of the first, and a tensor that is nobody's."""
    core = Core()
    graph = chain(2)
    graph.name = "small"
    before = core.telemetry("NPU").allocated_bytes
    first, second = (core.compile_model(graph, "NPU") for _ in range(2))
    alone = core.telemetry("NPU").by_model
    assert set(alone) == {"small", "small#2"}
    assert alone["small"] == alone["small#2"]
    request = first.create_infer_request()
    tensor = core.default_context("NPU").create_tensor(np.float32, [2, 3])
    now = core.telemetry("NPU")
    assert now.by_model[""] == {"remote tensor": 64}
    assert now.by_model["small"] == {**alone["small"], "request": 128}  # 2 * 3 float16 in and out, in units of 64
    assert now.by_model["small#2"] == alone["small#2"]
    del request, tensor, first
    gc.collect()
    assert core.telemetry("NPU").by_model == {"small": alone["small"]}
    second.close()
    assert core.telemetry("NPU").allocated_bytes == before


def test_the_peak_is_counted_from_a_reset_on() -> None:
    core = Core()
    context = core.default_context("NPU")
    context.create_tensor(np.uint8, [1000]).release()
    found = core.telemetry("NPU")
    assert (found.peak_bytes, found.allocated_bytes) == (1024, 0)
    assert found.total_bytes is not None
    assert found.free_bytes == found.total_bytes
    core.reset_peak_memory("NPU")
    assert core.telemetry("NPU").peak_bytes == 0
    kept = context.create_tensor(np.uint8, [100])
    found = core.telemetry("NPU")
    assert (found.peak_bytes, found.allocated_bytes, found.free_bytes) == (128, 128, (1 << 30) - 128)
    del kept
    with pytest.raises(InputError, match="does not tell"):
        core.reset_peak_memory("CPU")


def test_core_asks_the_device() -> None:
    core = Core()
    compiled = core.compile_model(chain(2), "NPU")
    found = core.telemetry("NPU")
    assert isinstance(found, Telemetry)
    assert found.allocated_bytes > 0
    compiled([X])
    assert core.telemetry("NPU").elapsed_us > 0
    with pytest.raises(InputError, match="does not tell"):
        core.telemetry("CPU")


def test_a_device_alone_has_nothing() -> None:
    assert Device().telemetry().memory == {"program": 0}
