"""Normalizations by what a batch has itself, between other layers, as whole models by ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from lite_delegate import Core
from tests.backends.one_input import one_input

DOUBLE = (TensorProto.DOUBLE, TensorProto.DOUBLE)


@pytest.mark.parametrize("device", ["ONNXRUNTIME", "OPENVINO"])
@pytest.mark.parametrize("middle", [0.0, 1000.0])
def test_a_batch_is_normalized_by_itself(device: str, middle: float) -> None:
    """Also where its mean is many deviations from 0, and between layers that have channels elsewhere."""
    pytest.importorskip(device.lower(), reason=f"the package {device.lower()} is not installed")
    rng = np.random.default_rng(4)
    x = rng.normal(middle, 1, (3, 4, 17, 15)).astype(np.float32)
    numbers = {name: rng.uniform(0.5, 2, 4).astype(np.float32) for name in ("scale", "bias", "mean", "variance")}
    norm = helper.make_node("BatchNormalization", ["m", *numbers], ["n", "means", "variances"], "norm", training_mode=1)
    nodes = [
        helper.make_node("MaxPool", ["x"], ["m"], kernel_shape=[2, 2]),
        norm,
        helper.make_node("Transpose", ["n"], ["y"], perm=[0, 2, 3, 1]),
    ]
    model = one_input(nodes, numbers, x.shape, (3, 16, 14, 4))
    compiled = Core().compile_model(model.SerializeToString(), device)
    (names,) = compiled.graph_kernels.values()
    assert "norm" in names
    (got,) = compiled.create_infer_request().infer({"x": x})
    doubled = one_input(nodes, {name: v.astype(np.float64) for name, v in numbers.items()}, x.shape, types=DOUBLE)
    (expected,) = ReferenceEvaluator(doubled).run(None, {"x": x.astype(np.float64)})
    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=1e-5, atol=1e-5)
