"""What options change in programs and in how they run; never what they compute."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from threading import Barrier, Thread

import numpy as np
import pytest

from lite_delegate.npu import Device, NPUDelegate
from lite_delegate.npu.compiler.compile import compile_run
from lite_delegate.npu.device.turns import Turns
from tests.npu.graphs import const, graph_of, half, model_of, node, out, predict, variable

SHAPE = (1, 6, 5, 3)
IDENTITY, PACKED, UNPACKED = (0, 1, 2, 3), (0, 3, 1, 2), (0, 2, 3, 1)


def convolution():
    x, weight = variable("x", SHAPE), const("w", half((4, 3, 3, 3), 1).astype(np.float32))
    conv = node("Conv2DFusion", [x, weight], (1, 4, 3, 4), kernel_size=[3, 3], stride=[1, 1], pad_mode="VALID", group=1)
    return x, conv


def compiled(delegate):
    _, conv = convolution()
    return compile_run([conv], model_of([conv], [out(conv)]).boundary_of([conv]), delegate.target)


def result(delegate) -> np.ndarray:
    x, conv = convolution()
    return predict([conv], {x: half(SHAPE, 2).astype(np.float32)}, delegate=delegate)[0].copy()


@pytest.mark.shows("NPU", "VPU_COMPUTE_LAYOUT")
@pytest.mark.parametrize(
    ("layout", "axes", "permutes"), [("VPU_AUTO", PACKED, 0), ("VPU_NCHW", PACKED, 0), ("VPU_NHWC", IDENTITY, 2)]
)
def test_the_compute_layout_says_who_permutes(layout, axes, permutes):
    program = compiled(NPUDelegate(options={"VPU_COMPUTE_LAYOUT": layout}))
    assert [port.axes for port in program.module.inputs] == [axes]
    assert [port.axes for port in program.module.outputs] == [axes]
    assert sum(step.opcode == "Permute" for step in program.program.steps) == permutes


@pytest.mark.parametrize(
    "options",
    [
        {"VPU_COMPUTE_LAYOUT": "VPU_NHWC"},
        {"COMPILATION_NUM_THREADS": 1},
        {"COMPILATION_NUM_THREADS": 7},
        {"NPU_COMPILATION_MODE_PARAMS": "optimization-level=0"},
        {"NPU_COMPILATION_MODE_PARAMS": "optimization-level=2"},
        {"VPU_HW_STAGES_OPTIMIZATION": "NO"},
        {"NPU_TURBO": "YES"},
        {"NPU_TILES": 6},
        {"NPU_TILES": 1},
        {"NPU_DEFER_WEIGHTS_LOAD": "YES"},
        {"ENABLE_CPU_PINNING": "YES"},
        {"EXCLUSIVE_ASYNC_REQUESTS": "YES"},
        {"MODEL_PRIORITY": "HIGH"},
        {"WORKLOAD_TYPE": "EFFICIENT"},
        {"TRANSFER_CHUNK": 1024},
    ],
)
def test_results_do_not_depend_on_options(options):
    np.testing.assert_array_equal(result(NPUDelegate("npu4000", options=options)), result(NPUDelegate("npu4000")))


def test_precision_is_the_option_that_results_depend_on():
    x, conv = convolution()
    fed = half(SHAPE, 2).astype(np.float32)
    exact = np.zeros((1, 4, 3, 4))
    weight = conv.inputs[1].data
    for position in np.ndindex(*exact.shape):
        _, i, j, c = position
        exact[position] = np.sum(fed[0, i : i + 3, j : j + 3].astype(np.float64) * weight[c])
    fine = predict([conv], {x: fed}, delegate=NPUDelegate(options={"INFERENCE_PRECISION_HINT": "f32"}))[0]
    assert np.abs(fine - exact).max() < 1e-5
    assert np.abs(result(NPUDelegate()) - exact).max() > 1e-4


class Watched(Device):
    """Notes how each program gets its turn, and what CPUs the thread had."""

    def __init__(self) -> None:
        super().__init__()
        self.cpus: list[int] = []
        self.asked: list[tuple[Fraction, int]] = []
        queue, asked = self.turns, self.asked

        class Noting(Turns):
            def turn(self, share, priority=0, owner=None):
                asked.append((share, int(priority)))
                return queue.turn(share, priority, owner)

        self.turns = Noting()

    def run(self, loaded, inputs, **options):
        if hasattr(os, "sched_getaffinity"):
            self.cpus.append(len(os.sched_getaffinity(0)))
        return super().run(loaded, inputs, **options)


@pytest.mark.shows("NPU", "EXCLUSIVE_ASYNC_REQUESTS")
@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({}, (Fraction(2, 3), 1)),
        ({"NPU_TILES": 2, "MODEL_PRIORITY": "LOW"}, (Fraction(1, 3), 0)),
        ({"NPU_TILES": 2, "MODEL_PRIORITY": "HIGH"}, (Fraction(1, 3), 2)),
        ({"NPU_TILES": 2, "MODEL_PRIORITY": "HIGH", "WORKLOAD_TYPE": "EFFICIENT"}, (Fraction(1, 3), -1)),
        ({"NPU_TILES": 2, "EXCLUSIVE_ASYNC_REQUESTS": "YES"}, (Fraction(1), 1)),
    ],
)
def test_a_program_asks_for_its_tiles_with_its_priority(options, asked):
    device = Watched()
    result(NPUDelegate("npu4000", device=device, options=options))
    assert device.asked == [asked]


def test_forks_run_side_by_side_as_far_as_tiles_go():
    both = Barrier(2)

    class Meeting(Device):
        def run(self, loaded, inputs, **options):
            both.wait(10.0)
            return super().run(loaded, inputs, **options)

    x, conv = convolution()
    graph = graph_of([conv], [out(conv)], NPUDelegate("npu4000", device=Meeting(), options={"NPU_TILES": 3}))
    x.data = half(SHAPE, 2).astype(np.float32)
    forks = [graph.fork(graph.inputs, [variable(f"y{i}", (1, 4, 3, 4))]) for i in range(2)]
    threads = [Thread(target=fork.execute) for fork in forks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not both.broken


@pytest.mark.shows("NPU", "ENABLE_CPU_PINNING")
@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot pin threads")
def test_pinning_keeps_the_thread_on_one_cpu_while_the_device_runs():
    free, pinned = Watched(), Watched()
    before = os.sched_getaffinity(0)
    result(NPUDelegate(device=free))
    result(NPUDelegate(device=pinned, options={"ENABLE_CPU_PINNING": "YES"}))
    assert (free.cpus, pinned.cpus) == ([len(before)], [1])
    assert os.sched_getaffinity(0) == before


def test_weights_are_loaded_with_the_model_or_with_the_first_prediction():
    for defer in (False, True):
        x, conv = convolution()
        delegate = NPUDelegate(options={"NPU_DEFER_WEIGHTS_LOAD": defer})
        graph = graph_of([conv], [out(conv)], delegate)
        assert (delegate.get_property("NPU_DEVICE_ALLOC_MEM_SIZE") == 0) is defer
        x.data = half(SHAPE, 2).astype(np.float32)
        graph.execute()
        allocated = delegate.get_property("NPU_DEVICE_ALLOC_MEM_SIZE")
        assert isinstance(allocated, int)
        assert allocated > 0


def test_options_apply_to_what_is_built_afterwards():
    delegate = NPUDelegate("npu4000", options={"NPU_TILES": 1})
    x, conv = convolution()
    graph = graph_of([conv], [out(conv)], delegate)
    delegate.set_property({"NPU_TILES": 6})
    assert [model.target.tiles for model in graph.models] == [1]
    assert [model.target.tiles for model in graph_of([conv], [out(conv)], delegate).models] == [6]
    assert replace(delegate.target, tiles=1) == graph.models[0].target
    assert x.name == "x"
