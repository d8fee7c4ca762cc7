"""A real model, wholly on the device, within the errors derived layer by layer for float16 storage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Model, ModelType, Tensor
from lite_delegate.formats.ms import read_ms
from lite_delegate.ir import Graph, Node
from lite_delegate.ir.primitives import MaxPoolFusion
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.semantics.error_bounds import matmul_deviation, matmul_error, storage_deviation, storage_error
from tests.present import data_of

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Exact numbers (float64), a bound on the device's error, and the standard deviation to expect of it."""
SIGMAS = 6
"""A normally distributed error is beyond six standard deviations once in 500 million numbers."""


def evaluate(graph: Graph, x: np.ndarray) -> Arrays:
    """The model in float64, with its errors carried along; only what LeNet has."""
    known: dict[object, Arrays] = {graph.inputs[0]: (x.astype(np.float64), storage_error(x), storage_deviation(x))}
    for node in graph.nodes:
        known[node.outputs[0]] = STEPS[node.op_type](node, *known[node.inputs[0]])
    return known[graph.outputs[0]]


def conv(node: Node, *arrays: np.ndarray) -> Arrays:
    """VALID, stride 1: a matrix product over windows; NHWC and KHWC."""
    weight = data_of(node, 1)
    k, height, width, _ = weight.shape
    flat = weight.reshape(k, -1).T
    windows = (
        np.lib.stride_tricks.sliding_window_view(a, (height, width), axis=(1, 2)).transpose(0, 1, 2, 4, 5, 3)
        for a in arrays
    )
    return product(node, flat, None, *(w.reshape(*w.shape[:3], -1) for w in windows))


def matmul(node: Node, *arrays: np.ndarray) -> Arrays:
    bias = data_of(node, 2) if len(node.inputs) > 2 else None
    return product(node, data_of(node, 1).T, bias, *arrays)


def product(node: Node, weight: np.ndarray, bias: np.ndarray | None, x: np.ndarray, *errors: np.ndarray) -> Arrays:
    y = x @ weight.astype(np.float64) + (0 if bias is None else bias)
    primitive: Any = node.primitive
    fused = primitive.activation_type.name
    assert fused in ("NO_ACTIVATION", "RELU")
    bounds = matmul_error(x, weight, bias, errors[0]), matmul_deviation(x, weight, bias, errors[1])
    return (np.maximum(y, 0) if fused == "RELU" else y), *bounds


def max_pool(node: Node, *arrays: np.ndarray) -> Arrays:
    """2x2, stride 2: the maximum is off by no more than the worst of its window."""
    assert isinstance(node.primitive, MaxPoolFusion)
    assert node.primitive.kernel_size == node.primitive.strides == (2, 2)
    n, h, w, c = arrays[0].shape
    return tuple(a.reshape(n, h // 2, 2, w // 2, 2, c).max(axis=(2, 4)) for a in arrays)


STEPS = {
    "Conv2DFusion": conv,
    "MatMulFusion": matmul,
    "MaxPoolFusion": max_pool,
    "Activation": lambda node, x, *errors: (np.maximum(x, 0), *errors),
    "Transpose": lambda node, *arrays: tuple(a.transpose(node.inputs[1].data) for a in arrays),
    "Reshape": lambda node, *arrays: tuple(a.reshape(node.inputs[1].data) for a in arrays),
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
    exact, bound, deviation = evaluate(read_ms(path), given)
    np.testing.assert_allclose(exact, want, rtol=0, atol=1e-9)
    (got,) = model.predict([Tensor(given)])
    error = np.abs(got.data - exact)
    assert (error <= bound).all()
    assert (error <= SIGMAS * deviation).all()
    assert SIGMAS * deviation.max() < 0.02 * np.abs(exact).max(), "an expectation that says nothing"
