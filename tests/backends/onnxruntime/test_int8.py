"""Quantized models run on ONNX Runtime's integer kernels, and their sums do not overflow."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import onnx
import pytest
from lite_delegate_kernels import NodeQuantization, Quantization

from lite_delegate import Context, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.backends.onnxruntime.session import optimized
from lite_delegate.conformance.chain import Chain, ChainNode, chain_graph
from lite_delegate.conformance.patterns.all import all_patterns

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(14)
X, Y = Quantization((0.5,), (-3,)), Quantization((64.0,), (4,))


def on_onnx_runtime(chain: Chain, *outputs: Array) -> tuple[Model, OnnxRuntimeGraph]:
    """A model that is one graph kernel."""
    context, model = Context(), Model()
    context.set_delegate(OnnxRuntimeDelegate(threads=1))
    model.build_from_graph(chain_graph(chain, outputs), context)
    (kernel,) = model.get_graph_kernels()
    assert isinstance(kernel, OnnxRuntimeGraph)
    return model, kernel


def operators(kernel: OnnxRuntimeGraph) -> Counter[str]:
    """The operators that ONNX Runtime runs."""
    shared = kernel.shared
    content, _ = optimized(shared.model, shared.outside, shared.settings)
    return Counter(node.op_type for node in onnx.load_from_string(content).graph.node)


def product(op_type: str, x: Array, weight: Array, scales: tuple[float, ...], **attributes: Any) -> Chain:
    q = NodeQuantization((X, Quantization(scales, (0,) * len(scales))), (Y,))
    node = ChainNode("product", op_type, ("x", "w"), ("y",), attributes, q)
    return Chain("product", (node,), {"x": x}, {"w": weight}, ("y",))


def expected(x: Array, weight: Array, scales: tuple[float, ...]) -> Array:
    """``x @ weight`` in whole numbers, and what stands for it."""
    total = (x.astype(np.int64) + 3) @ weight.astype(np.int64)
    return np.clip(np.round(total * (0.5 * np.array(scales) / 64.0)) + 4, -128, 127)


def extreme(shape: tuple[int, ...]) -> Array:
    """Integers at the ends of the range, whose products overflow 16 bits in pairs."""
    return np.where(RNG.random(shape) < 0.75, 127, -128).astype(np.int8)


@pytest.mark.parametrize("scales", [(0.1,), tuple(np.linspace(0.01, 0.1, 8).tolist())])
def test_a_convolution_does_not_overflow(scales: tuple[float, ...]) -> None:
    x, weight = extreme((1, 5, 5, 64)), extreme((8, 1, 1, 64))
    chain = product("Conv2DFusion", x, weight, scales, kernel_size=(1, 1), group=1)
    want = expected(x, weight.reshape(8, 64).T, scales)
    model, _ = on_onnx_runtime(chain, want.astype(np.int8))
    (y,) = model.predict([x])
    assert np.abs(y.data - want).max() <= 1
    assert len(np.unique(want)) > 10


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("scales", [(0.1,), tuple(np.linspace(0.01, 0.1, 8).tolist())])
def test_a_product_takes_a_scale_for_each_column(scales: tuple[float, ...], transposed: bool) -> None:
    x, weight = extreme((5, 64)), extreme((64, 8))
    handed = np.ascontiguousarray(weight.T) if transposed else weight
    chain = product("MatMulFusion", x, handed, scales, transpose_b=transposed)
    want = expected(x, weight, scales)
    model, _ = on_onnx_runtime(chain, want.astype(np.int8))
    (y,) = model.predict([x])
    assert np.abs(y.data - want).max() <= 1


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("conv_max_pool", {"QLinearConv": 1}),
        ("residual_no_activation", {"QLinearConv": 1}),
        ("conv_conv_pool", {"QLinearConv": 2}),
    ],
)
def test_chains_run_on_integer_kernels(name: str, found: dict[str, int]) -> None:
    (pattern,) = (each for each in all_patterns(names=["8-bit"]) if each.name == name)
    _, kernel = on_onnx_runtime(pattern.chain)
    ran = operators(kernel)
    assert {op: ran[op] for op in found} == found
