"""Models of one input, and what ONNX Runtime makes of them by itself, for tests of backends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]


def one_input(
    nodes: Sequence[onnx.NodeProto],
    constants: Mapping[str, Any],
    *shapes: Sequence[int],
    types: Sequence[int] = (TensorProto.FLOAT, TensorProto.FLOAT),
    opset: int = 17,
) -> onnx.ModelProto:
    """A model whose input is ``x`` and whose output is ``y``.

    Args:
        nodes: of the graph.
        constants: arrays and numbers of numpy's by name.
        shapes: of the input, and of the output where that is another.
        types: of both, by ONNX's numbers.
        opset: the release of ONNX's operators.
    """
    both = zip("xy", types, (shapes[0], shapes[-1]), strict=True)
    x, y = (helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in both)
    held = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def unoptimized(path: Path, x: Array) -> Array:
    """What ONNX Runtime computes of the file of such a model with the operators as they stand there."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    (y,) = onnxruntime.InferenceSession(path, options).run(None, {"x": x})
    return np.asarray(y)
