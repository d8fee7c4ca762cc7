"""A real model, wholly on the device, within the error bound derived layer by layer for float16 storage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Context, Model, ModelType, Tensor
from lite_delegate.formats.ms import read_ms
from lite_delegate.ir import Graph, Node
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.error_bounds import matmul_error, storage_error

Bounded = tuple[np.ndarray, np.ndarray]
"""Exact numbers (float64), and how far the device's may be from them."""


def evaluate(graph: Graph, x: np.ndarray) -> Bounded:
    """The model in float64, with the bound carried along; only what LeNet has."""
    known: dict[object, Bounded] = {graph.inputs[0]: (x.astype(np.float64), storage_error(x))}
    for node in graph.nodes:
        known[node.outputs[0]] = STEPS[node.op_type](node, *known[node.inputs[0]])
    return known[graph.outputs[0]]


def conv(node: Node, x: np.ndarray, error: np.ndarray) -> Bounded:
    """VALID, stride 1: a matrix product over windows; NHWC and KHWC."""
    weight = node.inputs[1].data
    k, height, width, _ = weight.shape
    flat = weight.reshape(k, -1).T
    windows, errors = (
        np.lib.stride_tricks.sliding_window_view(a, (height, width), axis=(1, 2)).transpose(0, 1, 2, 4, 5, 3)
        for a in (x, error)
    )
    rows = (*windows.shape[:3], -1)
    return product(windows.reshape(rows), flat, None, errors.reshape(rows), node)


def matmul(node: Node, x: np.ndarray, error: np.ndarray) -> Bounded:
    bias = node.inputs[2].data if len(node.inputs) > 2 else None
    return product(x, node.inputs[1].data.T, bias, error, node)


def product(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, error: np.ndarray, node: Node) -> Bounded:
    bound = matmul_error(x, weight, bias, error)
    y = x @ weight.astype(np.float64) + (0 if bias is None else bias)
    fused = node.primitive.activation_type.name
    assert fused in ("NO_ACTIVATION", "RELU")
    return (np.maximum(y, 0) if fused == "RELU" else y), bound


def max_pool(node: Node, x: np.ndarray, error: np.ndarray) -> Bounded:
    """2x2, stride 2: the maximum is off by no more than the worst of its window."""
    assert node.primitive.kernel_size == node.primitive.strides == (2, 2)
    n, h, w, c = x.shape
    return tuple(a.reshape(n, h // 2, 2, w // 2, 2, c).max(axis=(2, 4)) for a in (x, error))


STEPS = {
    "Conv2DFusion": conv,
    "MatMulFusion": matmul,
    "MaxPoolFusion": max_pool,
    "Activation": lambda node, x, error: (np.maximum(x, 0), error),
    "Transpose": lambda node, x, error: tuple(a.transpose(node.inputs[1].data) for a in (x, error)),
    "Reshape": lambda node, x, error: tuple(a.reshape(node.inputs[1].data) for a in (x, error)),
}


@pytest.mark.shared
def test_lenet_runs_on_the_device_alone_within_the_derived_bound(shared_models: Path) -> None:
    path = shared_models / "lenet_tod_infer.ms"
    context = Context()
    context.set_delegate(NPUDelegate())
    model = Model()
    model.build_from_file(path, ModelType.MINDIR_LITE, context)
    assert [node.subgraph for node in model.get_partition().nodes] == ["NpuGraph0"] * 13
    with np.load(shared_models / "lenet_tod_infer.npz") as expected:
        (given,) = (expected[name] for name in expected.files if name.startswith("in:"))
        (want,) = (expected[name] for name in expected.files if name.startswith("out:"))
    exact, bound = evaluate(read_ms(path), given)
    np.testing.assert_allclose(exact, want, rtol=0, atol=1e-9)
    (got,) = model.predict([Tensor(given)])
    assert (np.abs(got.data - exact) <= bound).all()
    assert bound.max() < 0.02 * np.abs(exact).max(), "a bound that says nothing"
