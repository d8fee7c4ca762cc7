"""Quantization: casts, integer products, and whole models from ONNX Runtime's quantizer, against ONNX Runtime."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.reference
import pytest
from onnxruntime.quantization import QuantType

from lite_delegate.formats import read_model
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph
from lite_delegate.ir.types.enums import QuantType as Runs
from lite_delegate.passes.optimize import optimize
from tests.formats.customs import assert_custom
from tests.formats.onnx.comparing import Array, check, imported, parsed, peer, run
from tests.formats.onnx.quantized_models import cnn, image, quantized

RNG = np.random.default_rng(2)


def operators(graph: Graph) -> Counter[str]:
    return Counter(node.op_type for node in graph.nodes)


# Casts.


def quantize(dtype: str, axis: int | None, *, given: bool = False) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """A model that quantizes and dequantizes float32 (2,3,4); scales are constants, or inputs where ``given``."""
    shape = () if axis is None else ((2, 3, 4)[axis],)
    scale = RNG.uniform(0.01, 0.1, shape).astype(np.float32)
    limits = np.iinfo(dtype)
    point = RNG.integers(max(limits.min, -9), 9 - min(0, -limits.min), shape).clip(limits.min, limits.max).astype(dtype)
    dims = f"[{shape[0]}]" if shape else ""
    more = f", float{dims} s, {dtype}{dims} z" if given else ""
    attribute = "" if axis is None else f"<axis={axis}>"
    text = f"""g (float[2,3,4] x{more}) => ({dtype}[2,3,4] q, float[2,3,4] y) {{
      q = QuantizeLinear{attribute}(x, s, z)
      y = DequantizeLinear{attribute}(q, s, z)
    }}"""
    x = RNG.normal(size=(2, 3, 4)).astype(np.float32)
    x[0, 0, :2] = 1e9, -1e9
    constants: dict[str, Array] = {"s": np.asarray(scale), "z": np.asarray(point)}
    return parsed(text, 21, None if given else constants), {"x": x, **(constants if given else {})}


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_there_and_back(dtype: str, axis: int | None, given: bool, tmp_path: Path) -> None:
    model, inputs = quantize(dtype, axis, given=given)
    graph = check(model, inputs, folder=tmp_path)
    by_cast = dtype in ("int8", "uint8") and not given
    assert operators(graph)["QuantDTypeCast"] == (2 if by_cast else 0)


def test_what_lies_between_two_integers_goes_to_the_even_one_unless_a_cast_rounds() -> None:
    """A cast rounds halves away from zero: one quantum from ONNX's result."""
    text = "g (float[6] x{}) => (int8[6] q) {{ q = QuantizeLinear(x, s, z) }}"
    constants: dict[str, Array] = {"s": np.array(1, np.float32), "z": np.array(0, np.int8)}
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], np.float32)
    (exact,) = run(imported(parsed(text.format(", float s, int8 z"))), {"x": x, **constants})
    np.testing.assert_array_equal(exact, [-2, -2, 0, 0, 2, 2])
    (cast,) = run(imported(parsed(text.format(""), initializers=constants)), {"x": x})
    np.testing.assert_array_equal(cast, [-3, -2, -1, 1, 2, 3])


def test_one_array_of_integers_that_stands_for_different_numbers(tmp_path: Path) -> None:
    model = parsed(
        """g (int8[3] q) => (float[3] a, float[3] b) {
          a = DequantizeLinear(q, s, z)
          b = DequantizeLinear(q, t, z)
        }""",
        initializers={
            "s": np.array(0.5, np.float32),
            "t": np.array(2, np.float32),
            "z": np.array(3, np.int8),
        },
    )
    inputs = {"q": np.array([-128, 0, 127], np.int8)}
    graph = check(model, inputs, folder=tmp_path)
    for found, wanted in zip(run(optimize(graph).graph, inputs), peer(model, inputs), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_integers_that_are_moved_before_it_is_said_what_they_stand_for() -> None:
    model = parsed(
        """g (int8[1,2,3,3] q) => (int8[1,2,2,2] y) {
          t = Transpose<perm=[0,1,3,2]>(q)
          x = DequantizeLinear(t, s, z)
          p = MaxPool<kernel_shape=[2,2]>(x)
          y = QuantizeLinear(p, s, z)
        }""",
        initializers={"s": np.array(0.25, np.float32), "z": np.array(-3, np.int8)},
    )
    inputs = {"q": RNG.integers(-128, 128, (1, 2, 3, 3)).astype(np.int8)}
    graph = check(model, inputs)
    assert graph.inputs[0].quant_params[0].scale == 0.25
    np.testing.assert_array_equal(run(optimize(graph).graph, inputs)[0], peer(model, inputs)[0])


@pytest.mark.parametrize("size", [6, 7])
def test_blocks(size: int) -> None:
    """The last of several blocks may be smaller."""
    model = parsed(
        f"""g (float[2,{size}] x, float[2,3] s, uint8[2,3] z) => (uint8[2,{size}] q, float[2,{size}] y) {{
          q = QuantizeLinear<axis=1, block_size={3 if size == 7 else 2}>(x, s, z)
          y = DequantizeLinear<axis=1, block_size={3 if size == 7 else 2}>(q, s, z)
        }}"""
    )
    inputs: dict[str, Array] = {
        "x": RNG.normal(size=(2, size)).astype(np.float32),
        "s": RNG.uniform(0.01, 0.1, (2, 3)).astype(np.float32),
        "z": RNG.integers(100, 150, (2, 3)).astype(np.uint8),
    }
    want = onnx.reference.ReferenceEvaluator(model).run(None, inputs)
    assert isinstance(want, list)
    check(model, inputs, want)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "g (float[6] x, float s, int32 z) => (int32[6] q) { q = QuantizeLinear(x, s, z) }",
            "target int32, expected int8",
        ),
        (
            "g (float[2,6] x, float[2,2] s, int8[2,2] z) => (int8[2,6] q) "
            "{ q = QuantizeLinear<block_size=2>(x, s, z) }",
            r"scales of blocks of 2 must be \[2, 3\], found \[2, 2\]",
        ),
        (
            "g (float[2,6] x, float[2,2] s, int8[2,2] z) => (int8[2,6] q) { q = QuantizeLinear(x, s, z) }",
            r"scales must be one or in a row, found shape \[2, 2\]",
        ),
    ],
)
def test_what_is_rejected(text: str, reason: str) -> None:
    assert_custom(imported(parsed(text)), reason)


# Products of integers.


@pytest.mark.parametrize("zeros", ["", ", az", ", , bz", ", az, bz"])
def test_matmul_integer(zeros: str) -> None:
    model = parsed(
        f"g (uint8[2,4,5] a, int8[5,3] b) => (int32[2,4,3] y) {{ y = MatMulInteger(a, b{zeros}) }}",
        initializers={"az": np.array(117, np.uint8), "bz": np.array([3, -5, 100], np.int8)},
    )
    a, b = RNG.integers(0, 256, (2, 4, 5)).astype(np.uint8), RNG.integers(-128, 128, (5, 3)).astype(np.int8)
    expected = (a.astype(np.int32) - (117 if "az" in zeros else 0)) @ (
        b.astype(np.int32) - (np.array([3, -5, 100]) if "bz" in zeros else 0)
    )
    check(model, {"a": a, "b": b}, [expected.astype(np.int32)])


@pytest.mark.parametrize("channels", [4, 300])
def test_conv_integer_is_exact(channels: int) -> None:
    """The sums of 300 channels do not fit float32."""
    model = parsed(
        f"g (uint8[1,{channels},5,5] x, uint8[3,{channels},3,3] w) => (int32[1,3,5,5] y) "
        "{ y = ConvInteger<pads=[1,1,1,1]>(x, w, xz, wz) }",
        initializers={"xz": np.array(1, np.uint8), "wz": np.array(2, np.uint8)},
    )
    x = RNG.integers(200, 256, (1, channels, 5, 5)).astype(np.uint8)
    w = RNG.integers(200, 256, (3, channels, 3, 3)).astype(np.uint8)
    padded = np.pad(x.astype(np.int64) - 1, ((0, 0), (0, 0), (1, 1), (1, 1)))
    expected = np.array(
        [
            [
                [(padded[0, :, i : i + 3, j : j + 3] * (k.astype(np.int64) - 2)).sum() for j in range(5)]
                for i in range(5)
            ]
            for k in w
        ]
    )
    check(model, {"x": x, "w": w}, [expected[None].astype(np.int32)], rtol=0, atol=0)


@pytest.mark.parametrize(("terms", "taken"), [(33025, True), (33026, False)])
def test_sums_that_int32_may_not_hold_are_rejected(terms: int, taken: bool) -> None:
    """33025 * 255 * 255 is the last multiple below 2**31."""
    model = parsed(
        f"g (uint8[1,{terms},1,1] x, uint8[1,{terms},1,1] w) => (int32[1,1,1,1] y) {{ y = ConvInteger(x, w) }}"
    )
    if taken:
        assert imported(model).outputs[0].shape == (1, 1, 1, 1)
        return
    assert_custom(imported(model), "sums of 33026 products")


def test_dynamic_quantization() -> None:
    model = parsed(
        """g (float[3,4] x, uint8[4,2] w) => (int32[3,2] y, float s) {
          q, s, z = DynamicQuantizeLinear(x)
          y = MatMulInteger(q, w, z)
        }"""
    )
    check(model, {"x": RNG.normal(size=(3, 4)).astype(np.float32), "w": RNG.integers(0, 256, (4, 2)).astype(np.uint8)})


# Whole models.


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("activations", [QuantType.QInt8, QuantType.QUInt8])
@pytest.mark.parametrize("by_casts", [False, True])
def test_a_network_runs_on_integers(by_casts: bool, activations: Any, per_channel: bool, tmp_path: Path) -> None:
    model = quantized(cnn(), tmp_path, by_casts=by_casts, activations=activations, per_channel=per_channel)
    graph = imported(model)
    integers = optimize(graph).graph
    on_floats = [n for n in integers.nodes if n.quant_type == Runs.QUANT_NONE]
    plain = {"QuantDTypeCast": 2, "Transpose": 1, "Reshape": 1}
    whole = {"Conv2DFusion": 3, "AddFusion": 1, "MaxPoolFusion": 1, "Concat": 1, "MatMulFusion": 1, "ReduceFusion": 1}
    assert Counter(n.op_type for n in on_floats) == plain
    assert Counter(n.op_type for n in integers.nodes if n.quant_type == Runs.QUANT_ALL) == whole
    write_ms(integers, tmp_path / "model.ms")
    last = integers.nodes[-1].inputs[0]
    assert last is not None
    quantum = last.quant_params[0].scale
    rng = np.random.default_rng(8)
    for _ in range(4):
        inputs = {"x": image(rng)}
        (wanted,) = peer(model, inputs)
        np.testing.assert_allclose(run(graph, inputs)[0], wanted, atol=1.01 * quantum)
        (found,) = run(integers, inputs)
        np.testing.assert_allclose(found, wanted, atol=1.01 * quantum)
        np.testing.assert_array_equal(run(read_model(tmp_path / "model.ms"), inputs)[0], found)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("QLinearAdd(a, s, z, b, t, w, u, v)", lambda a, b: a + b),
        ("QLinearMul(a, s, z, b, t, w, u, v)", lambda a, b: a * b),
        ("QLinearSigmoid(a, s, z, u, v)", lambda a, b: 1 / (1 + np.exp(-a))),
        ("QLinearLeakyRelu<alpha = 0.2>(a, s, z, u, v)", lambda a, b: np.where(a < 0, 0.2 * a, a)),
        (
            "QLinearSoftmax<axis = 1, opset = 13>(a, s, z, u, v)",
            lambda a, b: np.exp(a) / np.exp(a).sum(1, keepdims=True),
        ),
        ("QLinearGlobalAveragePool(a, s, z, u, v)", lambda a, b: a.mean((2, 3), keepdims=True)),
        ("QLinearConcat<axis = 1>(u, v, a, s, z, b, t, w)", lambda a, b: np.concatenate([a, b], 1)),
    ],
)
def test_quantized_operators_of_onnx_runtime(call: str, expected: Any) -> None:
    scales = {"s": 0.05, "t": 0.03, "u": 0.04}
    points = {"z": 120, "w": 130, "v": 110}
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 17, "com.microsoft" : 1]>\n'
        f"g (uint8[1,2,3,3] a, uint8[1,2,3,3] b) => (uint8[M,N,O,P] y) {{ y = com.microsoft.{call} }}"
    )
    for name, number in scales.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(number, np.float32), name))
    for name, number in points.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(number, np.uint8), name))
    a, b = (RNG.integers(0, 256, (1, 2, 3, 3)).astype(np.uint8) for _ in range(2))
    real = expected((a.astype(float) - 120) * 0.05, (b.astype(float) - 130) * 0.03)
    wanted = np.clip(np.rint(real / 0.04) + 110, 0, 255)
    graph = imported(model)
    for each in (graph, optimize(graph).graph):
        (found,) = run(each, {"a": a, "b": b})
        assert found.dtype == np.uint8
        assert np.abs(found.astype(int) - wanted).max() <= 1
    assert any(node.quant_type == Runs.QUANT_ALL for node in optimize(graph).graph.nodes)
