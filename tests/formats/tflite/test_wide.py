"""Quantized integers of 16 bits against LiteRT's plain kernels: imported and run, and written back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

import lite_delegate_kernels._quantized_wide as quantized_wide
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from lite_delegate import Core
from lite_delegate.exporting import tflite_content
from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.ir import custom_attributes
from tests.formats.tflite.models import (
    T,
    assert_same,
    check,
    const,
    fed,
    floats,
    ints,
    litert,
    out,
    qout,
    single,
    stored,
)

ONE = 1 / 32768
NONE, INT32, INT64 = 0, 2, 4
"""The schema's numbers of element types of a bias."""


def int16(seed: int, *shape: int, scale: float = 0.0005, low: int = -32768, high: int = 32767) -> T:
    data = np.random.default_rng(seed).integers(low, high, shape, np.int16, endpoint=True)
    return T(data, scales=[scale], zero_points=[0])


def wide(scale: float) -> T:
    return qout(scale, 0, "int16")


def weights(seed: int, *shape: int, count: int, axis: int = 0) -> T:
    data = np.random.default_rng(seed).integers(-127, 127, shape, np.int8, endpoint=True)
    return const(data, scales=np.linspace(0.002, 0.02, count).tolist(), axis=axis)


def bias(seed: int, x: T, weight: T, dtype: str, count: int) -> T:
    data = np.random.default_rng(seed).integers(-(10**6), 10**6, count).astype(dtype)
    return const(data, scales=[x.scales[0] * np.float32(s) for s in weight.scales])


def both(
    op: str, inputs: Sequence[T | None], outputs: Sequence[T] | str, table: str = "", *, quanta: int = 0,
    version: int = 1, plain: bool = True, **options: Any
) -> list[Any]:  # fmt: skip
    """``check``, and the file that is written for the imported model has the operator and the results of the first."""
    got = check(op, inputs, outputs, table, quanta=quanta, version=version, plain=plain, **options)
    results = [out(outputs)] if isinstance(outputs, str) else outputs
    content = single(op, inputs, results, table, version=version, **options)
    written, arrays = tflite_content(read_tflite_buffer(content)), fed(inputs)
    assert operators(written) == operators(content)
    assert_same(litert(written, arrays, plain=plain), litert(content, arrays, plain=plain))
    return got


def operators(content: bytes) -> list[str]:
    """The operators that LiteRT runs without delegates."""
    kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(model_content=content, experimental_op_resolver_type=kernels)
    return [each["op_name"] for each in interpreter._get_ops_details()]


def conv(activation: int = 0, padding: int = 0, stride: int = 1) -> dict[str, Any]:
    sizes = {"strideH": stride, "strideW": 1, "dilationHFactor": 1, "dilationWFactor": 1}
    return {"padding": padding, "fusedActivationFunction": activation, **sizes}


@pytest.mark.parametrize("activation", [0, 1, 3])
@pytest.mark.parametrize(("dtype", "kind"), [("int64", NONE), ("int64", INT64), ("int32", INT32)])
@pytest.mark.parametrize("count", [1, 4])
def test_convolution(count: int, dtype: str, kind: int, activation: int) -> None:
    x, weight = int16(1, 2, 7, 8, 3), weights(2, 4, 3, 3, 3, count=count)
    inputs = [x, weight, bias(3, x, weight, dtype, 4)]
    options = {**conv(activation, stride=2), "quantizedBiasType": kind}
    got = both("CONV_2D", inputs, [wide(0.003)], "Conv2DOptions", version=8, **options)
    assert len(np.unique(got[0])) > 20


@pytest.mark.parametrize("multiplier", [1, 2])
def test_depthwise_convolution(multiplier: int) -> None:
    count = 3 * multiplier
    x, weight = int16(4, 1, 6, 6, 3), weights(5, 1, 3, 3, count, count=count, axis=3)
    options: dict[str, Any] = {**conv(), "depthMultiplier": multiplier}
    inputs = [x, weight, bias(6, x, weight, "int64", count)]
    both("DEPTHWISE_CONV_2D", inputs, [wide(0.004)], "DepthwiseConv2DOptions", version=5, **options)


@pytest.mark.parametrize(("dtype", "kind"), [("", NONE), ("int64", NONE), ("int32", INT32)])
def test_transposed_convolution(dtype: str, kind: int) -> None:
    x, weight = int16(7, 1, 4, 4, 5), weights(8, 3, 3, 3, 5, count=3)
    more = [bias(9, x, weight, dtype, 3)] if dtype else []
    options: dict[str, Any] = {"padding": 0, "strideH": 2, "strideW": 2, "quantizedBiasType": kind}
    inputs = [ints(1, 8, 8, 3), weight, x, *more]
    both("TRANSPOSE_CONV", inputs, [wide(0.003)], "TransposeConvOptions", version=5 if more else 2, **options)


@pytest.mark.parametrize("count", [1, 7])
@pytest.mark.parametrize(("dtype", "kind"), [("", NONE), ("int64", INT64), ("int32", INT32)])
def test_fully_connected(dtype: str, kind: int, count: int) -> None:
    x, weight = int16(10, 500, 40), weights(11, 7, 40, count=count)
    more = bias(12, x, weight, dtype, 7) if dtype else None
    options: dict[str, Any] = {"quantizedBiasType": kind, "fusedActivationFunction": 1}
    both("FULLY_CONNECTED", [x, weight, more], [wide(0.003)], "FullyConnectedOptions", version=11, **options)


def test_matrix_product() -> None:
    inputs = [int16(13, 2, 9, 6), stored(int16(14, 2, 6, 4, scale=0.002))]
    both("BATCH_MATMUL", inputs, [wide(0.05)], "BatchMatMulOptions", version=4)


@pytest.mark.parametrize("activation", [0, 1, 3])
@pytest.mark.parametrize("op", ["ADD", "SUB"])
def test_sums(op: str, activation: int) -> None:
    inputs = [int16(15, 500, 4, scale=0.0021), int16(16, 4, scale=0.0013)]
    options: dict[str, Any] = {"fusedActivationFunction": activation, "potScaleInt16": False}
    both(op, inputs, [wide(0.003)], f"{op.title()}Options", version=5, **options)


@pytest.mark.parametrize("scale", [0.003, 0.05])
def test_product(scale: float) -> None:
    inputs = [int16(17, 40000, scale=0.0021), int16(18, 40000, scale=0.0013)]
    both("MUL", inputs, [wide(scale)], "MulOptions", version=4)


@pytest.mark.parametrize("scale", [2.0**-12, 2.0**-11, 0.0005, 0.01, 1e-5])
@pytest.mark.parametrize("op", ["LOGISTIC", "TANH"])
def test_every_number_of_a_table(op: str, scale: float) -> None:
    x = T(np.arange(-32768, 32768).astype(np.int16), scales=[scale], zero_points=[0])
    both(op, [x], [wide(ONE)], version=3)


def test_entries_of_the_table_are_those_that_results_show() -> None:
    """TANH of ``k / 12`` is entry k of the table less a half; the last entry shows just below its place."""
    ends = np.append(np.arange(255) * 128, 254 * 128 + 127).astype(np.int16)
    x = T(ends, scales=[2 / 12288], zero_points=[0])
    content = single("TANH", [x], [wide(ONE)], version=3)
    (found,) = litert(content, [ends])
    nearest = np.floor(65536 / (1 + np.exp(-np.arange(256) / 24)) + 0.5)
    shown = found.astype(int) + 32768
    assert np.flatnonzero(shown - nearest).tolist() == list(quantized_wide._ABOVE)
    assert (shown - nearest).max() == 1


@pytest.mark.parametrize("scale", [0.00003, 0.0001, 2.0**-12, 0.01])
@pytest.mark.parametrize("shape", [(2000, 2), (300, 11), (20, 1000)])
def test_softmax(shape: tuple[int, int], scale: float) -> None:
    both("SOFTMAX", [int16(19, *shape, scale=scale)], [wide(ONE)], "SoftmaxOptions", version=3, beta=1.0)


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("op", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
def test_pools(op: str, padding: int) -> None:
    options: dict[str, Any] = {"padding": padding, "strideH": 2, "strideW": 1, "filterHeight": 3, "filterWidth": 2}
    both(op, [int16(20, 1, 7, 6, 3)], [wide(0.0005)], "Pool2DOptions", version=3, **options)


MOVED: dict[str, tuple[list[T], str, int, dict[str, Any]]] = {
    "RESHAPE": ([ints(6, 4)], "ReshapeOptions", 1, {"newShape": [6, 4]}),
    "TRANSPOSE": ([ints(2, 0, 1)], "TransposeOptions", 4, {}),
    "SLICE": ([ints(0, 1, 0), ints(2, 2, 3)], "SliceOptions", 4, {}),
    "STRIDED_SLICE": ([ints(0, 0, 0), ints(2, 3, 4), ints(1, 2, 1)], "StridedSliceOptions", 4, {}),
    "PAD": ([const(np.array([[0, 0], [1, 2], [0, 1]], np.int32))], "PadOptions", 3, {}),
    "TILE": ([ints(1, 2, 1)], "TileOptions", 3, {}),
    "GATHER": ([ints(1, 0)], "GatherOptions", 4, {"axis": 1}),
    "EXPAND_DIMS": ([ints(0)], "ExpandDimsOptions", 1, {}),
    "REVERSE_V2": ([ints(1)], "ReverseV2Options", 3, {}),
}


@pytest.mark.parametrize("op", MOVED)
def test_movement(op: str) -> None:
    more, table, version, options = MOVED[op]
    both(op, [int16(21, 2, 3, 4), *more], [wide(0.0005)], table, version=version, **options)


def test_concatenation_and_relu() -> None:
    both("CONCATENATION", [int16(22, 2, 3), int16(23, 2, 4)], [wide(0.0005)], "ConcatenationOptions", version=3, axis=1)
    for op in ("RELU", "RELU6"):
        both(op, [int16(24, 500)], [wide(0.0005)], version=2)


@pytest.mark.parametrize("op", ["MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"])
def test_reductions(op: str) -> None:
    """LiteRT's plain SUM of int16 gives numbers that it finds in memory."""
    extreme = op.startswith("REDUCE")
    inputs, y = [int16(25, 2, 5, 6, 3), ints(1, 2)], wide(0.0005 if extreme else 0.003)
    version, plain = (2, False) if op == "SUM" else (3, True)
    both(op, inputs, [y], "ReducerOptions", version=version, quanta=0 if extreme else 1, plain=plain, keepDims=True)


def test_other_functions_are_within_a_quantum() -> None:
    x = int16(26, 400)
    both("LEAKY_RELU", [x], [wide(0.0005)], "LeakyReluOptions", version=2, quanta=1, alpha=0.1)
    both("ABS", [x], [wide(0.0005)], "AbsOptions", version=3, quanta=1)
    both("MAXIMUM", [x, int16(27, 400)], [wide(0.0005)], "MaximumMinimumOptions", version=4)
    both("LESS", [x, int16(28, 400)], "bool", "LessOptions", version=3)


def test_between_real_numbers_and_integers() -> None:
    both("QUANTIZE", [floats(29, 400, low=-20, high=20)], [wide(0.0005)], "QuantizeOptions", version=2)
    both("DEQUANTIZE", [int16(30, 400)], [out()], "DequantizeOptions", version=3)
    check("QUANTIZE", [int16(31, 400)], [wide(0.0007)], "QuantizeOptions", version=3, quanta=1)
    check("QUANTIZE", [int16(32, 400)], [qout(0.1, 3)], "QuantizeOptions", version=3, quanta=1)


def test_an_operator_without_a_kernel_says_so() -> None:
    check_custom(single("LOG_SOFTMAX", [int16(33, 4)], [wide(0.0005)], "LogSoftmaxOptions"), "no kernel for quantized")


def test_zero_points_are_not_taken() -> None:
    x = T(np.zeros((1, 4), np.int16), scales=[0.1], zero_points=[3])
    check_custom(single("TANH", [x], [wide(ONE)]), "zero points of 0")


def test_integers_of_both_widths_are_not_taken() -> None:
    inputs = [int16(34, 2, 4), const(np.zeros((3, 4), np.int8), scales=[0.1])]
    check_custom(single("FULLY_CONNECTED", inputs, [qout(0.1)], "FullyConnectedOptions"), "beside 8-bit ones")


def check_custom(content: bytes, reason: str) -> None:
    (node,) = read_tflite_buffer(content).nodes
    assert node.op_type == "Custom"
    assert reason in str(custom_attributes(node.primitive)["@reason"])


@pytest.mark.parametrize("device", ["NPU", "ONNXRUNTIME", "OPENVINO", "LITERT:REFERENCE"])
def test_only_litert_takes_them(device: str, tmp_path: Path) -> None:
    x, weight = int16(35, 2, 7, 8, 3), weights(36, 4, 3, 3, 3, count=4)
    inputs = [x, weight, bias(37, x, weight, "int64", 4)]
    path = tmp_path / "model.tflite"
    path.write_bytes(single("CONV_2D", inputs, [wide(0.003)], "Conv2DOptions", version=4, **conv()))
    compiled = Core().compile_model(path, f"HETERO:{device},CPU")
    (found,) = compiled.create_infer_request().infer([x.data])
    assert_same([np.array(found)], litert(path.read_bytes(), [x.data]))
    assert bool(compiled.partition.subgraphs) == device.startswith("LITERT")
