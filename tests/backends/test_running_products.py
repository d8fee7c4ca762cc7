"""Running products along long axes, which no runtime's release 21 has, as whole models by ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from lite_delegate import Core
from tests.backends.one_input import one_input

RELEASE = 26
LONG = 2500
"""Shorter axes have another form before backends are asked."""


@pytest.mark.parametrize("device", ["ONNXRUNTIME", "OPENVINO"])
@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_an_axis_that_the_runtime_has_elsewhere(device: str, exclusive: int, reverse: int) -> None:
    pytest.importorskip(device.lower(), reason=f"the package {device.lower()} is not installed")
    x = np.random.default_rng(3).uniform(0.99, 1.01, (1, 2, LONG, 3)).astype(np.float32)
    nodes = [
        helper.make_node("MaxPool", ["x"], ["m"], kernel_shape=[1, 2]),
        helper.make_node("CumProd", ["m", "axis"], ["p"], "product", exclusive=exclusive, reverse=reverse),
        helper.make_node("Transpose", ["p"], ["y"], perm=[0, 2, 3, 1]),
    ]
    model = one_input(nodes, {"axis": np.int64(-2)}, x.shape, (1, LONG, 2, 2), opset=RELEASE)
    compiled = Core().compile_model(model.SerializeToString(), device)
    (names,) = compiled.graph_kernels.values()
    assert "product" in names
    (got,) = compiled.create_infer_request().infer({"x": x})
    (expected,) = ReferenceEvaluator(model).run(None, {"x": x})
    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=1e-4)
