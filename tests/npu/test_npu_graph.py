"""The graph kernel: packing, running, failing, forking."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lite_delegate.errors import DelegateExecuteError, ResizeUnsupported
from lite_delegate.ir import DataType
from lite_delegate.npu import NPUDelegate
from lite_delegate.tensor import Tensor
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
def test_an_input_of_another_shape_is_refused_by_name(shape, message):
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
