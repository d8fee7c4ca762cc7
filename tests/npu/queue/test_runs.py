"""Runs of graph kernels in the device's queue: what the simulated clock says of them."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest

from benchmarks.networks import NetBuilder
from lite_delegate import Context, Model
from lite_delegate.errors import DelegateExecuteError
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device import Device, Faults
from lite_delegate.npu.execution.commands import commands_of
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.npu.queue import Command, CommandList, DeviceQueue, Engine
from tests.npu.queue.test_clock import makespan


class Kept(NPUDelegate):
    """Keeps the graph kernel that it made last."""

    def create_graph_kernel(self, run, model):
        self.kernel = super().create_graph_kernel(run, model)
        return self.kernel


def net(size: int, channels: int) -> Graph:
    builder = NetBuilder("net", (1, size, size, 8), fused=True)
    return builder.graph(builder.conv(builder.conv(builder.input, channels, 3), 8, 3))


def built(graph: Graph, device: Device | None = None, **options: object) -> tuple[Model, NPUGraph, NPUDelegate]:
    delegate, context, model = Kept("npu3720", device=device, options=options), Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(graph, context)
    assert isinstance(delegate.kernel, NPUGraph)
    return model, delegate.kernel, delegate


def predict(model: Model) -> None:
    model.predict([np.ones(model.get_inputs()[0].shape, np.float32)])


def uploads_us(kernel: NPUGraph) -> float:
    (part,) = kernel.models
    return part.cost.us(sum(event.cycles for event in part.cost.events if event.opcode == "CopyIn"))


def test_one_request_waits_for_its_upload_each_time():
    model, kernel, delegate = built(net(16, 16))
    for count in range(1, 4):
        predict(model)
        (part,) = kernel.models
        times = part.times
        assert times is not None
        assert times.latency_us == pytest.approx(part.cost.estimated_us)
        assert times.input_wait_us == pytest.approx(uploads_us(kernel))
        assert [each.engine for each in times.commands] == [Engine.UPLOAD, Engine.COMPUTE, Engine.DOWNLOAD]
        assert delegate.device.queue.now_us == pytest.approx(count * part.cost.estimated_us)
    assert delegate.device.queue.waiting == 0


def test_the_counter_is_that_of_the_last_run():
    model, kernel, _ = built(net(16, 16), PERF_COUNT="YES", VPU_PRINT_RECEIVE_TENSOR_TIME="YES")
    expected = kernel.performance_counters()[0].estimated_cycles
    assert expected == kernel.models[0].cost.input_wait_cycles
    predict(model)
    wait = kernel.performance_counters()[0]
    uploads = sum(event.cycles for event in kernel.models[0].cost.events if event.opcode == "CopyIn")
    assert (wait.name, wait.estimated_cycles) == ("waiting for input", uploads)


def test_two_requests_hide_the_uploads_of_all_but_the_first():
    """The host waits for the older of two before it asks for one more."""
    _, kernel, delegate = built(net(16, 64))
    (part,), queue = kernel.models, delegate.device.queue
    commands = commands_of(part.cost, part.target, queue.dma_engines)
    waiting, waits = [queue.submit(commands)], []
    for _ in range(10):
        waiting.append(queue.submit(commands))
        waits.append(waiting.pop(0).done().input_wait_us)
    assert waits == pytest.approx([uploads_us(kernel), *[0.0] * 9])


def test_runs_of_several_threads_leave_the_queue_empty():
    model, _, delegate = built(net(16, 16))

    def several():
        for _ in range(5):
            predict(model)

    threads = [Thread(target=several) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    use = delegate.device.queue.utilization()
    assert delegate.device.queue.waiting == 0
    assert use.elapsed_us > 0
    assert 0 < use.tiles <= 1


def test_a_run_that_fails_leaves_the_queue():
    model, _, delegate = built(net(16, 16))
    delegate.device.inject(Faults(timeout=[1]))
    with pytest.raises(DelegateExecuteError, match="took longer"):
        predict(model)
    assert delegate.device.queue.waiting == 0
    predict(model)
    assert delegate.device.queue.utilization().elapsed_us > 0


@pytest.mark.parametrize("size", [(16, 16), (16, 64), (64, 8)])
@pytest.mark.parametrize("profile", ["npu3720", "npu4000"])
def test_the_optimal_number_of_requests_is_nearly_the_fastest(profile, size):
    """Throughput on the simulated clock, in the steady state, against any other number up to 8."""
    delegate, context, model = NPUDelegate(profile, options={"PERFORMANCE_HINT": "THROUGHPUT"}), Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(net(*size), context)
    (kernel,) = model.compiled.plan.graph_kernels
    assert isinstance(kernel, NPUGraph)
    (part,) = kernel.models
    engines = delegate.device.queue.dma_engines
    commands = commands_of(part.cost, part.target, engines)
    rates = {count: 200 / makespan(commands, engines, count, 200) for count in range(1, 9)}
    assert rates[delegate.optimal_requests()] >= 0.95 * max(rates.values())


@pytest.mark.shows("NPU", "TRANSFER_CHUNK")
@pytest.mark.parametrize(("chunk", "uploads"), [(1024, [1024] * 4), (1500, [1366, 1365, 1365]), (4096, [4096])])
def test_a_tensor_crosses_in_chunks_that_take_no_longer(chunk, uploads):
    model, kernel, _ = built(net(16, 16), TRANSFER_CHUNK=chunk)  # the input has 16 x 16 x 8 numbers of two bytes
    predict(model)
    times = kernel.models[0].times
    assert times is not None
    assert [each.nbytes for each in times.commands if each.engine is Engine.UPLOAD] == uploads
    assert times.latency_us == pytest.approx(kernel.models[0].cost.estimated_us)
    assert times.input_wait_us == pytest.approx(uploads_us(kernel))


@pytest.mark.parametrize("chunk", [1024, 4096])
def test_a_run_of_higher_priority_waits_for_a_chunk_and_not_for_the_whole_transfer(chunk):
    parts = [built(net(16, 16), TRANSFER_CHUNK=chunk, MODEL_PRIORITY=each)[1].models[0] for each in ("LOW", "HIGH")]
    low, high = (commands_of(part.cost, part.target, 1) for part in parts)
    whole_us = sum(each.us for each in low.commands if each.engine is Engine.UPLOAD)
    queue = DeviceQueue(1)
    queue.submit(low)
    queue.submit(CommandList((Command(Engine.COMPUTE, 0.01),))).done()  # the simulated present is in the first upload
    times = queue.submit(high).done()
    assert times.commands[0].start == pytest.approx(whole_us * chunk / 4096)


def test_a_tensor_crosses_in_no_more_commands_than_a_clock_can_look_at():
    _, kernel, _ = built(net(256, 8), TRANSFER_CHUNK=1024)
    (part,) = kernel.models
    commands = commands_of(part.cost, part.target, 1).commands
    uploads = [command.nbytes for command in commands if command.engine is Engine.UPLOAD]
    assert (len(uploads), sum(uploads)) == (64, 256 * 256 * 8 * 2)
