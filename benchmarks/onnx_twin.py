"""A classifier of ``benchmarks.networks`` for ONNX Runtime: the same weights, NCHW, activations as own nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper

from lite_delegate.ir import Graph, Node, Value

Array = np.ndarray[Any, Any]
OPSET = 20


class Twin:
    """Translates the nodes of one network in order.

    Args:
        graph: of convolutions with explicit padding, additions, max pools, and a classifier at its end.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def model(self) -> onnx.ModelProto:
        """The network: input (N, C, H, W), the output as it is.

        Raises:
            KeyError: an operator that the networks above do not have.
        """
        translate: dict[str, Callable[[Node], None]] = {
            "Conv2DFusion": self._convolution,
            "AddFusion": lambda node: self._activated(node, "Add", [v.name for v in _operands(node)]),
            "MaxPoolFusion": self._max_pool,
            "AvgPoolFusion": lambda node: self._add(node, "GlobalAveragePool", [_operands(node)[0].name]),
            "Reshape": lambda node: self._add(node, "Flatten", [_operands(node)[0].name]),
            "FullConnection": self._dense,
            "Softmax": lambda node: self._add(node, "Softmax", [_operands(node)[0].name]),
        }
        for node in self._graph.nodes:
            translate[node.primitive.op_type](node)
        (x,), (y,) = self._graph.inputs, self._graph.outputs
        n, h, w, c = x.shape or ()
        given = helper.make_tensor_value_info(x.name, onnx.TensorProto.FLOAT, (n, c, h, w))
        taken = helper.make_tensor_value_info(y.name, onnx.TensorProto.FLOAT, None)
        graph = helper.make_graph(self._nodes, "twin", [given], [taken], self._weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)

    def _convolution(self, node: Node) -> None:
        p: Any = node.primitive
        x, weight, bias = _operands(node)
        names = [x.name, self._constant(_data(weight).transpose(0, 3, 1, 2)), self._constant(_data(bias))]
        top, bottom, left, right = p.pad_list
        self._activated(
            node, "Conv", names, group=p.group, strides=list(p.stride), pads=[top, left, bottom, right]
        )  # fmt: skip

    def _max_pool(self, node: Node) -> None:
        p: Any = node.primitive
        top, bottom, left, right = p.pad
        sizes = {"kernel_shape": list(p.kernel_size), "strides": list(p.strides)}
        self._add(node, "MaxPool", [_operands(node)[0].name], pads=[top, left, bottom, right], **sizes)

    def _dense(self, node: Node) -> None:
        x, weight, bias = _operands(node)
        names = [x.name, self._constant(_data(weight)), self._constant(_data(bias))]
        self._add(node, "Gemm", names, transB=1)

    def _activated(self, node: Node, kind: str, inputs: Sequence[str], **attributes: Any) -> None:
        activation = getattr(node.primitive, "activation_type", None)
        name = "" if activation is None else activation.name
        out = node.outputs[0].name
        if name in ("", "NO_ACTIVATION"):
            self._add(node, kind, inputs, **attributes)
            return
        self._nodes.append(helper.make_node(kind, list(inputs), [f"{out}/sum"], **attributes))
        if name == "RELU":
            self._nodes.append(helper.make_node("Relu", [f"{out}/sum"], [out]))
        else:
            bounds = [self._constant(np.float32(bound)) for bound in (0.0, 6.0)]
            self._nodes.append(helper.make_node("Clip", [f"{out}/sum", *bounds], [out]))

    def _add(self, node: Node, kind: str, inputs: Sequence[str], **attributes: Any) -> None:
        self._nodes.append(helper.make_node(kind, list(inputs), [node.outputs[0].name], **attributes))

    def _constant(self, data: Any) -> str:
        name = f"w{len(self._weights)}"
        self._weights.append(onnx.numpy_helper.from_array(np.ascontiguousarray(data), name))
        return name


def _operands(node: Node) -> list[Value]:
    return [value for value in node.inputs if value is not None]


def _data(weight: Value) -> Array:
    if weight.data is None:
        raise ValueError(f"'{weight.name}' is no constant")
    return weight.data


def onnx_call(graph: Graph, x: Array, threads: int) -> Callable[[], Array]:
    """ONNX Runtime's prediction for ``x`` (N, H, W, C)."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    model = Twin(graph).model().SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {graph.inputs[0].name: np.ascontiguousarray(x.transpose(0, 3, 1, 2))}

    def call() -> Array:
        y: Array = session.run(None, feeds)[0]
        return y

    return call
