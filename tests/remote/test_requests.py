"""Remote tensors in requests: what does not cross, and that results are those of the host's way."""

from __future__ import annotations

import gc
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from benchmarks.networks import NetBuilder
from lite_delegate import Core, DeviceLost, InputError, PartitionOptions, RemoteError
from lite_delegate.inference import Stage
from lite_delegate.npu.device import Faults
from lite_delegate.npu.queue import Engine
from tests.remote.simulated import SHAPE, Bench, net, numbers

NOTHING = {Engine.UPLOAD: 0, Engine.DOWNLOAD: 0}


def test_an_output_is_the_next_input_without_crossing():
    bench = Bench()
    first, second = (bench.core.compile_model(net(channels), "SIM") for channels in (16, 24))
    x = numbers(1)
    expected = second(first(x)[0])[0]
    context = bench.core.default_context("SIM")
    between = context.create_tensor(np.float32, SHAPE)
    a, b = first.create_infer_request(), second.create_infer_request()
    a.set_output_tensor(0, between)
    b.set_input_tensor(0, between)
    bench.crossed()
    a.infer(x)
    assert a.copies == []
    assert Stage.DOWNLOAD not in a.profile.stages
    found = b.infer()[0]
    assert Stage.UPLOAD not in b.profile.stages
    assert [each.port for each in b.copies] == [second.output()]
    np.testing.assert_array_equal(found, expected)
    up, down = bench.crossed()
    assert up == {Engine.UPLOAD: x.size * 2, Engine.DOWNLOAD: 0}  # float16 on the way
    assert down == {Engine.UPLOAD: 0, Engine.DOWNLOAD: x.size * 2}


def test_tensors_on_a_device_are_not_joined():
    bench = Bench()
    model = bench.core.compile_model(net(), "SIM")
    item = bench.core.default_context("SIM").create_tensor(np.float32, SHAPE)
    axis = next(i for i, size in enumerate(SHAPE) if size > 1)
    with pytest.raises(InputError, match="item 0: tensors on a device are not joined"):
        model.create_infer_request().set_tensors(model.input(), [item] * SHAPE[axis], batch_axis=axis)


@pytest.mark.parametrize("device", ["CPU", "NPU"])
def test_one_script_for_both(device):
    """Written without a word about what the device is."""
    core = Core()
    model = core.compile_model(net(), device)
    context = core.default_context(device)
    x = context.create_tensor(np.float32, SHAPE, numbers(2))
    y = context.create_tensor(np.float32, SHAPE)
    request = model.create_infer_request()
    request.set_input_tensor(0, x)
    request.set_tensor(model.output().name, y)
    for _ in range(2):
        results = request.infer()
    seen: list[object] = [results[0], request.results[0]]
    assert seen == [y, y]
    assert request.get_output_tensor(0) is y
    found = np.empty(SHAPE, np.float32)
    y.copy_to(found)
    np.testing.assert_array_equal(found, model(numbers(2))[0])


def test_nothing_crosses_where_both_ends_are_on_the_device():
    bench = Bench()
    model, context = bench.core.compile_model(net(), "SIM"), bench.core.default_context("SIM")
    x, y = context.create_tensor(np.float32, SHAPE, numbers(3)), context.create_tensor(np.float32, SHAPE)
    request = model.create_infer_request()
    request.set_input_tensor(0, x)
    request.set_output_tensor(0, y)
    bench.crossed()
    request.start_async()
    request.wait()
    assert bench.crossed() == [NOTHING]
    assert request.copies == []
    profile = request.profile
    assert {Stage.UPLOAD, Stage.DOWNLOAD}.isdisjoint(profile.stages)
    assert profile.simulated is not None
    assert (profile.simulated.bytes_to_device, profile.simulated.bytes_to_host) == (0, 0)
    assert set(profile.simulated.stages) == {Stage.COMPUTE}
    assert profile.simulated.input_wait_us == 0
    assert sum(profile.stages.values()) == profile.latency_ns


def test_what_is_given_to_infer_counts_for_that_run_only():
    bench = Bench()
    model, context = bench.core.compile_model(net(), "SIM"), bench.core.default_context("SIM")
    request, x = model.create_infer_request(), numbers(4)
    remote = context.create_tensor(np.float32, SHAPE, x)
    expected = request.infer(x)[0]
    bench.crossed()
    np.testing.assert_array_equal(request.infer(remote)[0], expected)
    np.testing.assert_array_equal(request.infer([remote])[0], expected)
    np.testing.assert_array_equal(request.infer(x)[0], expected)
    assert [each[Engine.UPLOAD] for each in bench.crossed()] == [0, 0, x.size * 2]


def test_a_call_of_the_model_brings_it_to_the_host():
    core = Core()
    model, x = core.compile_model(net(), "NPU"), numbers(5)
    context = core.default_context("NPU")
    remote = context.create_tensor(np.float32, SHAPE, x)
    np.testing.assert_array_equal(model(remote)[0], model(x)[0])
    assert context.bytes_to_host == x.nbytes


def test_boxes_are_read_and_written_where_they_are():
    bench = Bench()
    model, context = bench.core.compile_model(net(), "SIM"), bench.core.default_context("SIM")
    batch = (3, *SHAPE[1:])
    xs, ys = context.create_tensor(np.float32, batch, numbers(6, batch)), context.create_tensor(np.float32, batch)
    request = model.create_infer_request()
    request.set_input_tensor(0, xs.roi([1, 0, 0, 0], [2, *SHAPE[1:]]))
    request.set_output_tensor(0, ys.roi([2, 0, 0, 0], [3, *SHAPE[1:]]))
    bench.crossed()
    request.infer()
    assert bench.crossed() == [NOTHING]
    found = np.empty(batch, np.float32)
    ys.copy_to(found)
    assert not found[:2].any()
    np.testing.assert_array_equal(found[2:], model(numbers(6, batch)[1:2])[0])


def test_steps_on_the_cpu_are_brought_what_they_read_and_it_is_told():
    """HETERO with every second node on the CPU: the input is read by the CPU, the output made by it."""
    bench = Bench()
    builder = NetBuilder("mixed", SHAPE, fused=True)
    graph = builder.graph(builder.conv(builder.conv(builder.conv(builder.input, 8, 3), 8, 3), 8, 3))
    names = [node.name for node in graph.nodes]
    plan = PartitionOptions(affinity={names[0]: "CPU", names[1]: "SIM", names[2]: "CPU"})
    model = bench.core.compile_model(graph, "HETERO:SIM,CPU", partition=plan)
    context, x = bench.core.default_context("SIM"), numbers(7)
    remote, out = context.create_tensor(np.float32, SHAPE, x), context.create_tensor(np.float32, SHAPE)
    request = model.create_infer_request()
    expected = request.infer(x)[0]
    request.set_input_tensor(0, remote)
    request.set_output_tensor(0, out)
    request.infer()
    assert [(each.port, each.nbytes, each.reason[:24]) for each in request.copies] == [
        (model.input(), x.nbytes, "brought from the device,"),
        (model.output(), x.nbytes, "brought to the device, f"),
    ]
    found = np.empty(SHAPE, np.float32)
    out.copy_to(found)
    np.testing.assert_array_equal(found, expected)


def test_a_context_of_another_device_is_rejected_when_it_is_set():
    core = Core()
    on_npu, on_cpu = core.default_context("NPU"), core.default_context("CPU")
    strangers = Core().default_context("NPU")
    for model, foreign in (
        (core.compile_model(net(), "NPU"), on_cpu),
        (core.compile_model(net(), "CPU"), on_npu),
        (core.compile_model(net(), "NPU"), strangers),
    ):
        request = model.create_infer_request()
        before = request.get_input_tensor(0), request.get_output_tensor(0)
        tensor = foreign.create_tensor(np.float32, SHAPE)
        for put in (request.set_input_tensor, request.set_output_tensor):
            with pytest.raises(RemoteError, match="another device than the model runs on"):
                put(0, tensor)
        assert (request.get_input_tensor(0), request.get_output_tensor(0)) == before


def test_another_shape_or_type_is_rejected_when_it_is_set():
    core = Core()
    request, context = core.compile_model(net(), "NPU").create_infer_request(), core.default_context("NPU")
    for put in (request.set_input_tensor, request.set_output_tensor):
        with pytest.raises(InputError, match=re.escape(f"expected shape {list(SHAPE)}")):
            put(0, context.create_tensor(np.float32, [1, 8, 8, 8]))
        with pytest.raises(InputError, match="expected FLOAT32"):
            put(0, context.create_tensor(np.float16, SHAPE))
        released = context.create_tensor(np.float32, SHAPE)
        released.release()
        with pytest.raises(RemoteError, match="was released"):
            put(0, released)


def test_two_outputs_cannot_share_a_tensor():
    core = Core()
    builder = NetBuilder("two", SHAPE, fused=True)
    ys = [builder.conv(builder.input, 8, 3) for _ in range(2)]
    model, context = core.compile_model(builder.graph(*ys), "NPU"), core.default_context("NPU")
    request, y = model.create_infer_request(), context.create_tensor(np.float32, SHAPE)
    request.set_output_tensor(0, y)
    with pytest.raises(InputError, match="shares memory"):
        request.set_output_tensor(1, y)


def test_a_loss_is_told_by_the_run_and_leaves_the_outputs():
    bench = Bench()
    model, context = bench.core.compile_model(net(), "SIM"), bench.core.default_context("SIM")
    request = model.create_infer_request()
    request.set_input_tensor(0, context.create_tensor(np.float32, SHAPE, numbers(8)))
    request.infer()
    kept = request.get_output_tensor(0).data.copy()
    bench.device.inject(Faults(lost=(1,)))
    with pytest.raises(DeviceLost):
        request.infer()
    with pytest.raises(DeviceLost):  # the tensor is dead, whatever the model does
        request.infer()
    np.testing.assert_array_equal(request.get_output_tensor(0).data, kept)


def test_an_output_may_be_the_input_itself():
    """The run reads before the commit writes."""
    core = Core()
    model, context = core.compile_model(net(), "NPU"), core.default_context("NPU")
    x = numbers(9)
    once = model(x)[0]
    twice = model(once)[0]
    tensor, request = context.create_tensor(np.float32, SHAPE, x), model.create_infer_request()
    request.set_input_tensor(0, tensor)
    request.set_output_tensor(0, tensor)
    request.infer()
    request.infer()
    found = np.empty(SHAPE, np.float32)
    tensor.copy_to(found)
    np.testing.assert_array_equal(found, twice)


def test_runs_that_are_joined_bring_what_they_read_through_the_host():
    """Two requests in one batch: their inputs are joined on the host, so the whole batch crosses both ways."""
    bench = Bench()
    model = bench.core.compile_model(net(), "BATCH:SIM(2)", {"AUTO_BATCH_TIMEOUT": 60_000})
    context = bench.core.default_context("SIM")
    requests = [model.create_infer_request() for _ in range(2)]
    outputs = [context.create_tensor(np.float32, SHAPE) for _ in requests]
    for seed, (request, output) in enumerate(zip(requests, outputs, strict=True)):
        request.set_input_tensor(0, context.create_tensor(np.float32, SHAPE, numbers(seed)))
        request.set_output_tensor(0, output)
    bench.crossed()
    for request in requests:
        request.start_async()
    for request in requests:
        request.wait()
    nbytes = 2 * int(np.prod(SHAPE)) * 2  # two items, float16
    assert bench.crossed() == [{Engine.UPLOAD: nbytes, Engine.DOWNLOAD: nbytes}]
    alone = bench.core.compile_model(net(), "SIM")
    for seed, output in enumerate(outputs):
        found = np.empty(SHAPE, np.float32)
        output.copy_to(found)
        np.testing.assert_array_equal(found, alone(numbers(seed))[0])


def test_auto_takes_tensors_of_the_device_once_it_runs_there():
    bench = Bench()
    model = bench.core.compile_model(net(), "AUTO:SIM,CPU")
    assert hasattr(model, "auto")
    model.wait_ready(60)
    context, x = bench.core.default_context("SIM"), numbers(1)
    request = model.create_infer_request()
    request.set_input_tensor(0, context.create_tensor(np.float32, SHAPE, x))
    bench.crossed()
    found = request.infer()[0]
    assert [each[Engine.UPLOAD] for each in bench.crossed()] == [0]
    np.testing.assert_array_equal(found, bench.core.compile_model(net(), "SIM")(x)[0])


def test_the_cpu_in_place_of_a_device_that_failed_reads_through_the_host():
    """What a device that only failed holds is brought; what a lost one held is gone, whoever is to read it."""
    bench = Bench()
    model = bench.core.compile_model(net(), "HETERO:SIM,CPU", {"ON_DEVICE_ERROR": "FALLBACK"})
    context, x = bench.core.default_context("SIM"), numbers(1)
    request = model.create_infer_request()
    request.set_input_tensor(0, context.create_tensor(np.float32, SHAPE, x))
    bench.device.inject(Faults(timeout=(1,)))
    found = request.infer()[0]
    assert context.bytes_to_host == x.nbytes
    np.testing.assert_allclose(found, bench.core.compile_model(net(), "CPU")(x)[0], atol=1e-5)
    bench.device.inject(Faults(lost=(1,)))
    with pytest.raises(DeviceLost, match="is gone: its device was lost"):
        request.infer()


def test_a_host_tensor_is_read_without_a_copy():
    core = Core()
    model, x = core.compile_model(net(), "NPU"), numbers(1)
    tensor = core.default_context("NPU").create_host_tensor(np.float32, SHAPE)
    tensor.data[...] = x
    request = model.create_infer_request()
    request.set_input_tensor(0, tensor)
    found = request.infer()[0]
    assert [each.port for each in request.copies] == [model.output()]
    np.testing.assert_array_equal(found, model(x)[0])


def test_many_threads_hand_tensors_on():
    """Each runs two models one after the other, over a tensor on the device; all of it is given back."""
    bench = Bench()
    first, second = (bench.core.compile_model(net(channels), "SIM") for channels in (16, 24))
    context = bench.core.default_context("SIM")
    expected = [second(first(numbers(seed))[0])[0] for seed in range(4)]
    before = context.allocated_bytes

    def both(seed: int) -> bool:
        a, b = first.create_infer_request(), second.create_infer_request()
        for _ in range(3):
            between = context.create_tensor(np.float32, SHAPE)
            a.set_output_tensor(0, between)
            b.set_input_tensor(0, between)
            a.infer(numbers(seed))
            found = b.infer()[0]
        return np.array_equal(found, expected[seed])

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(both, range(4))) == [True] * 4
    gc.collect()
    assert context.allocated_bytes == before
