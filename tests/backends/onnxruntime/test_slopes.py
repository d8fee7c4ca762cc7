"""PRelu by other operators of ONNX Runtime, and as a part of products of OpenVINO; against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, Delegate, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.tensors.tensor import Array

X = np.array([-np.inf, -3.0, -0.5, -1e-30, -0.0, 0.0, 1e-30, 0.5, 3.0, np.inf], np.float32)
IMAGES = np.stack([np.stack([X, 2 * X]), np.stack([-X, X / 4])]).reshape(2, 2, 5, 2)


def predicted(
    path: Path, x: Array, slopes: Array, delegate: Delegate, weights: Array | None = None, *, rewrite: bool = True
) -> tuple[Array, Model]:
    """What a delegate makes of PRelu, behind a convolution where there are weights; and the model."""
    nodes = [
        helper.make_node("Identity" if weights is None else "Conv", ["x", "w"][: 1 if weights is None else 2], ["a"])
    ]
    nodes.append(helper.make_node("PRelu", ["a", "slopes"], ["y"]))
    constants = {"slopes": slopes} if weights is None else {"slopes": slopes, "w": weights}
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name in "xy"]
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    context, model = Context(), Model()
    context.rewrite = rewrite
    context.set_delegate(delegate)
    model.build_from_file(str(path), context=context)
    (y,) = model.predict([x])
    return np.asarray(y.get_data_to_numpy()), model


def operators(model: Model) -> list[str]:
    (kernel,) = model.get_graph_kernels()
    assert isinstance(kernel, OnnxRuntimeGraph)
    found = onnx.load_from_string(kernel.shared.whole().content).graph.node
    return [node.op_type for node in found if node.op_type not in ("Identity", "Transpose", "Reshape")]


def expected(x: Array, slopes: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.where(x > 0, x, slopes * x)


@pytest.mark.parametrize(
    ("slopes", "written"),
    [
        ([0.25, -2.0], ["Mul", "Max"]),
        ([1.0, 0.5], ["Mul", "Max"]),
        ([1.25, 0.5], ["Relu", "Min", "Mul", "Add"]),
        ([-7.0, 3.0], ["Relu", "Min", "Mul", "Add"]),
    ],
)
def test_other_operators_give_the_same(tmp_path: Path, slopes: list[float], written: list[str]) -> None:
    laid = np.array(slopes, np.float32).reshape(2, 1, 1)
    y, model = predicted(tmp_path / "m.onnx", IMAGES, laid, OnnxRuntimeDelegate(threads=1))
    np.testing.assert_array_equal(y, expected(IMAGES, laid))
    assert operators(model) == written


def test_without_rewrites_it_is_one(tmp_path: Path) -> None:
    laid = np.array([0.25, -2.0], np.float32).reshape(2, 1, 1)
    y, model = predicted(tmp_path / "m.onnx", IMAGES, laid, OnnxRuntimeDelegate(threads=1), rewrite=False)
    np.testing.assert_array_equal(y, expected(IMAGES, laid))
    assert operators(model) == ["PRelu"]


@pytest.mark.parametrize("shape", [(4, 1, 1), (1, 4, 1, 1)])
def test_a_convolution_of_openvino_takes_it_in(tmp_path: Path, shape: tuple[int, ...]) -> None:
    pytest.importorskip("openvino", reason="the package openvino is not installed")
    from lite_delegate.backends.openvino import OpenVINODelegate
    from lite_delegate.backends.openvino.graph import OpenVINOGraph

    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, 4, 6, 6)).astype(np.float32)
    weights, slopes = (
        rng.standard_normal((4, 4, 1, 1)).astype(np.float32),
        rng.standard_normal(shape).astype(np.float32),
    )
    y, model = predicted(tmp_path / "m.onnx", x, slopes, OpenVINODelegate(), weights)
    products = np.einsum("oi,nihw->nohw", weights[:, :, 0, 0].astype(np.float64), x)
    np.testing.assert_allclose(y, expected(products, slopes), rtol=1e-4, atol=1e-5)
    (kernel,) = model.get_graph_kernels()
    assert isinstance(kernel, OpenVINOGraph)
    nodes = kernel.shared.compiled.get_runtime_model().get_ops()
    types = [str(node.get_rt_info()["layerType"].astype(str)) for node in nodes]
    assert types.count("Convolution") == 1
    assert not {"Eltwise", "Math", "Subgraph"} & set(types)
