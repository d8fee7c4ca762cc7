"""What crossing is estimated to cost: beside the timeline of programs, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import Context, DataType, Model, Tensor
from lite_delegate.ir import Graph, Node, constant, make_primitive
from lite_delegate.npu import NPUDelegate
from tests.runtime.graphs import unary, value


def tensor(shape: tuple[int, ...] | None, dtype: DataType = DataType.FLOAT32) -> Tensor:
    return Tensor.describe("t", dtype, shape)


def relu(shape: tuple[int, ...]) -> Graph:
    x = value("x", shape)
    node = unary("relu", x)
    return Graph("main", [x], [node.outputs[0]], [node])


def conv() -> Graph:
    x, y = value("x", (1, 8, 8, 4)), value("y", (1, 8, 8, 6))
    weight = constant("w", np.ones((6, 3, 3, 4), np.float32))
    primitive = make_primitive("Conv2DFusion", kernel_size=(3, 3), group=1, pad_list=(1, 1, 1, 1), pad_mode="PAD")
    return Graph("main", [x], [y], [Node("conv", primitive, [x, weight], [y])])


@pytest.mark.parametrize("graph", [conv(), relu((7, 9)), relu((50,))], ids=["packed", "matrix", "vector"])
@pytest.mark.parametrize("profile", ["kirin", "npu3720", "generic"])
def test_what_crosses_costs_what_the_program_says(graph: Graph, profile: str) -> None:
    delegate = NPUDelegate(profile)
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(graph, context)
    (kernel,) = model.get_graph_kernels()
    estimate = kernel.estimate()
    assert estimate is not None
    assert estimate.launch_us == delegate.profile.compute.launch_us
    assert estimate.input_us == pytest.approx([delegate.estimate_transfer(t) for t in kernel.inputs])
    assert estimate.output_us == pytest.approx([delegate.estimate_transfer(t) for t in kernel.outputs])


def test_a_transfer_by_hand() -> None:
    # kirin: 200 cycles to set up, 24 bytes a cycle, 720 MHz. 100 float16 numbers: 200 / 24, rounded up.
    assert NPUDelegate("kirin").estimate_transfer(tensor((100,))) == pytest.approx((200 + 9) / 720)
    # NHWC to NCHW moves 5 * 5 * 2 numbers one by one.
    assert NPUDelegate("kirin").estimate_transfer(tensor((1, 5, 5, 2))) == pytest.approx((200 + 50) / 720)
    # One channel: nothing moves, 25 numbers.
    assert NPUDelegate("kirin").estimate_transfer(tensor((1, 5, 5, 1))) == pytest.approx((200 + 3) / 720)


def test_layout_nhwc_takes_a_second_transfer() -> None:
    delegate = NPUDelegate("kirin", options={"VPU_COMPUTE_LAYOUT": "VPU_NHWC"})
    assert delegate.estimate_transfer(tensor((1, 5, 5, 2))) == pytest.approx((200 + 50 + 200 + 5) / 720)


def test_what_has_no_size_has_no_estimate() -> None:
    assert NPUDelegate("kirin").estimate_transfer(tensor((-1, 3))) is None
    assert NPUDelegate("kirin").estimate_transfer(tensor(None)) is None


def test_the_version_tells_devices_apart() -> None:
    turbo = NPUDelegate("npu3720", options={"NPU_TURBO": "YES"})
    assert len({NPUDelegate("kirin").version(), NPUDelegate("npu3720").version(), turbo.version()}) == 3
