"""Quantized operators without a result for some finite numbers: integers of these are the zero point, as on the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import NodeQuantization, Quantization

from lite_delegate import Context, Delegate, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.conformance.judging.chain import Chain, ChainNode, chain_graph
from lite_delegate.npu import NPUDelegate

X = np.arange(-20, 0, dtype=np.int8).reshape(4, 5)
GIVEN, RESULT = Quantization((0.25,), (12,)), Quantization((0.03,), (31,))
"""All of X stand for numbers of -3 and less."""
DELEGATES: Mapping[str, type[Delegate] | None] = {
    "none": None, "onnxruntime": OnnxRuntimeDelegate, "openvino": OpenVINODelegate, "npu": NPUDelegate,
}  # fmt: skip


@pytest.mark.parametrize("op_type", ["Sqrt", "Rsqrt", "Log", "Log1p", "PowFusion"])
@pytest.mark.parametrize("name", DELEGATES)
def test_what_is_undefined_is_the_zero_point(name: str, op_type: str) -> None:
    if name in ("onnxruntime", "openvino"):
        pytest.importorskip(name)
    operands = ("x", "half") if op_type == "PowFusion" else ("x",)
    half = {"half": np.array([2], np.int8)} if op_type == "PowFusion" else {}
    known = NodeQuantization((GIVEN, Quantization((0.25,), (0,)))[: len(operands)], (RESULT,))
    node = ChainNode("node", op_type, operands, ("y",), {}, known)
    graph = chain_graph(Chain("undefined", (node,), {"x": X}, half, ("y",)), [X])
    context, kind = Context(), DELEGATES[name]
    if kind is not None:
        context.set_delegate(kind())
    model: Any = Model()
    model.build_from_graph(graph, context)
    assert {bool(each.subgraph) for each in model.get_partition().nodes} == {kind is not None}
    np.testing.assert_array_equal(model.predict([X])[0].data, np.full(X.shape, RESULT.zero_points[0]))
