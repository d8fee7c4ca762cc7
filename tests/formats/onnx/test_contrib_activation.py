"""ONNX Runtime's own activation functions, against ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.formats.onnx.comparing import check

RNG = np.random.default_rng(4)
X = RNG.normal(size=(2, 3, 8)).astype(np.float32) * 3
BIAS = RNG.normal(size=8).astype(np.float32)


@pytest.mark.parametrize(
    ("call", "operators"),
    [
        ("FastGelu(x)", ["Activation"]),
        ("FastGelu(x, bias)", ["AddFusion", "Activation"]),
        ("BiasGelu(x, bias)", ["AddFusion", "Activation"]),
        ("Gelu(x)", ["Activation"]),
        ("QuickGelu(x)", ["MulFusion", "Activation", "MulFusion"]),
        ("QuickGelu<alpha=0.5>(x)", ["MulFusion", "Activation", "MulFusion"]),
        ("QuickGelu<alpha=1.0>(x)", ["Activation"]),
    ],
)
def test_activation(call: str, operators: list[str], tmp_path: Path) -> None:
    model = onnx.parser.parse_model(f"""
        <ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        g (float[2,3,8] x, float[8] bias) => (float[2,3,8] y) {{ y = com.microsoft.{call} }}""")
    graph = check(model, {"x": X, "bias": BIAS}, folder=tmp_path)
    assert [node.op_type for node in graph.nodes] == operators
