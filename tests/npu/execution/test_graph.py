"""The graph kernel: packing, running, failing, forking."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lite_delegate.errors import DelegateBuildError, DelegateExecuteError, DeviceLost, ResizeUnsupported
from lite_delegate.ir import DataType
from lite_delegate.npu import Device, Faults, NPUDelegate
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import HostKernel, const, graph_of, ints, model_of, node, out, small_ints, variable

SHAPE = (1, 6, 5, 2)
WEIGHT = small_ints((4, 3, 3, 2), 1)
BIAS = small_ints((4,), 2)


def network() -> tuple[Tensor, list[HostKernel]]:
    """Convolution, pool, flatten, product: whole numbers in, whole numbers out."""
    x = variable("x", SHAPE)
    conv = node("Conv2DFusion", [x, const("w", WEIGHT), const("b", BIAS)], (1, 4, 3, 4), group=1, stride=(1, 1))
    pool = node("MaxPoolFusion", [out(conv)], (1, 2, 1, 4), kernel_size=(2, 2), strides=(2, 2))
    flat = node("Reshape", [out(pool), ints(1, 8)], (1, 8))
    last = node("MatMulFusion", [out(flat), const("m", small_ints((8, 3), 3))], (1, 3))
    return x, [conv, pool, flat, last]


def expected(x: np.ndarray) -> np.ndarray:
    conv = np.zeros((4, 3, 4))
    for r, s, o in np.ndindex(4, 3, 4):
        conv[r, s, o] = (x[0, r : r + 3, s : s + 3] * WEIGHT[o]).sum() + BIAS[o]
    pool = np.array([conv[2 * r : 2 * r + 2, 0:2].max((0, 1)) for r in range(2)])
    return np.asarray(pool.reshape(1, 8) @ small_ints((8, 3), 3))


def test_execute_reads_inputs_and_sets_outputs():
    x, kernels = network()
    graph = graph_of(kernels, [out(kernels[-1])])
    for seed in range(3):
        fed = small_ints(SHAPE, seed)
        x.data = fed
        graph.execute()
        np.testing.assert_array_equal(out(kernels[-1]).data, expected(fed))
        np.testing.assert_array_equal(fed, small_ints(SHAPE, seed))


def test_outputs_are_contiguous_and_of_the_model_dtype():
    x, kernels = network()
    conv = kernels[0]
    graph = graph_of(kernels, [out(conv), out(kernels[-1])])
    x.data = small_ints(SHAPE, 1)
    graph.execute()
    for tensor in graph.outputs:
        assert tensor.data.dtype == np.float32
        assert tensor.data.flags.c_contiguous
        assert tensor.data.flags.writeable


def test_an_output_of_an_earlier_execution_stays_as_it_was():
    x, kernels = network()
    graph = graph_of(kernels, [out(kernels[-1])])
    x.data = small_ints(SHAPE, 1)
    graph.execute()
    first = out(kernels[-1]).data
    kept = first.copy()
    x.data = small_ints(SHAPE, 2)
    graph.execute()
    np.testing.assert_array_equal(first, kept)
    assert out(kernels[-1]).data is not first


@pytest.mark.parametrize("dtype", [DataType.FLOAT32, DataType.FLOAT16])
def test_an_output_never_shares_memory_with_an_input(dtype):
    x = variable("x", (2, 3), dtype)
    kernel = node("Reshape", [x, ints(6)], (6,), dtype)
    graph = graph_of([kernel], [out(kernel)])
    x.data = np.ones((2, 3), np.float16 if dtype is DataType.FLOAT16 else np.float32)
    graph.execute()
    assert not np.shares_memory(out(kernel).data, x.data)


def test_an_input_in_any_memory_order_is_read_right():
    x, kernels = network()
    graph = graph_of(kernels, [out(kernels[-1])])
    fed = small_ints(SHAPE, 4)
    x.data = np.asfortranarray(fed)
    graph.execute()
    np.testing.assert_array_equal(out(kernels[-1]).data, expected(fed))


def test_values_beyond_float16_cross_as_infinity_without_a_warning():
    x = variable("x", (3,))
    kernel = node("Neg", [x], (3,))
    graph = graph_of([kernel], [out(kernel)])
    x.data = np.array([65519, 65520, -1e30], np.float32)
    graph.execute()
    assert out(kernel).data.tolist() == [-65504, -np.inf, np.inf]


def test_execute_needs_prepare():
    x, kernels = network()
    delegate = NPUDelegate()
    delegate.init()
    model = model_of(kernels, [out(kernels[-1])])
    delegate.build(model)
    (graph,) = model
    x.data = small_ints(SHAPE, 1)
    with pytest.raises(DelegateExecuteError, match="Graph kernel 'NpuGraph0': must be prepared"):
        graph.execute()


def test_prepare_twice_loads_once():
    _, kernels = network()
    graph = graph_of(kernels, [out(kernels[-1])])
    loaded = graph.models[0].loaded
    graph.prepare()
    assert loaded is not None
    assert graph.models[0].loaded is loaded


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((1, 6, 5, 3), r"Input buffer 0: expected float16 .* \(120 bytes\), got float16 \(1,"),
        ((6, 5, 2), r"expected an input of 4 dimensions, got shape \(6, 5, 2\)"),
    ],
)
def test_an_input_of_another_shape_is_rejected_by_name(shape, message):
    x, kernels = network()
    graph = graph_of(kernels, [out(kernels[-1])])
    x.data = small_ints(shape, 1)
    with pytest.raises(DelegateExecuteError, match=f"Graph kernel 'NpuGraph0': {message}"):
        graph.execute()


def test_a_failing_device_is_reported_by_name_and_the_graph_runs_again_after_it():
    x, kernels = network()
    delegate = NPUDelegate()
    graph = graph_of(kernels, [out(kernels[-1])], delegate)
    x.data = small_ints(SHAPE, 1)
    delegate.device.close()
    with pytest.raises(DelegateExecuteError, match="Graph kernel 'NpuGraph0': The device must be open"):
        graph.execute()
    delegate.device.open()
    graph.execute()
    np.testing.assert_array_equal(out(kernels[-1]).data, expected(x.data))


def test_resize_asks_for_a_new_plan():
    _, kernels = network()
    with pytest.raises(ResizeUnsupported):
        graph_of(kernels, [out(kernels[-1])]).resize()


def test_the_program_needs_no_constants_of_the_model_once_prepared():
    x, kernels = network()
    graph = graph_of(kernels, [out(kernels[-1])])
    for kernel in kernels:
        for tensor in kernel.inputs:
            if tensor.is_const:
                tensor.bind(None)
    x.data = small_ints(SHAPE, 5)
    graph.execute()
    np.testing.assert_array_equal(out(kernels[-1]).data, expected(small_ints(SHAPE, 5)))


def test_forks_share_the_program_and_run_at_the_same_time():
    _, kernels = network()
    graph = graph_of(kernels, [out(kernels[-1])])
    fed = [small_ints(SHAPE, seed) for seed in range(16)]
    together = threading.Barrier(8)

    def run(array: np.ndarray) -> np.ndarray:
        x, y = variable("x", SHAPE), variable("y", (1, 3))
        fork = graph.fork([x], [y])
        assert fork.models is graph.models
        x.data = array
        together.wait(timeout=30)
        for _ in range(20):
            fork.execute()
        return y.data

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(run, fed))
    for array, result in zip(fed, results, strict=True):
        np.testing.assert_array_equal(result, expected(array))


def test_a_fork_has_the_name_and_the_tensors_it_was_given():
    _, kernels = network()
    graph = graph_of(kernels, [out(kernels[-1])])
    x, y = variable("x", SHAPE), variable("y", (1, 3))
    fork = graph.fork([x], [y])
    assert (fork.name, fork.type, fork.inputs, fork.outputs) == (graph.name, graph.type, (x,), (y,))


# Runs of several parts.


def branches(count: int, delegate: NPUDelegate | None = None) -> tuple[list[Tensor], list[HostKernel], NPUGraph]:
    """Chains y = -(x + 1), interleaved: all first kernels, then all second ones."""
    inputs = [variable(f"x{i}", (2, 3)) for i in range(count)]
    heads = [node("AddFusion", [x, const("one", np.float32(1))], (2, 3)) for x in inputs]
    tails = [node("Neg", [out(head)], (2, 3)) for head in heads]
    for i, (head, tail) in enumerate(zip(heads, tails, strict=True)):
        head.name, tail.name = f"head{i}", f"tail{i}"
    return inputs, tails, graph_of([*heads, *tails], [out(k) for k in reversed(tails)], delegate)


def test_unconnected_parts_are_device_models_of_their_own():
    delegate = NPUDelegate()
    inputs, tails, graph = branches(3, delegate)
    assert [model.layers for model in graph.models] == [(f"head{i}", f"tail{i}") for i in range(3)]
    assert delegate.device.programs == 3
    assert len({id(model.loaded) for model in graph.models}) == 3
    for i, x in enumerate(inputs):
        x.data = small_ints((2, 3), i)
    graph.execute()
    for i, tail in enumerate(tails):
        np.testing.assert_array_equal(out(tail).data, -(small_ints((2, 3), i) + 1))


def test_a_connected_run_is_one_device_model():
    _, kernels = network()
    (model,) = graph_of(kernels, [out(kernels[-1])]).models
    assert model.layers == ("Conv2DFusion", "MaxPoolFusion", "Reshape", "MatMulFusion")


def test_parts_run_by_themselves_in_any_order_and_at_the_same_time():
    inputs, _, graph = branches(2)
    arrays = [small_ints((2, 3), i) for i in range(2)]
    assert len(inputs) == 2
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda n: (n % 2, graph.models[n % 2].run(arrays)), reversed(range(40))))
    for number, ((result,), _) in done:
        np.testing.assert_array_equal(result, -(arrays[number] + 1))


def test_a_tensor_that_two_parts_read_is_packed_for_each():
    x = variable("x", (2, 3))
    one, two = node("Neg", [x], (2, 3)), node("Abs", [x], (2, 3))
    graph = graph_of([one, two], [out(one), out(two)])
    assert len(graph.models) == 2
    assert graph.inputs == (x,)
    x.data = small_ints((2, 3), 1)
    graph.execute()
    np.testing.assert_array_equal(out(one).data, -x.data)
    np.testing.assert_array_equal(out(two).data, np.abs(x.data))


def test_a_failure_names_the_part_and_leaves_the_outputs_alone():
    device = Device(faults=Faults(timeout=(2,)))
    inputs, tails, graph = branches(3, NPUDelegate(device=device))
    for x in inputs:
        x.data = np.zeros((2, 3), np.float32)
    with pytest.raises(
        DelegateExecuteError,
        match=r"^Graph kernel 'NpuGraph0', part 2 of 3 \('head1' to 'tail1'\): The run took",
    ):
        graph.execute()
    assert not any(out(tail).has_data for tail in tails)
    graph.execute()
    assert all((out(tail).data == -1).all() for tail in tails)


def test_a_lost_device_is_told_from_other_failures():
    inputs, _, graph = branches(1, NPUDelegate(device=Device(faults=Faults(lost=(1,)))))
    inputs[0].data = np.zeros((2, 3), np.float32)
    with pytest.raises(DeviceLost, match=r"^Graph kernel 'NpuGraph0': The device was lost"):
        graph.execute()


def test_prepare_loads_all_parts_or_none():
    device = Device(faults=Faults(no_memory=(3,)))
    device.open()
    kernels = [node("Neg", [variable(f"x{i}", (2, 3))], (2, 3)) for i in range(3)]
    model = model_of(kernels, [out(k) for k in kernels])
    NPUDelegate(device=device).build(model)
    (graph,) = model
    with pytest.raises(DelegateBuildError, match=r"NpuGraph0', part 3 of 3 \('Neg' to 'Neg'\): .* no memory"):
        graph.prepare()
    assert device.programs == 0


@pytest.mark.parametrize("wrong", [np.zeros((3, 1), np.float16), np.zeros((1, 3), np.float32)])
def test_a_result_of_a_wrong_size_or_type_is_rejected(wrong: np.ndarray, monkeypatch: pytest.MonkeyPatch):
    x, kernels = network()
    delegate = NPUDelegate()
    graph = graph_of(kernels, [out(kernels[-1])], delegate)
    x.data = small_ints(SHAPE, 1)
    monkeypatch.setattr(delegate.device, "run", lambda loaded, inputs: [wrong])
    with pytest.raises(
        DelegateExecuteError,
        match=r"NpuGraph0': output buffer 0: expected float16 \(1, 3\) \(6 bytes\), the device",
    ):
        graph.execute()
    monkeypatch.setattr(delegate.device, "run", lambda loaded, inputs: [])
    with pytest.raises(DelegateExecuteError, match="NpuGraph0': expected 1 output, the device gave 0"):
        graph.execute()


# Device memory: when it is taken, and when it is given back.


def deferring(device: Device | None = None) -> NPUDelegate:
    return NPUDelegate(device=device, options={"NPU_DEFER_WEIGHTS_LOAD": True})


def test_programs_are_loaded_when_they_are_prepared():
    delegate = NPUDelegate()
    branches(2, delegate)[2].prepare()
    graph = branches(2, delegate)[2]
    assert delegate.device.programs == 2
    assert all(model.loaded is not None for model in graph.models)


def test_deferred_programs_are_loaded_when_they_first_run_and_need_no_constants_of_the_model_then():
    x, kernels = network()
    delegate = deferring()
    graph = graph_of(kernels, [out(kernels[-1])], delegate)
    assert delegate.device.programs == 0
    for kernel in kernels:
        for tensor in kernel.inputs:
            if tensor.is_const:
                tensor.bind(None)
    for seed in range(3):
        x.data = small_ints(SHAPE, seed)
        graph.execute()
        assert delegate.device.programs == 1
        np.testing.assert_array_equal(out(kernels[-1]).data, expected(x.data))


def test_forks_that_run_first_at_the_same_time_load_once():
    _, kernels = network()
    delegate = deferring(Device(faults=Faults(no_memory=range(2, 99))))
    graph = graph_of(kernels, [out(kernels[-1])], delegate)
    together = threading.Barrier(8)

    def run(seed: int) -> np.ndarray:
        x, y = variable("x", SHAPE), variable("y", (1, 3))
        fork = graph.fork([x], [y])
        x.data = small_ints(SHAPE, seed)
        together.wait(timeout=30)
        fork.execute()
        return y.data

    with ThreadPoolExecutor(8) as pool:
        for seed, result in enumerate(pool.map(run, range(8))):
            np.testing.assert_array_equal(result, expected(small_ints(SHAPE, seed)))
    assert delegate.device.programs == 1


def test_a_deferred_load_that_fails_is_a_failed_execution_and_is_tried_again():
    inputs, tails, graph = branches(1, deferring(Device(faults=Faults(no_memory=(1,)))))
    inputs[0].data = np.zeros((2, 3), np.float32)
    with pytest.raises(DelegateExecuteError, match="Graph kernel 'NpuGraph0': The device has no memory left"):
        graph.execute()
    graph.execute()
    assert (out(tails[0]).data == -1).all()


def test_device_memory_is_given_back_with_the_last_fork():
    delegate = NPUDelegate()
    inputs, tails, graph = branches(2, delegate)
    fork = graph.fork(inputs, [out(k) for k in reversed(tails)])
    del graph
    gc.collect()
    assert delegate.device.programs == 2
    for x in inputs:
        x.data = np.zeros((2, 3), np.float32)
    fork.execute()
    del fork
    gc.collect()
    assert delegate.device.programs == 0


def test_device_memory_can_be_given_back_at_once():
    delegate = NPUDelegate()
    inputs, _, graph = branches(2, delegate)
    other = branches(1, delegate)[2]
    for _ in range(2):
        graph.release()
    assert delegate.device.programs == len(other.models)
    for x in inputs:
        x.data = np.zeros((2, 3), np.float32)
    with pytest.raises(DelegateExecuteError, match=r"part 1 of 2 .* must be prepared before it can run"):
        graph.execute()


def test_a_program_of_a_lost_device_is_not_unloaded_from_the_one_that_came_back():
    device = Device(faults=Faults(lost=(1,)))
    inputs, _, first = branches(1, NPUDelegate(device=device))
    inputs[0].data = np.zeros((2, 3), np.float32)
    with pytest.raises(DeviceLost):
        first.execute()
    second = branches(1, NPUDelegate(device=device))[2]
    first.release()
    assert device.programs == len(second.models) == 1
