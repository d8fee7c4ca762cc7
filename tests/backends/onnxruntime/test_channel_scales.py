"""Factors and offsets of channels become one operator of ONNX Runtime; against numpy."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.tensors.tensor import Array

RNG = np.random.default_rng(0)


def numbers(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def predicted(
    path: Path, x: Array, factor: Array, offset: Array, *, rewrite: bool = True
) -> tuple[Array, Counter[str]]:
    """``factor * x + offset``, and the operators that ONNX Runtime is given."""
    nodes = [
        helper.make_node("Mul", ["factor", "x"], ["p"]),
        helper.make_node("Add", ["p", "offset"], ["s"]),
        helper.make_node("Sigmoid", ["s"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name in "xy"]
    constants = [numpy_helper.from_array(array, name) for name, array in (("factor", factor), ("offset", offset))]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    context, model = Context(), Model()
    context.rewrite = rewrite
    context.set_delegate(OnnxRuntimeDelegate(threads=1))
    model.build_from_file(str(path), context=context)
    (kernel,) = model.get_graph_kernels()
    assert isinstance(kernel, OnnxRuntimeGraph)
    given = onnx.load_from_string(kernel.shared.whole().content).graph
    (y,) = model.predict([x])
    return np.asarray(y.get_data_to_numpy()), Counter(node.op_type for node in given.node)


def expected(x: Array, factor: Array, offset: Array) -> Array:
    y = 1 / (1 + np.exp(-(x.astype(np.float64) * factor + offset)))
    return np.asarray(y)


@pytest.mark.parametrize(
    ("shape", "factor", "offset"),
    [
        ((2, 5, 4, 3), (5, 1, 1), (1, 5, 1, 1)),
        ((2, 5, 5, 5), (5, 1, 1), (5, 1, 1)),
        ((2, 5, 7), (5, 1), (1, 5, 1)),
        ((2, 5, 2, 3, 4), (5, 1, 1, 1), (5, 1, 1, 1)),
        ((2, 5, 4, 3), (5, 1, 1), ()),
        ((2, 5, 4, 3), (1,), (5, 1, 1)),
    ],
)
def test_one_operator_does_both(
    tmp_path: Path, shape: tuple[int, ...], factor: tuple[int, ...], offset: tuple[int, ...]
) -> None:
    given = numbers(*shape), np.asarray(numbers(*factor)), np.asarray(numbers(*offset))
    y, operators = predicted(tmp_path / "m.onnx", *given)
    np.testing.assert_allclose(y, expected(*given), rtol=1e-5, atol=1e-6)
    assert operators["BatchNormalization"] == 1
    assert not {"Mul", "Add"} & set(operators)


@pytest.mark.parametrize(
    ("shape", "factor", "offset"),
    [
        ((2, 5, 5, 5), (5,), (5, 1, 1)),
        ((2, 5, 4, 3), (5, 1, 1), (4, 1)),
        ((2, 5, 4, 3), (2, 1, 1, 1), (5, 1, 1)),
        ((2, 5, 4, 3), (), (1,)),
        ((2, 1, 4, 3), (1, 1, 1), (1, 1, 1)),
        ((2, 5), (5,), (5,)),
    ],
    ids=["last axis", "rows", "batch", "one for all", "one channel", "no positions"],
)
def test_other_constants_stay(
    tmp_path: Path, shape: tuple[int, ...], factor: tuple[int, ...], offset: tuple[int, ...]
) -> None:
    given = numbers(*shape), np.asarray(numbers(*factor)), np.asarray(numbers(*offset))
    y, operators = predicted(tmp_path / "m.onnx", *given)
    np.testing.assert_allclose(y, expected(*given), rtol=1e-5, atol=1e-6)
    assert operators["BatchNormalization"] == 0


def test_without_rewrites_they_stay(tmp_path: Path) -> None:
    _, operators = predicted(
        tmp_path / "m.onnx", numbers(1, 5, 2, 2), numbers(5, 1, 1), numbers(5, 1, 1), rewrite=False
    )
    assert (operators["Mul"], operators["Add"]) == (1, 1)


def test_infinities_and_nan_stay_what_they_are(tmp_path: Path) -> None:
    x = np.array([[[[np.inf, -np.inf, np.nan, 0.0]], [[1.0, np.nan, np.inf, -1.0]]]], np.float32)
    given = x, np.array([[[2.0]], [[-1.0]]], np.float32), np.array([[[1.0]], [[0.5]]], np.float32)
    y, operators = predicted(tmp_path / "m.onnx", *given)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(y, expected(*given), rtol=1e-5)
    assert operators["BatchNormalization"] == 1
