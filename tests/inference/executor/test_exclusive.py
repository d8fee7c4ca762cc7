"""Asynchronous runs of models that want a device for themselves: one after the other on the host, too."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from lite_delegate import Core
from lite_delegate.inference import CompiledModel
from tests.runtime.graphs import chain

X = np.zeros((2, 3), np.float32)
EXCLUSIVE = {"EXCLUSIVE_ASYNC_REQUESTS": "YES"}
HETERO = {"DEVICE_PROPERTIES": {"NPU.4000": EXCLUSIVE}}


def is_done_meanwhile(one: CompiledModel, other: CompiledModel, milliseconds: float) -> bool:
    """Whether a run of the other model ends while the worker of one is in a callback."""
    first, second, seen = one.create_infer_request(), other.create_infer_request(), list[bool]()

    def busy(_: object) -> None:
        second.start_async([X])
        seen.append(second.wait_for(milliseconds))

    first.set_callback(busy)
    first.start_async([X])
    first.wait()
    second.wait()
    return seen[0]


@pytest.mark.shows("NPU", "EXCLUSIVE_ASYNC_REQUESTS")
@pytest.mark.parametrize(("device", "properties"), [("NPU.4000", EXCLUSIVE), ("HETERO:NPU.4000,CPU", HETERO)])
def test_models_of_a_device_share_one_worker(device: str, properties: dict[str, object]) -> None:
    one = Core().compile_model(chain(2), "NPU.4000", EXCLUSIVE)
    other = Core().compile_model(chain(3), device, properties)
    assert not is_done_meanwhile(one, other, 100)
    assert not is_done_meanwhile(other, one, 100)


@pytest.mark.parametrize(
    ("device", "properties"),
    [("NPU.4000", {}), ("NPU.4000", {"EXCLUSIVE_ASYNC_REQUESTS": "NO"}), ("NPU.3720", EXCLUSIVE), ("CPU", {})],
)
def test_runs_of_another_compiled_model_overlap(device: str, properties: dict[str, object]) -> None:
    core = Core()
    one, other = core.compile_model(chain(2), "NPU.4000", EXCLUSIVE), core.compile_model(chain(3), device, properties)
    assert is_done_meanwhile(one, other, 60_000)


def test_a_model_goes_on_when_another_that_shares_its_worker_is_gone() -> None:
    core = Core()
    one, other = (core.compile_model(chain(count), "NPU.4000", EXCLUSIVE) for count in (2, 3))
    request = other.create_infer_request()
    one.create_infer_request().start_async([X])
    one.close()
    del one
    gc.collect()
    request.start_async([X])
    assert request.wait_for(60_000)
    np.testing.assert_allclose(request.results[0], core.compile_model(chain(3), "CPU")([X])[0], atol=1e-2)


def test_runs_of_a_batch_still_wait_for_each_other_at_the_same_time() -> None:
    compiled = Core().compile_model(chain(2), "BATCH:NPU.4000(4)", {**EXCLUSIVE, "AUTO_BATCH_TIMEOUT": 20_000})
    assert hasattr(compiled, "batch")
    requests = [compiled.create_infer_request() for _ in range(4)]
    for request in requests:
        request.start_async([X])
    assert all(request.wait_for(60_000) for request in requests)
    assert dict(compiled.batch.groups) == {4: 1}


@pytest.mark.parametrize("device", ["MULTI:NPU.4000,CPU", "MULTI:CPU,NPU.4000"])
def test_runs_on_several_devices_still_overlap(device: str) -> None:
    several = Core().compile_model(chain(2), device, HETERO)
    assert is_done_meanwhile(several, several, 60_000)
