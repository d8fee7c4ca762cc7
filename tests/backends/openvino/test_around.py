"""Models that OpenVINO's CPU computes wrong numbers for as they are; expected values are those of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.backends.openvino import drawn as base
from tests.backends.openvino.drawn import GATES, compiled_of, kinds

pytest.importorskip("openvino", reason="the package openvino is not installed")
Shape = tuple[int, ...]


class Drawn(base.Drawn):
    """Real and quantized nodes with constants by chance."""

    def __init__(self) -> None:
        super().__init__()
        self.rng = np.random.default_rng(3)

    def numbers(self, *shape: int) -> str:
        return self.array(self.rng.normal(size=shape).astype(np.float32))

    def scale(self, scale: float, zero: Any) -> tuple[str, str]:
        return self.array(np.float32(scale)), self.array(zero)

    def quantized(self, x: str, scale: float, zero: Any) -> str:
        """There and back."""
        pair = self.scale(scale, zero)
        return self.node("DequantizeLinear", self.node("QuantizeLinear", x, *pair), *pair)

    def weights(self, *shape: int) -> str:
        held = self.rng.integers(-60, 60, shape).astype(np.int8)
        return self.node("DequantizeLinear", self.array(held), *self.scale(0.0071, np.int8(0)))

    def runtime_model(self, shape: Shape, outputs: Mapping[str, float], dtype: Any = np.float32) -> Any:
        """What OpenVINO made of it, after a run of the whole model that was right.

        Args:
            shape: of the input.
            outputs: how far each may be off.
            dtype: of the input.
        """
        x = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)
        made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "g", [x], made, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        given = (self.rng.normal(size=shape) * (1 if dtype == np.float32 else 40)).astype(dtype)
        return compiled_of(model, given, outputs.values())


@pytest.mark.parametrize(
    "zeros", [np.array([129, 131, 0], np.uint8), np.array([0, 3, -2], np.int8)], ids=["uint8", "int8"]
)
@pytest.mark.parametrize("between", ["", "Relu", "Add"])
@pytest.mark.parametrize("size", [4, 64])
def test_quantized_products_in_a_row_are_products_of_integers(size: int, between: str, zeros: Any) -> None:
    drawn = Drawn()
    y = drawn.quantized("x", 0.03, zeros[0])
    for layer, zero in enumerate(zeros):
        y = drawn.node("MatMul", y, drawn.weights(size, size))
        if between:
            y = drawn.node(between, y, *([drawn.numbers(size)] if between == "Add" else []))
        y = drawn.quantized(y, 0.041 + 0.01 * layer, zero)
    compiled = drawn.runtime_model((8, size), {y: 0.15})  # 8-bit integers may be a step off, three times
    assert kinds(compiled).count("FullyConnected") == len(zeros)


def convolved(drawn: Drawn, x: str) -> str:
    return drawn.node("Conv", drawn.node("Transpose", x, perm=[0, 3, 1, 2]), drawn.numbers(2, 3, 2, 2))


def resized(drawn: Drawn, x: str) -> str:
    first = drawn.node("Transpose", x, perm=[0, 3, 1, 2])
    sizes = drawn.array(np.array([2, 3, 8, 8], np.int64))
    return drawn.node("Resize", first, "", "", sizes, mode="linear")


def beside(drawn: Drawn, x: str, how: str, dims: list[int]) -> str:
    """What another operator gives, that OpenVINO runs by giving ``x`` a place in it."""
    if how == "Concat":
        return drawn.node("Cos", drawn.node("Concat", x, x, axis=0))
    return drawn.node(how, x, drawn.array(np.array(dims if how == "Reshape" else [0], np.int64)))


@pytest.mark.parametrize("read", [convolved, resized], ids=lambda read: read.__name__)
@pytest.mark.parametrize("how", ["Reshape", "Unsqueeze", "Concat"])
def test_an_image_that_is_read_in_place_beside_it(how: str, read: Any) -> None:
    drawn = Drawn()
    x = drawn.node("Abs", "x")
    outputs = [beside(drawn, x, how, [24, 4, 1]), read(drawn, x)]
    drawn.runtime_model((2, 4, 4, 3), dict.fromkeys(outputs, 1e-5))


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("how", ["Reshape", "Unsqueeze", "Concat"])
def test_a_layer_whose_input_is_read_in_place_beside_it(how: str, direction: str, kind: str) -> None:
    drawn, directions, rows = Drawn(), 1 + (direction == "bidirectional"), 2 * GATES[kind]
    x = drawn.node("Abs", "x")
    weights = [drawn.numbers(directions, rows, 4), drawn.numbers(directions, rows, 2)]
    drawn.nodes.append(helper.make_node(kind, [x, *weights], ["", "last"], hidden_size=2, direction=direction))
    drawn.runtime_model((2, 3, 4), dict.fromkeys([beside(drawn, x, how, [6, 4]), "last"], 1e-5))


@pytest.mark.parametrize("moved", [False, True])
def test_integers_are_clamped_to_bounds_that_are_none(moved: bool) -> None:
    drawn = Drawn()
    y = drawn.node("DequantizeLinear", "x", *drawn.scale(0.0676, np.int8(-2)))
    bounds = [drawn.array(np.float32(bound)) for bound in (-0.51, 0.998)]
    clamped = drawn.node("Clip", drawn.node("MaxPool", y, kernel_shape=[2, 2]) if moved else y, *bounds)
    real = drawn.quantized(drawn.node("Cos", y), 0.0856, np.uint8(132))
    integers = drawn.quantized(drawn.node("Conv", real, drawn.weights(4, 2, 2, 2)), 0.061, np.uint8(129))
    drawn.runtime_model((1, 2, 5, 6), {drawn.node("GlobalMaxPool", clamped): 1e-6, integers: 0.062}, dtype=np.int8)


@pytest.mark.parametrize("stride", [2, 3])
@pytest.mark.parametrize("pads", [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 0, 2)])
@pytest.mark.parametrize("columns", [4, 5])
def test_convolutions_of_one_channel_that_give_one_column(columns: int, pads: Shape, stride: int) -> None:
    drawn = Drawn()
    y = drawn.node("Conv", "x", drawn.numbers(5, 1, 3, 3), drawn.numbers(5), strides=[1, stride], pads=list(pads))
    drawn.runtime_model((1, 1, 5, columns), {y: 1e-5})
