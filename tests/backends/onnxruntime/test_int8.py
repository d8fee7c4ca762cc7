"""Quantized models run on ONNX Runtime's integer kernels, and their sums do not overflow."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from lite_delegate_kernels import NodeQuantization, Quantization
from onnx import TensorProto

from lite_delegate import Context, Model
from lite_delegate.backends.lowering import Term
from lite_delegate.backends.lowering.lowering import Lowering
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.emitting.emitter import OnnxEmitter
from lite_delegate.backends.onnxruntime.emitting.unsigned import wants_unsigned
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.backends.onnxruntime.sessions import session
from lite_delegate.backends.onnxruntime.sessions.exactness import has_exact_products, has_integers
from lite_delegate.backends.onnxruntime.sessions.optimized import optimized
from lite_delegate.conformance.judging.chain import Chain, ChainNode, chain_graph
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
    whole = kernel.shared.whole()
    content = optimized(whole.content, whole.outside, kernel.shared.settings).content
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


def cpu_flags() -> set[str]:
    """What Linux says that the processor has."""
    found = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return next((set(line.split()) for line in found.splitlines() if line.startswith("flags")), set())


@pytest.mark.skipif("avx2" not in cpu_flags(), reason="processors of x86-64 under Linux list what they have")
def test_products_are_exact_on_processors_with_instructions_for_them() -> None:
    assert has_exact_products(onnxruntime) == bool({"avx512_vnni", "avx_vnni"} & cpu_flags())


@pytest.mark.skipif(not wants_unsigned("CPUExecutionProvider"), reason="other processors' kernels are others")
@pytest.mark.parametrize(("exact", "dtype"), [(True, TensorProto.INT8), (False, TensorProto.UINT8)])
def test_weights_stay_int8_where_products_are_exact(
    exact: bool, dtype: TensorProto.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "has_exact_products", lambda _: exact)
    x, weight = extreme((1, 5, 5, 64)), extreme((8, 1, 1, 64))
    want = expected(x, weight.reshape(8, 64).T, (0.1,))
    chain = product("Conv2DFusion", x, weight, (0.1,), kernel_size=(1, 1), group=1)
    _, kernel = on_onnx_runtime(chain, want.astype(np.int8))
    whole = kernel.shared.whole()
    content = optimized(whole.content, whole.outside, kernel.shared.settings).content
    graph = onnx.load_from_string(content).graph
    (node,) = (node for node in graph.node if node.op_type == "QLinearConv")
    (found,) = (constant.data_type for constant in graph.initializer if constant.name == node.input[3])
    assert found == dtype


def test_models_of_real_numbers_ask_for_no_products() -> None:
    x = RNG.standard_normal((2, 3)).astype(np.float32)
    chain = Chain("real", (ChainNode("add", "AddFusion", ("x", "x"), ("y",), {}, None),), {"x": x}, {}, ("y",))
    _, kernel = on_onnx_runtime(chain, x)
    assert not has_integers(kernel.shared.whole().content)


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


def test_products_share_a_weight() -> None:
    """ONNX Runtime makes one constant of each that is uint8 in place of int8, and fails at a second of the name."""
    x, weight = extreme((5, 8)), extreme((8, 8))
    w = Quantization((0.1,), (0,))
    nodes = (
        ChainNode("one", "MatMulFusion", ("x", "w"), ("y",), {}, NodeQuantization((X, w), (Y,))),
        ChainNode("two", "MatMulFusion", ("y", "w"), ("z",), {}, NodeQuantization((Y, w), (Y,))),
    )
    want = expected(x, weight, (0.1,))
    again = np.clip(np.round((want - 4) @ weight.astype(np.int64) * 0.1) + 4, -128, 127)
    chain = Chain("tied", nodes, {"x": x}, {"w": weight}, ("z",))
    (z,) = on_onnx_runtime(chain, want.astype(np.int8), again.astype(np.int8))[0].predict([x])
    assert np.abs(z.data - again).max() <= 8 * 127 * 0.1 + 1
    assert (z.data == again).mean() > 0.5


@pytest.mark.skipif(not wants_unsigned("CPUExecutionProvider"), reason="other processors' kernels are others")
def test_a_product_of_computed_integers_is_one_of_integers() -> None:
    x, other = extreme((5, 8)), extreme((8, 4))
    q = NodeQuantization((X, Quantization((0.1,), (0,))), (Y,))
    node = ChainNode("product", "MatMulFusion", ("x", "w"), ("y",), {}, q)
    chain = Chain("computed", (node,), {"x": x, "w": other}, {}, ("y",))
    want = expected(x, other, (0.1,))
    model, kernel = on_onnx_runtime(chain, want.astype(np.int8))
    (y,) = model.predict([x, other])
    assert np.abs(y.data - want).max() <= 1
    assert operators(kernel)["QGemm"] == 1


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("conv_max_pool", {"QLinearConv": 1, "DequantizeLinear": 0}),
        ("conv_fused_relu_conv", {"QLinearConv": 2}),
        ("residual_no_activation", {"QLinearConv": 1, "QLinearAdd": 1, "DequantizeLinear": 0}),
        ("residual_relu", {"QLinearConv": 1, "QLinearAdd": 1}),
        ("conv_conv_pool", {"QLinearConv": 2, "QLinearAveragePool": 1, "DequantizeLinear": 0}),
    ],
)
@pytest.mark.skipif(not wants_unsigned("CPUExecutionProvider"), reason="other processors' kernels are others")
def test_chains_run_on_integer_kernels(name: str, found: dict[str, int]) -> None:
    (pattern,) = (each for each in all_patterns(names=["8-bit"]) if each.name == name)
    _, kernel = on_onnx_runtime(pattern.chain)
    ran = operators(kernel)
    assert {op: ran[op] for op in found} == found


@pytest.mark.skipif(not wants_unsigned("CPUExecutionProvider"), reason="other processors' kernels are others")
def test_the_first_convolution_of_integers_is_one_of_integers() -> None:
    """Nothing but a transpose of integers is between the model's input and it."""
    chain = product("Conv2DFusion", extreme((1, 5, 5, 8)), extreme((8, 3, 3, 8)), (0.1,), kernel_size=(3, 3), group=1)
    ran = operators(on_onnx_runtime(chain, np.zeros((1, 3, 3, 8), np.int8))[1])
    assert ran["QLinearConv"] == 1
    assert not ran["QuantizeLinear"] + ran["DequantizeLinear"]


def through_session(emitter: OnnxEmitter, outputs: list[Term], feeds: list[Array]) -> list[Array]:
    session = onnxruntime.InferenceSession(emitter.finish(outputs), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    return list(session.run(None, dict(zip(names, feeds, strict=True))))


@pytest.mark.parametrize("zero_point", [-128, -7, 0, 127])
def test_int8_goes_in_and_out_as_what_it_is(zero_point: int) -> None:
    """Every integer, read from an input and written to an output, and as it lies between two nodes."""
    emitter, every = OnnxEmitter("m", is_unsigned=True), np.arange(-128, 128).astype(np.int8)
    single, small = np.dtype(np.float32), np.dtype(np.int8)
    lowering = Lowering(emitter)
    x = Term(emitter.input("x", small, (256,)), small, (256,))
    scale, zero = lowering.scalar(0.25, single), lowering.scalar(zero_point, small)
    real = lowering.emit("DequantizeLinear", [x, scale, zero], single, (256,))
    stored = lowering.emit("QuantizeLinear", [real, scale, zero], small, (256,))
    wide = lowering.emit("Cast", [stored], np.dtype(np.int32), (256,))
    turned = lowering.emit("Reshape", [stored, lowering.ints((2, 128))], small, (2, 128))
    turned = lowering.emit("Transpose", [turned], small, (128, 2), perm=[1, 0])
    again = lowering.emit("DequantizeLinear", [stored, scale, zero], single, (256,))
    outputs = through_session(emitter, [real, stored, wide, again, turned], [every])
    wanted = (every.astype(np.float32) - zero_point) * np.float32(0.25)
    assert [y.dtype.name for y in outputs] == ["float32", "int8", "int32", "float32", "int8"]
    for got, want in zip(outputs, [wanted, every, every, wanted, every.reshape(2, 128).T], strict=True):
        assert np.array_equal(got, want)
