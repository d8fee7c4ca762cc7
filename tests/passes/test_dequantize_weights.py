"""DequantizeWeightsPass, case by case as its docstring numbers them, against loops over single elements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import Context, DataType, Model, ModelFormatError
from lite_delegate.formats import read_model
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph, ModelInfo, Node, QuantParam, Value, constant, difference, make_primitive, verify
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.passes import DequantizeWeightsPass, UnpackConstantsPass
from tests.passes.bit_writer import low_bits_first, packed_value

NEW, OLD = "MindSpore Lite 2.3.0", "MindSpore Lite 1.5.0"


def quantized(data: np.ndarray, *params: QuantParam, clusters: Sequence[float] = ()) -> Value:
    value = constant("w", data)
    value.quant_params, value.quant_clusters = params, tuple(clusters)
    return value


def graph_of(
    op: str,
    inputs: Sequence[Value],
    version: str | None = NEW,
    quant_type: QuantType = QuantType.QUANT_WEIGHT,
    **attributes: Any,
) -> Graph:
    x = Value("x", DataType.FLOAT32, (2, 3))
    y = Value("y", DataType.FLOAT32, None)
    operands = [x, *inputs] if op != "Gather" else list(inputs)
    node = Node("n", make_primitive(op, **attributes), list(operands), [y], quant_type)
    return Graph("main", [x], [y], [node], info=ModelInfo(version=version))


def dequantized(graph: Graph, position: int = 1) -> np.ndarray:
    result = DequantizeWeightsPass().call(graph)
    assert result.modified
    verify(result.graph)
    value = result.graph.nodes[0].inputs[position]
    assert value is not None
    assert value.data is not None
    assert (value.dtype, value.quant_params, value.quant_clusters) == (DataType.FLOAT32, (), ())
    return value.data


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32"])
def test_1_per_tensor(dtype: str) -> None:
    data = np.array([[-128, -1, 0], [1, 5, 127]], dtype)
    found = dequantized(graph_of("MatMulFusion", [quantized(data, QuantParam(scale=0.25, zero_point=-3))]))
    np.testing.assert_array_equal(found, [[-31.25, 0.5, 0.75], [1.0, 2.0, 32.5]])


def test_1_per_tensor_leaves_corrections_out() -> None:
    param = QuantParam(scale=0.5, var_corr=3.0, mean_corr=7.0)
    assert dequantized(graph_of("AddFusion", [quantized(np.array([4], np.int8), param)])).tolist() == [2.0]


def test_1_the_limits_of_int32() -> None:
    data = np.array([-(2**31), 2**31 - 1], np.int32)
    found = dequantized(graph_of("AddFusion", [quantized(data, QuantParam(scale=2.0, zero_point=2**31 - 1))]))
    assert found.tolist() == [-(2.0**33), 0.0]


def test_2_per_channel_with_corrections() -> None:
    params = [
        QuantParam(scale=0.5, zero_point=1, var_corr=2.0, mean_corr=0.25),
        QuantParam(scale=2.0, zero_point=-1, var_corr=11.0, mean_corr=-1.0),
        QuantParam(scale=1.0, var_corr=-0.5),
        QuantParam(scale=1.0, var_corr=0.0, mean_corr=4.0),
        QuantParam(scale=1.0, var_corr=10.0),
    ]
    data = np.array([[3, 5]] * 5, np.int8)
    found = dequantized(graph_of("Conv2DFusion", [quantized(data.reshape(5, 1, 1, 2), *params)]))
    wanted = [[2.25, 4.25], [7.0, 11.0], [3.0, 5.0], [4.0, 4.0], [30.0, 50.0]]
    np.testing.assert_array_equal(found.reshape(5, 2), wanted)


AXES = [
    ("conv_new", "Conv2DFusion", {}, (4, 1, 1, 3), 1, NEW, 0),
    ("conv_old", "Conv2DFusion", {}, (4, 1, 1, 3), 1, OLD, 0),
    ("full_connection", "FullConnection", {}, (4, 3), 1, NEW, 0),
    ("matmul_b", "MatMulFusion", {}, (5, 3, 4), 1, NEW, 2),
    ("matmul_b_transposed", "MatMulFusion", {"transpose_b": True}, (5, 3, 4), 1, NEW, 1),
    ("matmul_b_old", "MatMulFusion", {}, (3, 4), 1, OLD, 1),
    ("matmul_b_transposed_old", "MatMulFusion", {"transpose_b": True}, (3, 4), 1, OLD, 0),
    ("matmul_b_no_version", "MatMulFusion", {"transpose_b": True}, (3, 4), 1, None, 0),
    ("matmul_b_other_converter", "MatMulFusion", {"transpose_b": True}, (2, 3, 4), 1, "my converter 9.9.9", 0),
    ("matmul_bias", "MatMulFusion", {}, (4,), 2, NEW, 0),
    ("deconvolution_new", "Conv2dTransposeFusion", {"group": 1}, (2, 1, 1, 3), 1, NEW, 3),
    ("deconvolution_1_8", "Conv2dTransposeFusion", {"group": 1}, (2, 1, 1, 3), 1, "MindSpore Lite 1.8.0", 3),
    ("deconvolution_1_7", "Conv2dTransposeFusion", {"group": 1}, (2, 1, 1, 3), 1, "MindSpore Lite 1.7.9", 0),
    (
        "deconvolution_depthwise",
        "Conv2dTransposeFusion",
        {"group": 2, "in_channel": 2, "out_channel": 2},
        (2, 1, 1, 3),
        1,
        NEW,
        0,
    ),
]


@pytest.mark.parametrize(
    ("op", "attributes", "shape", "position", "version", "axis"), [a[1:] for a in AXES], ids=[a[0] for a in AXES]
)
def test_2_the_dimension_of_the_channels(
    op: str, attributes: dict[str, Any], shape: tuple[int, ...], position: int, version: str | None, axis: int
) -> None:
    rng = np.random.default_rng(3)
    data = rng.integers(-128, 128, shape).astype(np.int8)
    params = [QuantParam(scale=2.0**-c, zero_point=c) for c in range(shape[axis])]
    between = [quantized(np.zeros(1, np.float32)) for _ in range(position - 1)]
    found = dequantized(graph_of(op, [*between, quantized(data, *params)], version, **attributes), position)
    for index in np.ndindex(shape):
        c = index[axis]
        assert found[index] == (int(data[index]) - c) * 2.0**-c


def test_2_the_left_matrix() -> None:
    data = np.arange(6, dtype=np.int8).reshape(2, 3)
    for transposed, version, axis in [(False, NEW, 0), (True, NEW, 1), (False, OLD, 0), (True, OLD, 1)]:
        params = [QuantParam(scale=c + 1.0) for c in range(data.shape[axis])]
        graph = graph_of("MatMulFusion", [], version, transpose_a=transposed)
        graph.nodes[0].inputs = [quantized(data, *params), graph.inputs[0]]
        factors = np.arange(1.0, data.shape[axis] + 1)
        np.testing.assert_array_equal(dequantized(graph, 0), data * (factors[:, None] if axis == 0 else factors))


@pytest.mark.parametrize(("axis", "channels"), [(0, 2), (1, 3), (-1, 3)])
def test_2_gather_goes_by_its_axis(axis: int, channels: int) -> None:
    data = np.arange(6, dtype=np.int8).reshape(2, 3)
    table = quantized(data, *[QuantParam(scale=c + 1.0) for c in range(channels)])
    indices, where = constant("i", np.array([0], np.int32)), constant("a", np.array(axis, np.int32))
    factors = np.arange(1.0, channels + 1)
    found = dequantized(graph_of("Gather", [table, indices, where]), 0)
    np.testing.assert_array_equal(found, data * (factors[:, None] if channels == 2 else factors))


def test_2_parameters_that_do_not_fit_are_named() -> None:
    w = quantized(np.zeros((4, 2), np.int8), QuantParam(), QuantParam(), QuantParam())
    message = (
        r"Constant 'w' of node 'n' \(FullConnection\): 3 quantization parameters for dimension 0 of shape \(4, 2\)"
    )
    with pytest.raises(ModelFormatError, match=message):
        DequantizeWeightsPass().call(graph_of("FullConnection", [w]))
    scalar = quantized(np.array(1, np.int8), QuantParam(), QuantParam())
    with pytest.raises(ModelFormatError, match=r"2 quantization parameters for dimension 0 of shape \(\)"):
        DequantizeWeightsPass().call(graph_of("AddFusion", [scalar]))


def test_3_codebooks() -> None:
    w = quantized(np.array([[-128, -127], [-126, -128]], np.int8), clusters=[0.5, -2.0, 9.0])
    np.testing.assert_array_equal(dequantized(graph_of("MatMulFusion", [w])), [[0.5, -2.0], [9.0, 0.5]])


def test_3_damaged_codebooks_are_named() -> None:
    beyond = quantized(np.array([-125], np.int8), clusters=[0.5, -2.0, 9.0])
    with pytest.raises(ModelFormatError, match="element 3 of a codebook of 3"):
        DequantizeWeightsPass().call(graph_of("AddFusion", [beyond]))
    wide = quantized(np.array([0], np.int16), clusters=[0.5])
    with pytest.raises(ModelFormatError, match="a codebook must be INT8, is int16"):
        DequantizeWeightsPass().call(graph_of("AddFusion", [wide]))


P = QuantParam(scale=0.5)
KEPT = [
    ("float_weight_with_a_parameter", quantized(np.ones(3, np.float32), P), QuantType.QUANT_WEIGHT),
    ("int8_without_parameters", quantized(np.ones(3, np.int8)), QuantType.QUANT_WEIGHT),
    ("int64_with_a_parameter", quantized(np.ones(3, np.int64), P), QuantType.QUANT_WEIGHT),
    ("axes_with_a_default_parameter", quantized(np.ones(3, np.int32), QuantParam()), QuantType.QUANT_WEIGHT),
    ("float_node", quantized(np.ones(3, np.int8), P), QuantType.QUANT_NONE),
    ("int8_node", quantized(np.ones(3, np.int8), P), QuantType.QUANT_ALL),
    ("dynamic_node", quantized(np.ones(3, np.int8), P), QuantType.QUANT_DYNAMIC),
]


@pytest.mark.parametrize(("value", "quant_type"), [k[1:] for k in KEPT], ids=[k[0] for k in KEPT])
def test_4_other_constants_stay(value: Value, quant_type: QuantType) -> None:
    graph = graph_of("AddFusion", [value], quant_type=quant_type)
    result = DequantizeWeightsPass().call(graph)
    assert not result.modified
    assert result.graph is graph


def test_5_shared_constants() -> None:
    w = quantized(np.array([1, 2, 3], np.int8), P)
    x = Value("x", DataType.FLOAT32, (2, 3))
    types = [QuantType.QUANT_WEIGHT, QuantType.QUANT_ALL, QuantType.QUANT_WEIGHT]
    ys = [Value(f"y{i}", DataType.FLOAT32, (2, 3)) for i in range(3)]
    nodes = [Node(f"n{i}", make_primitive("AddFusion"), [x, w], [ys[i]], t) for i, t in enumerate(types)]
    graph = Graph("main", [x], ys, nodes)
    result = DequantizeWeightsPass().call(graph).graph
    first, second, third = (n.inputs[1] for n in result.nodes)
    assert first is third
    assert second is w
    assert w.dtype == DataType.INT8
    assert nodes[0].inputs[1] is w
    assert not DequantizeWeightsPass().call(result).modified
    assert difference(graph, result) is not None


@given(st.integers(1, 5), st.integers(1, 4), st.data())
def test_any_bit_width_and_channels_through_both_passes(channels: int, columns: int, data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from([1, 2, 3, 4, 5, 6, 7, 9, 11, 15]))
    half = 1 << (bits - 1)
    count = channels * columns
    numbers = data.draw(st.lists(st.integers(-half, half - 1), min_size=count, max_size=count))
    points = data.draw(st.lists(st.integers(-half, half - 1), min_size=channels, max_size=channels))
    raw = low_bits_first(numbers, bits, 1 if bits < 8 else 2)
    w = packed_value(raw, (channels, columns), bits, zero_points=points)
    graph = UnpackConstantsPass().call(graph_of("FullConnection", [w])).graph
    found = dequantized(graph)
    for i, number in enumerate(numbers):
        assert found.reshape(-1)[i] == (number - points[i // columns]) * 0.5


@pytest.mark.parametrize("bits", [4, 8, 12])
def test_a_file_with_packed_weights_predicts_as_its_float_twin(tmp_path: Path, bits: int) -> None:
    rng = np.random.default_rng(bits)
    q = rng.integers(-(1 << (bits - 1)), 1 << (bits - 1), (4, 3))
    storage = np.int8 if bits <= 8 else np.int16
    params = [QuantParam(scale=0.01 * (c + 1), zero_point=c, num_bits=bits) for c in range(4)]
    raw = low_bits_first(q.reshape(-1).tolist(), bits, storage().itemsize)
    w = packed_value(raw, (4, 3), bits)
    w.quant_params = tuple(params)
    if bits == 8:
        w.packed, w.data = None, q.astype(storage)
    graph = graph_of("FullConnection", [w], use_axis=True, axis=1)
    write_ms(graph, tmp_path / "m.ms")
    assert difference(read_model(tmp_path / "m.ms"), graph) is None
    model = Model()
    model.build_from_file(tmp_path / "m.ms", context=Context())
    x = rng.normal(size=(2, 3)).astype(np.float32)
    floats = np.array([[(q[c, k] - c) * 0.01 * (c + 1) for k in range(3)] for c in range(4)])
    np.testing.assert_allclose(model.predict({"x": x})[0].data, x @ floats.T, rtol=1e-5, atol=1e-4)
