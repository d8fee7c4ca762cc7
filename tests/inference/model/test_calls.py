"""A compiled model as a function, what it keeps for the next call, and what requests take on devices."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Context, DelegateBuildError, InputError, Model
from lite_delegate.demo import model_path
from lite_delegate.inference import CompiledModel
from lite_delegate.ir import Graph, Node, make_primitive
from lite_delegate.npu import NPUDelegate
from tests.inference.reusing import STEP, Reusing, ReusingDelegate, built
from tests.runtime.graphs import chain, value

X = np.zeros((2, 3), np.float32)


def test_calls_of_many_threads_are_right_and_few_at_once() -> None:
    at_once, most = [0], [0]
    lock, meeting = threading.Lock(), threading.Barrier(2)

    def run(given: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        try:
            meeting.wait(timeout=0.01)
        except threading.BrokenBarrierError:
            meeting.reset()
        with lock:
            at_once[0] -= 1
        assert given[0] is not None
        return given[0] + 1

    x = value("x")
    odd = Node("odd", make_primitive("Custom", type="Odd"), [x], [value("y")])
    context, model = Context(), Model()
    context.register_custom("Odd", run)
    model.build_from_graph(Graph("main", [x], list(odd.outputs), [odd]), context)
    compiled = model.compiled

    def work(number: int) -> None:
        for i in range(20):
            np.testing.assert_array_equal(compiled([X + number + i])["y"], X + number + i + 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(0, 800, 100)))
    assert 1 <= most[0] <= compiled.optimal_requests


def test_results_of_calls_are_private() -> None:
    compiled = built(chain(1), ReusingDelegate()).compiled
    first, second = compiled(X, share_outputs=True), compiled({"x": X + 1})
    np.testing.assert_array_equal(first[0], X + STEP)
    np.testing.assert_array_equal(second[0], X + STEP + 1)


def test_a_call_without_its_inputs() -> None:
    with pytest.raises(InputError, match="Nothing was given for the inputs 0 'x'"):
        built(chain(1), ReusingDelegate()).compiled()


def on_npu() -> tuple[NPUDelegate, CompiledModel, Array]:
    delegate, context, model = NPUDelegate(), Context(), Model()
    context.set_delegate(delegate)
    model.build_from_file(model_path(), context=context)
    (port,) = model.compiled.inputs
    return delegate, model.compiled, np.ones(port.shape, np.float32)


def request_bytes(compiled: CompiledModel) -> int:
    """What the programs' inputs and outputs take, each in whole blocks of 64 bytes."""
    total = 0
    for kernel in compiled.graph_kernels:
        for part in kernel.models:  # type: ignore[attr-defined]
            for index in (*part.program.inputs, *part.program.outputs):
                total += -(-part.program.buffers[index].nbytes // 64) * 64
    return total


def test_device_memory_rises_with_each_request_and_falls_when_it_goes() -> None:
    delegate, compiled, x = on_npu()
    before, each = delegate.device.allocated_memory, request_bytes(compiled)
    first, second = compiled.create_infer_request(), compiled.create_infer_request()
    assert each > 0
    assert delegate.device.memory_by() == {"program": before, "request": 2 * each}
    first.infer(x)
    assert delegate.get_property("NPU_DEVICE_ALLOC_MEM_SIZE") == before + 2 * each
    del second
    assert delegate.device.allocated_memory == before + each
    del first
    assert delegate.device.allocated_memory == before


def test_a_device_without_room_for_a_request() -> None:
    delegate, compiled, _ = on_npu()
    each = request_bytes(compiled)
    delegate.device.memory = type(delegate.device.memory)(dram=delegate.device.allocated_memory + each - 1)
    with pytest.raises(DelegateBuildError, match=rf"The request needs {each:,} bytes of device memory, {each - 1:,} "):
        compiled.create_infer_request()
    assert delegate.device.memory_by() == {"program": delegate.device.allocated_memory}


def test_release_memory_gives_what_the_figures_fall_by_and_leaves_requests_alone() -> None:
    delegate, compiled, x = on_npu()
    request = compiled.create_infer_request()
    want = compiled(x)[0]
    before = delegate.device.allocated_memory
    freed = compiled.release_memory()
    assert freed == request_bytes(compiled)
    assert delegate.device.allocated_memory == before - freed
    assert compiled.release_memory() == 0
    np.testing.assert_array_equal(request.infer(x)[0], want)
    np.testing.assert_array_equal(compiled(x)[0], want)


@pytest.mark.shows("NPU", "NPU_DEFER_WEIGHTS_LOAD")
def test_deferred_weights_are_loaded_with_the_first_request() -> None:
    delegate, context, model = NPUDelegate(options={"NPU_DEFER_WEIGHTS_LOAD": "YES"}), Context(), Model()
    context.set_delegate(delegate)
    model.build_from_file(model_path(), context=context)
    assert delegate.device.programs == 0
    request = model.compiled.create_infer_request()
    assert delegate.device.programs == len(model.get_graph_kernels()) > 0
    assert request.outcome is None


def test_optimal_requests_are_those_of_the_delegate_that_runs_something() -> None:
    delegate, compiled, _ = on_npu()
    assert compiled.optimal_requests == delegate.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
    assert built(chain(1), ReusingDelegate()).compiled.optimal_requests == 1


def test_a_graph_kernel_may_know_the_optimal_requests_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reusing, "optimal_requests", 5)
    assert built(chain(1), ReusingDelegate()).compiled.optimal_requests == 5


def test_release_memory_and_close_give_up_what_calls_and_coroutines_left() -> None:
    delegate, compiled, x = on_npu()
    device = delegate.device
    programs = device.allocated_memory
    with asyncio.Runner() as runner:
        for _ in range(2):
            compiled(x)
            runner.run(compiled.infer_async(x))
        kept = device.allocated_memory - programs
        assert kept == 2 * request_bytes(compiled)
        assert compiled.release_memory() == kept
        assert device.allocated_memory == programs
        runner.run(compiled.infer_async(x))
    compiled.close()
    assert device.allocated_memory == 0


def test_a_model_that_is_closed_at_the_end_of_a_run_gives_its_programs_back() -> None:
    delegate, compiled, x = on_npu()
    request = compiled.create_infer_request()
    kept: list[int] = []

    def close(_: object) -> None:
        compiled.close()
        kept.append(delegate.device.memory_by()["program"])

    request.set_callback(close)
    request.start_async(x)
    request.wait()
    assert kept == [0]
