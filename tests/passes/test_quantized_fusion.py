"""QuantizedFusionPass: what becomes an operator on integers, what stays, and that results stay within one quantum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lite_delegate import DataType, Model
from lite_delegate.ir import Graph, Node, QuantParam, Value, constant, make_primitive, verify
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.passes.quantized import QuantizedFusionPass

Array = np.ndarray[Any, Any]
F32, I8, U8 = DataType.FLOAT32, DataType.INT8, DataType.UINT8
RNG = np.random.default_rng(4)


class Drawing:
    """A graph in the making, whose inputs are quantized and dequantized at once."""

    def __init__(self) -> None:
        self.inputs: list[Value] = []
        self.nodes: list[Node] = []

    def node(self, op_type: str, inputs: Sequence[Value | None], output: Value, **attributes: Any) -> Value:
        self.nodes.append(
            Node(f"{op_type}_{len(self.nodes)}", make_primitive(op_type, **attributes), list(inputs), [output])
        )
        return output

    def floats(self, op_type: str, inputs: Sequence[Value | None], shape: Sequence[int], **attributes: Any) -> Value:
        return self.node(op_type, inputs, Value(f"f{len(self.nodes)}", F32, tuple(shape)), **attributes)

    def input(self, shape: Sequence[int]) -> Value:
        self.inputs.append(Value(f"x{len(self.inputs)}", F32, tuple(shape)))
        return self.inputs[-1]

    def quantized(self, x: Value, scale: float = 0.05, point: int = 3, dtype: DataType = I8) -> Value:
        params = (QuantParam(scale=scale, zero_point=point, inited=True),)
        q = Value(f"q{len(self.nodes)}", dtype, x.shape, quant_params=params)
        return self.node("QuantDTypeCast", [x], q, src_t=int(F32), dst_t=int(dtype))

    def real(self, q: Value, axis: int = 0) -> Value:
        assert q.shape is not None
        return self.floats("QuantDTypeCast", [q], q.shape, src_t=int(q.dtype), dst_t=int(F32), axis=axis)

    def operand(self, shape: Sequence[int], **quantization: Any) -> Value:
        """A dequantized input."""
        return self.real(self.quantized(self.input(shape), **quantization))

    def weight(self, shape: Sequence[int], scales: Sequence[float], axis: int = 0) -> Value:
        """A dequantized constant."""
        params = tuple(QuantParam(scale=s, zero_point=0, inited=True) for s in scales)
        data = np.asarray(RNG.integers(-127, 128, tuple(shape))).astype(np.int8)
        return self.real(replace(constant(f"w{len(self.nodes)}", data), quant_params=params), axis)

    def graph(self, *outputs: Value) -> Graph:
        made = Graph("main", self.inputs, list(outputs), self.nodes)
        verify(made)
        return made


def ints(*numbers: int) -> Value:
    return constant("numbers", np.array(numbers, np.int32))


def fused(graph: Graph) -> Graph:
    result = QuantizedFusionPass().call(graph)
    verify(result.graph)
    again = QuantizedFusionPass().call(result.graph)
    assert not again.modified
    assert again.graph is result.graph
    return result.graph


def kinds(graph: Graph) -> list[tuple[str, bool]]:
    """Operator, and whether it runs on integers, in order; casts left out."""
    order = [(n.op_type, n.quant_type == QuantType.QUANT_ALL) for n in graph.nodes]
    return [each for each in order if each[0] != "QuantDTypeCast"]


def run(graph: Graph) -> list[Array]:
    model = Model()
    model.build_from_graph(graph)
    rng = np.random.default_rng(6)
    inputs = {t.name: rng.normal(size=t.shape).astype(np.float32) for t in model.get_inputs()}
    return [np.asarray(t.get_data_to_numpy()) for t in model.predict(inputs)]


def same_within_one_quantum(a: Graph, b: Graph) -> None:
    for old, new in zip(run(a), run(b), strict=True):
        assert old.dtype == new.dtype
        assert old.dtype.kind in "iu"
        assert np.abs(old.astype(int) - new.astype(int)).max() <= 1


def convolution(scales: Sequence[float], *, bias: str, axis: int = 0, channels: int = 2, **attributes: Any) -> Graph:
    """x (1, 5, 5, channels) through a 3x3 convolution with 4 output channels."""
    drawing = Drawing()
    x, w = drawing.operand((1, 5, 5, channels)), drawing.weight((4, 3, 3, channels), scales, axis)
    inputs: list[Value | None] = [x, w]
    if bias == "float":
        inputs.append(constant("b", RNG.normal(size=4).astype(np.float32)))
    elif bias == "int32":
        products = [0.05 * s for s in scales] if len(scales) > 1 else [0.05 * scales[0]]
        params = tuple(QuantParam(scale=s, inited=True) for s in products)
        data = RNG.integers(-500, 500, 4).astype(np.int32)
        inputs.append(drawing.real(replace(constant("b", data), quant_params=params)))
    attributes = {
        "kernel_size": [3, 3],
        "stride": [1, 1],
        "dilation": [1, 1],
        "pad_mode": "SAME",
        "group": 1,
    } | attributes
    y = drawing.floats(
        "Conv2DFusion", inputs, (1, 5, 5, 4), in_channel=channels, out_channel=4, format="NHWC", **attributes
    )
    return drawing.graph(drawing.quantized(y, 0.03, -7))


@pytest.mark.parametrize("bias", ["none", "float", "int32"])
@pytest.mark.parametrize("scales", [[0.01], [0.01, 0.02, 0.005, 0.03]])
@pytest.mark.parametrize("activation", ["NO_ACTIVATION", "RELU"])
def test_convolutions(scales: list[float], bias: str, activation: str) -> None:
    graph = convolution(scales, bias=bias, activation_type=activation)
    result = fused(graph)
    assert kinds(result) == [("Conv2DFusion", True)]
    assert len(result.nodes) == 2
    same_within_one_quantum(graph, result)
    assert result.outputs == graph.outputs


def test_a_bias_is_in_units_of_the_products() -> None:
    drawing = Drawing()
    x, w = drawing.operand((1, 2), scale=0.5, point=0), drawing.weight((3, 2), [0.25, 0.5, 1.0])
    b = constant("b", np.array([1.0, -2.0, 0.3], np.float32))
    y = drawing.floats("MatMulFusion", [x, w, b], (1, 3), transpose_b=True)
    (node,) = [n for n in fused(drawing.graph(drawing.quantized(y, 0.5))).nodes if n.op_type == "MatMulFusion"]
    bias = node.inputs[2]
    assert bias is not None
    assert bias.data is not None
    np.testing.assert_array_equal(bias.data, np.array([8, -8, 1], np.int32), strict=True)
    assert [p.scale for p in bias.quant_params] == [0.125, 0.25, 0.5]


@pytest.mark.parametrize(("bias", "on_integers"), [(0.25, True), (0.251, True), (0.26, False), (0.31, False)])
def test_a_bias_far_from_all_units_of_the_products_keeps_them_floats(bias: float, on_integers: bool) -> None:
    """Units of 0.125, and a result in steps of 0.01: a rounded bias would be several steps off."""
    drawing = Drawing()
    x, w = drawing.operand((4, 2), scale=0.5, point=0), drawing.weight((3, 2), [0.25])
    b = constant("b", np.array([1.0, bias, -bias], np.float32))
    y = drawing.floats("MatMulFusion", [x, w, b], (4, 3), transpose_b=True)
    graph = drawing.graph(drawing.quantized(y, 0.01))
    assert kinds(fused(graph)) == [("MatMulFusion", on_integers)]
    same_within_one_quantum(graph, fused(graph))


def test_scales_along_another_axis_than_that_of_the_channels_stay_floats() -> None:
    graph = convolution([0.01, 0.02, 0.005, 0.03], bias="none", axis=3, channels=4)
    result = fused(graph)
    assert kinds(result) == [("Conv2DFusion", False)]
    same_within_one_quantum(graph, result)


def test_a_weight_that_is_moved_first() -> None:
    """(2, 3, 3, 4) with scales along the last axis, brought into order when the graph runs."""
    drawing = Drawing()
    x, w = drawing.operand((1, 5, 5, 2)), drawing.weight((2, 3, 3, 4), [0.01, 0.02, 0.005, 0.03], 3)
    turned = drawing.floats("Transpose", [w, ints(3, 1, 2, 0)], (4, 3, 3, 2))
    attributes = {"kernel_size": [3, 3], "stride": [1, 1], "dilation": [1, 1], "pad_mode": "SAME", "group": 1}
    y = drawing.floats(
        "Conv2DFusion", [x, turned], (1, 5, 5, 4), in_channel=2, out_channel=4, format="NHWC", **attributes
    )
    graph = drawing.graph(drawing.quantized(y))
    result = fused(graph)
    assert kinds(result) == [("Conv2DFusion", True)]
    same_within_one_quantum(graph, result)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("by_columns", [False, True])
def test_products_of_matrices(transposed: bool, by_columns: bool) -> None:
    drawing = Drawing()
    columns = 0 if transposed else 1
    scales = [0.01, 0.02, 0.03, 0.015]
    axis = columns if by_columns else 1 - columns
    x, w = drawing.operand((3, 4)), drawing.weight((4, 4), scales, axis)
    graph = drawing.graph(drawing.quantized(drawing.floats("MatMulFusion", [x, w], (3, 4), transpose_b=transposed)))
    result = fused(graph)
    assert kinds(result) == [("MatMulFusion", by_columns)]
    same_within_one_quantum(graph, result)


def test_a_product_of_two_inputs() -> None:
    drawing = Drawing()
    a, b = drawing.operand((3, 4)), drawing.operand((4, 5), scale=0.03)
    graph = drawing.graph(drawing.quantized(drawing.floats("MatMulFusion", [a, b], (3, 5))))
    result = fused(graph)
    assert kinds(result) == [("MatMulFusion", True)]
    same_within_one_quantum(graph, result)


@pytest.mark.parametrize("op_type", ["AddFusion", "SubFusion", "MulFusion", "Maximum"])
def test_operators_of_two_arrays(op_type: str) -> None:
    drawing = Drawing()
    a, b = drawing.operand((2, 3)), drawing.operand((2, 3), scale=0.02, point=-20)
    graph = drawing.graph(drawing.quantized(drawing.floats(op_type, [a, b], (2, 3)), 0.04))
    result = fused(graph)
    assert kinds(result) == [(op_type, True)]
    same_within_one_quantum(graph, result)


@pytest.mark.parametrize(
    ("op_type", "attributes"), [("Activation", {"activation_type": "TANH"}), ("Softmax", {"axis": [-1]}), ("Sqrt", {})]
)
def test_operators_of_one_array(op_type: str, attributes: dict[str, Any]) -> None:
    drawing = Drawing()
    graph = drawing.graph(
        drawing.quantized(drawing.floats(op_type, [drawing.operand((2, 3))], (2, 3), **attributes), 0.01)
    )
    result = fused(graph)
    assert kinds(result) == [(op_type, True)]
    same_within_one_quantum(graph, result)


def test_a_join_of_arrays_with_different_scales() -> None:
    drawing = Drawing()
    a, b = drawing.operand((2, 3)), drawing.operand((2, 1), scale=0.02)
    graph = drawing.graph(drawing.quantized(drawing.floats("Concat", [a, b], (2, 4), axis=1)))
    result = fused(graph)
    assert kinds(result) == [("Concat", True)]
    same_within_one_quantum(graph, result)


@pytest.mark.parametrize(("scale", "kind"), [(0.05, "AvgPoolFusion"), (0.02, "ReduceFusion")])
def test_means_of_images_are_rounded_once(scale: float, kind: str) -> None:
    drawing = Drawing()
    y = drawing.floats("AvgPoolFusion", [drawing.operand((1, 4, 4, 2))], (1, 1, 1, 2), global_=True, format="NHWC")
    graph = drawing.graph(drawing.quantized(y, scale))
    result = fused(graph)
    assert kinds(result) == [(kind, True)]
    same_within_one_quantum(graph, result)


@pytest.mark.parametrize(
    "attributes", [{"kernel_size": [4, 4], "strides": [1, 1]}, {"global_": True, "activation_type": "RELU"}]
)
def test_other_means_stay_floats_where_they_get_another_scale(attributes: dict[str, Any]) -> None:
    drawing = Drawing()
    y = drawing.floats("AvgPoolFusion", [drawing.operand((1, 4, 4, 2))], (1, 1, 1, 2), format="NHWC", **attributes)
    graph = drawing.graph(drawing.quantized(y, 0.02))
    result = fused(graph)
    assert kinds(result) == [("AvgPoolFusion", False)]
    same_within_one_quantum(graph, result)


def test_movements_move_integers() -> None:
    drawing = Drawing()
    x = drawing.operand((1, 2, 5, 5))
    turned = drawing.floats("Transpose", [x, ints(0, 2, 3, 1)], (1, 5, 5, 2))
    y = drawing.floats("Activation", [turned], (1, 5, 5, 2), activation_type="SIGMOID")
    back = drawing.floats("Transpose", [y, ints(0, 3, 1, 2)], (1, 2, 5, 5))
    graph = drawing.graph(drawing.quantized(back, 0.01))
    result = fused(graph)
    assert kinds(result) == [("Transpose", False), ("Activation", True), ("Transpose", False)]
    assert [n.op_type for n in result.nodes].count("QuantDTypeCast") == 1
    same_within_one_quantum(graph, result)
    assert result.outputs == graph.outputs


@pytest.mark.parametrize(("scale", "left"), [(0.05, 1), (0.02, 3)])
def test_there_and_back_again(scale: float, left: int) -> None:
    """Integers that become real numbers and the same integers again; other ones are needed."""
    drawing = Drawing()
    graph = drawing.graph(drawing.quantized(drawing.operand((2, 3)), scale))
    result = fused(graph)
    assert len(result.nodes) == left
    for old, new in zip(run(graph), run(result), strict=True):
        np.testing.assert_array_equal(old, new)


def test_an_array_that_others_read_as_floats_stays_one() -> None:
    drawing = Drawing()
    y = drawing.floats("Activation", [drawing.operand((2, 3))], (2, 3), activation_type="TANH")
    graph = drawing.graph(drawing.quantized(y, 0.01), y)
    assert fused(graph) is graph


def test_integers_of_another_type_stay_floats() -> None:
    drawing = Drawing()
    y = drawing.floats("Activation", [drawing.operand((2, 3))], (2, 3), activation_type="TANH")
    graph = drawing.graph(drawing.quantized(y, 0.01, 128, U8))
    assert fused(graph) is graph


def test_a_float_operand_that_is_no_constant_keeps_the_operator_on_floats() -> None:
    drawing = Drawing()
    y = drawing.floats("Maximum", [drawing.operand((2, 3)), drawing.input((2, 3))], (2, 3))
    graph = drawing.graph(drawing.quantized(y))
    assert fused(graph) is graph


def test_an_operator_without_a_kernel_for_integers_stays() -> None:
    drawing = Drawing()
    graph = drawing.graph(drawing.quantized(drawing.floats("CumSum", [drawing.operand((2, 3)), ints(1)], (2, 3))))
    assert fused(graph) is graph


def test_constants_that_nothing_on_integers_reads_become_floats() -> None:
    drawing = Drawing()
    w = drawing.weight((2, 3), [0.5, 0.25])
    graph = drawing.graph(drawing.floats("AddFusion", [drawing.input((2, 3)), w], (2, 3)))
    result = fused(graph)
    assert [n.op_type for n in result.nodes] == ["AddFusion"]
    np.testing.assert_array_equal(run(graph)[0], run(result)[0])


def test_a_constant_without_dimensions_becomes_a_float() -> None:
    drawing = Drawing()
    graph = drawing.graph(drawing.floats("AddFusion", [drawing.input((2, 3)), drawing.weight((), [0.5])], (2, 3)))
    result = fused(graph)
    assert [n.op_type for n in result.nodes] == ["AddFusion"]
    np.testing.assert_array_equal(run(graph)[0], run(result)[0])


def test_a_graph_without_casts_is_left_alone() -> None:
    drawing = Drawing()
    graph = drawing.graph(drawing.floats("Activation", [drawing.input((2, 3))], (2, 3), activation_type="RELU"))
    assert fused(graph) is graph
