"""Post-training quantization of small float graphs, with ranges measured on images: what a converter would do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lite_delegate import Model
from lite_delegate.ir import DataType, Graph, Node, QuantParam, Value, constant, make_primitive
from lite_delegate.ir.types.enums import ActivationType, QuantType
from lite_delegate.npu.semantics.quantized_error_bounds import Steps
from tests.present import data_of, present

Array = np.ndarray[Any, Any]
DENSE = ("Conv2DFusion", "FullConnection", "MatMulFusion")
KEEPS_STEPS = ("MaxPoolFusion", "Reshape", "AvgPoolFusion", "Transpose")
"""Their results are integers of their input's steps."""


def captured(graph: Graph, images: Array) -> dict[Value, Array]:
    """What every value of a float graph is for a batch of images, by the reference kernels."""
    wanted = [v for node in graph.nodes for v in node.outputs]
    graph.inputs[0].shape = images.shape
    model = Model()
    model.build_from_graph(Graph(graph.name, graph.inputs, wanted, graph.nodes))
    results = model.predict({graph.inputs[0].name: images})
    return {graph.inputs[0]: images} | {v: t.data for v, t in zip(wanted, results, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class Quantized:
    """A graph from real numbers to real numbers that runs on integers in between.

    Attributes:
        graph: the quantized one.
        steps: of each value of the float graph.
        weight_scales: one per output channel, of each weight of the float graph.
    """

    graph: Graph
    steps: dict[Value, Steps]
    weight_scales: dict[Value, Array]


def quantized(graph: Graph, calibration: dict[Value, Array]) -> Quantized:
    """The int8 form of a float graph: asymmetric activations, symmetric weights per output channel."""
    maker = _Quantizer(graph, _steps(graph, calibration))
    return Quantized(maker.graph(), maker.steps, maker.weight_scales)


def _steps(graph: Graph, calibration: dict[Value, Array]) -> dict[Value, Steps]:
    steps = {graph.inputs[0]: _range(calibration[graph.inputs[0]])}
    for node in graph.nodes:
        (out,) = node.outputs
        if node.op_type in KEEPS_STEPS:
            steps[out] = replace(steps[present(node.inputs[0])], low=-128)
        elif node.op_type == "Softmax":
            steps[out] = Steps(1 / 256, -128)
        else:
            made = _range(calibration[out])
            relu = getattr(node.primitive, "activation_type", None) == ActivationType.RELU
            steps[out] = replace(made, low=made.zero_point) if relu else made
    return steps


def _range(values: Array) -> Steps:
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    scale = (high - low) / 255
    return Steps(scale, round(-128 - low / scale))


class _Quantizer:
    def __init__(self, graph: Graph, steps: dict[Value, Steps]) -> None:
        self.steps, self.weight_scales = steps, dict[Value, Array]()
        self._float = graph
        self._values: dict[Value, Value] = {}

    def graph(self) -> Graph:
        (x,), (y,) = self._float.inputs, self._float.outputs
        image = Value(x.name, x.dtype, x.shape)
        result = Value(y.name, y.dtype, y.shape)
        first = Node("quantize", _cast(DataType.FLOAT32, DataType.INT8), [image], [self._stored(x)])
        nodes = [self._node(node) for node in self._float.nodes]
        last = Node("dequantize", _cast(DataType.INT8, DataType.FLOAT32), [self._stored(y)], [result])
        result.quant_params = self._stored(y).quant_params
        return Graph(f"{self._float.name}_int8", [image], [result], [first, *nodes, last])

    def _stored(self, value: Value) -> Value:
        if value not in self._values:
            steps = self.steps[value]
            params = (QuantParam(steps.scale, steps.zero_point, inited=True),)
            self._values[value] = Value(f"{value.name}/int8", DataType.INT8, value.shape, quant_params=params)
        return self._values[value]

    def _node(self, node: Node) -> Node:
        inputs = [self._stored(v) if v in self.steps else v for v in node.inputs]
        if node.op_type in DENSE:
            inputs[1:] = self._weights(node)
        outputs = [self._stored(v) for v in node.outputs]
        return Node(node.name, node.primitive, inputs, outputs, QuantType.QUANT_ALL)

    def _weights(self, node: Node) -> list[Value]:
        x, weight, *biases = node.inputs
        assert x is not None
        assert weight is not None
        data = data_of(node, 1)
        rows = data.reshape(data.shape[0], -1).astype(np.float64)
        scales = np.abs(rows).max(axis=1) / 127
        q = np.rint(rows / scales[:, None]).astype(np.int8).reshape(data.shape)
        stored = constant(f"{weight.name}/int8", q)
        stored.quant_params = tuple(QuantParam(float(s), 0, inited=True) for s in scales)
        self.weight_scales[weight] = scales
        step = self.steps[x].scale * scales
        return [stored, *(constant(f"{b.name}/int32", np.rint(b.data / step).astype(np.int32)) for b in biases if b)]


def _cast(source: DataType, target: DataType) -> Any:
    return make_primitive("QuantDTypeCast", src_t=int(source), dst_t=int(target))
