"""Requests, pools, jobs and tensors of a device stay in their process; results and snapshots go to others."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite_delegate import Tensor
from lite_delegate.demo import model_path
from lite_delegate.devices.core import Core
from lite_delegate.inference import AsyncInferQueue, RequestQueue
from lite_delegate.inference.requests.request_pool import RequestPool
from tests.inference.state.test_states import counter

ANEW = r"pickle the CompiledModel, and call create_infer_request\(\) in the other process\.$"
CORE = Core()
MODEL = CORE.compile_model(model_path(), "CPU")
HERE: dict[str, tuple[Callable[[], Any], str]] = {
    "request": (MODEL.create_infer_request, "^InferRequest .*" + ANEW),
    "queue": (lambda: RequestQueue(MODEL, 1), "pickle the CompiledModel, and make a queue"),
    "async queue": (lambda: AsyncInferQueue(MODEL, 1), "pickle the CompiledModel, and make a queue"),
    "pool": (lambda: RequestPool(MODEL.create_infer_request, 1), r"pickle the CompiledModel, and call infer_async\(\)"),
    "job": (lambda: CORE.compile_model_async(model_path(), "CPU"), r"pickle its result\(\)"),
    "context": (lambda: CORE.default_context("NPU"), "make a context in the other process"),
    "remote tensor": (lambda: CORE.default_context("CPU").create_tensor(np.float32, [2]), r"copy_to\(array\)"),
    "device tensor": (lambda: Tensor(np.ones(2, np.float32), device="npu"), r"copy_to\(array\)"),
}


@pytest.mark.parametrize("name", HERE)
def test_objects_of_a_process_say_what_to_do(name: str) -> None:
    make, text = HERE[name]
    thing = make()
    for protocol in (2, 5):
        with pytest.raises(TypeError, match=text):
            pickle.dumps(thing, protocol)
    with pytest.raises(TypeError, match=text):
        copy.copy(thing)


def test_results_go_to_other_processes() -> None:
    results = MODEL(np.ones((1, 8, 8, 1), np.float32))
    found = pickle.loads(pickle.dumps(results))
    np.testing.assert_array_equal(found[MODEL.outputs[0]], results[0])
    assert found.keys() == results.keys()


def test_a_snapshot_of_states_goes_to_other_processes() -> None:
    model = CORE.compile_model(counter(), "CPU")
    here = model.create_infer_request()
    here.infer([np.array([1, 2], np.float32)])
    there = pickle.loads(pickle.dumps(model)).create_infer_request()
    there.restore(pickle.loads(pickle.dumps(here.snapshot())))
    np.testing.assert_array_equal(there.infer([np.array([3, 4], np.float32)])[0], [14, 26])
