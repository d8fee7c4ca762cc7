"""Scales that ONNX Runtime's kernels on 8-bit integers cannot reckon with: they fail, or give the lowest integer."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.emitting.unsigned import wants_unsigned
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.backends.onnxruntime.sessions.optimized import optimized
from lite_delegate.onnx_backend import PreparedModel, prepare

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(5)
SHAPE = (1, 3, 4, 4)
POOL: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
FUSED = {
    "GlobalAveragePool": "QLinearGlobalAveragePool",
    "AveragePool": "QLinearAveragePool",
    "Add": "QLinearAdd",
    "Mul": "QLinearMul",
}


def real_result(op: str, *operands: Array) -> Array:
    """What an operator gives, in float64."""
    x, *other = operands
    if op == "GlobalAveragePool":
        return np.asarray(x.mean((2, 3), keepdims=True))
    if op == "AveragePool":
        return np.asarray(x.reshape(1, 3, 2, 2, 2, 2).mean((3, 5)))
    return x + other[0] if op == "Add" else x * other[0]


def network(op: str, dtype: type[np.integer], steps: tuple[float, float], relu: bool) -> onnx.ModelProto:
    """One operator between integers of these steps; a Relu behind it on request."""
    zero, elem_type = np.array(7, dtype), helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    if relu:
        zero = np.array(np.iinfo(dtype).min, dtype)
    names = ["a", "b"][: 2 if op in ("Add", "Mul") else 1]
    arrays = {"xs": np.float32(steps[0]), "ys": np.float32(steps[1]), "xz": np.array(7, dtype), "yz": zero}
    nodes = [helper.make_node("DequantizeLinear", [name, "xs", "xz"], [f"{name}_real"]) for name in names]
    nodes.append(
        helper.make_node(op, [f"{name}_real" for name in names], ["m"], **(POOL if op == "AveragePool" else {}))
    )
    nodes += [helper.make_node("Relu", ["m"], ["r"])] if relu else []
    nodes.append(helper.make_node("QuantizeLinear", ["r" if relu else "m", "ys", "yz"], ["y"]))
    inputs = [helper.make_tensor_value_info(name, elem_type, SHAPE) for name in names]
    constants = [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()]
    outputs = [helper.make_tensor_value_info("y", elem_type, None)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def operators(prepared: PreparedModel) -> set[str]:
    """What ONNX Runtime runs."""
    (kernel,) = prepared.model.get_graph_kernels()
    assert isinstance(kernel, OnnxRuntimeGraph)
    whole = kernel.shared.whole()
    content = optimized(whole.content, whole.outside, kernel.shared.settings).content
    return {node.op_type for node in onnx.load_from_string(content).graph.node}


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("steps", [(2.0**-40, 1.0), (2.0**-33, 1.0), (1.0, 2.0**-16), (1.0, 2.0**-24), (1.0, 2.0**-40)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("op", list(FUSED))
def test_scales_may_be_far_apart(op: str, dtype: type[np.integer], steps: tuple[float, float], relu: bool) -> None:
    limits = np.iinfo(dtype)
    given = [RNG.integers(limits.min, limits.max + 1, SHAPE) for _ in range(2 if op in ("Add", "Mul") else 1)]
    real = real_result(op, *((x - 7.0) * steps[0] for x in given))
    zero = 7
    if relu:
        real, zero = np.maximum(real, 0), limits.min
    expected = np.clip(np.rint(real / steps[1]) + zero, limits.min, limits.max)
    model = network(op, dtype, steps, relu)
    (y,) = prepare(model, delegate=OnnxRuntimeDelegate(threads=1)).run([x.astype(dtype) for x in given])
    np.testing.assert_array_equal(y, expected)


@pytest.mark.skipif(not wants_unsigned("CPUExecutionProvider"), reason="other processors' kernels are others")
@pytest.mark.parametrize("ratio", [2.0**-7, 1.0, 2.0**7])
@pytest.mark.parametrize("op", list(FUSED))
def test_others_are_reckoned_with_in_integers(op: str, ratio: float) -> None:
    found = operators(prepare(network(op, np.uint8, (ratio, 1.0), False), delegate=OnnxRuntimeDelegate(threads=1)))
    assert FUSED[op] in found
    assert "DequantizeLinear" not in found
