"""ONNX files of models that cannot be planned before the shapes of their inputs are known, and what they give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

Array = np.ndarray[Any, Any]
OPSET = [helper.make_opsetid("", 17)]


def pyramid(metadata: Mapping[str, str] | None = None, extra: str = "") -> onnx.ModelProto:
    """x [N, 2, H, W] -> x joined with itself pooled by 2 and enlarged by 2, as detectors do: H and W must be even.

    Args:
        metadata: of the file.
        extra: an operator of a domain that nobody knows, behind it; "" for none.
    """
    sizes: list[str | int | None] = ["N", 2, "H", "W"]
    nodes = [
        helper.make_node("MaxPool", ["x"], ["small"], "pool", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        helper.make_node("Resize", ["small", "", "scales"], ["large"], "enlarge", mode="nearest"),
        helper.make_node("Concat", ["x", "large"], ["y"], "join", axis=1),
    ]
    if extra:
        nodes.append(helper.make_node(extra, ["y"], ["z"], "extra", domain="of.nobody"))
    graph = helper.make_graph(
        nodes,
        "pyramid",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)],
        [helper.make_tensor_value_info("z" if extra else "y", TensorProto.FLOAT, ["N", 4, "H", "W"])],
        [numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "scales")],
    )
    opsets = [*OPSET, *([helper.make_opsetid("of.nobody", 1)] if extra else [])]
    model = helper.make_model(graph, opset_imports=opsets)
    helper.set_model_props(model, dict(metadata or {}))
    return model


def convolved() -> onnx.ModelProto:
    """x [N, 8, H, W] -> x convolved by 16 filters, joined with itself pooled, convolved and enlarged; H, W are even."""
    weight = np.random.default_rng(0).integers(-4, 5, (16, 8, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["fine"], "fine", pads=[1, 1, 1, 1]),
        helper.make_node("MaxPool", ["x"], ["small"], "pool", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        helper.make_node("Resize", ["small", "", "scales"], ["large"], "enlarge", mode="nearest"),
        helper.make_node("Concat", ["fine", "large"], ["y"], "join", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "convolved",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 8, "H", "W"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "scales"), numpy_helper.from_array(weight, "w")],
    )
    return helper.make_model(graph, opset_imports=OPSET)


def enlarged() -> onnx.ModelProto:
    """x [N, 3, 4, 4] -> x enlarged to sizes that are constants: takes any N, 1 as well."""
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], "enlarge", mode="linear")
    return _of_one(node, {"sizes": np.array([2, 3, 8, 8], np.int64)})


def bordered() -> onnx.ModelProto:
    """x [N, 3, 4, 4] -> x with a border that repeats its edge: takes any N, 1 as well."""
    pads = np.array([0, 0, 1, 1, 0, 0, 1, 2], np.int64)
    return _of_one(helper.make_node("Pad", ["x", "pads"], ["y"], "border", mode="edge"), {"pads": pads})


def _of_one(node: onnx.NodeProto, constants: Mapping[str, Array]) -> onnx.ModelProto:
    graph = helper.make_graph(
        [node],
        "one",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 4, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=OPSET)


def choice() -> onnx.ModelProto:
    """x [W], first -> x with its ends repeated, between borders of 3 (first) or of 9 that mirror it; W + 2 is more."""

    def branch(name: str, border: int) -> onnx.GraphProto:
        pads = numpy_helper.from_array(np.array([border, border], np.int64), f"{name}_pads")
        made = helper.make_tensor_value_info(f"{name}_y", TensorProto.FLOAT, None)
        node = helper.make_node("Pad", ["wide", f"{name}_pads"], [f"{name}_y"], f"{name}_border", mode="reflect")
        return helper.make_graph([node], name, [], [made], [pads])

    graph = helper.make_graph(
        [
            helper.make_node("Pad", ["x", "ends"], ["wide"], "widen", mode="edge"),
            helper.make_node(
                "If", ["first"], ["y"], "which", then_branch=branch("near", 3), else_branch=branch("far", 9)
            ),
        ],
        "choice",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["W"]),
            helper.make_tensor_value_info("first", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.array([1, 1], np.int64), "ends")],
    )
    return helper.make_model(graph, opset_imports=OPSET)


def expected(model: onnx.ModelProto, *arrays: Array) -> Array:
    """What ONNX's reference evaluator gives."""
    names = [info.name for info in model.graph.input]
    (found,) = ReferenceEvaluator(model).run(None, dict(zip(names, arrays, strict=True)))
    return np.asarray(found)


def image(*shape: int) -> Array:
    """Numbers that float16 holds."""
    return np.random.default_rng(sum(shape)).integers(-64, 64, shape).astype(np.float32)
