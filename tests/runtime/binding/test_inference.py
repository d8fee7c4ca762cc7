"""Shape inference works out small values that depend on constants alone, whatever the operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array, ArraySpec
from lite_delegate_kernels.built_in import built_in_kernels

from lite_delegate import ShapeError
from lite_delegate.ir import Graph, Node, Value, constant, from_numpy, make_primitive
from lite_delegate.runtime.binding.inference import Operators
from lite_delegate.runtime.binding.model_inference import MAIN, ModelInference
from lite_delegate.shapes.folding import MAX_FOLDED_ELEMENTS


def _inferred(op_type: str, *inputs: Array | Value, dtype: str | None = None, **attributes: Any) -> ArraySpec:
    """The spec of the output of one node."""
    operands = [x if isinstance(x, Value) else constant(f"c{i}", x) for i, x in enumerate(inputs)]
    out = Value("y", operands[0].dtype if dtype is None else from_numpy(np.dtype(dtype)), None)
    node = Node("n", make_primitive(op_type, **attributes), list(operands), [out])
    graph = Graph("main", [v for v in operands if not v.is_constant], [out], [node])
    spec = ModelInference(graph, Operators(built_in_kernels())).run({})[MAIN][out]
    assert isinstance(spec, ArraySpec)
    return spec


A, B = np.array([7, -7], dtype=np.int32), np.array([1, 4], dtype=np.int32)


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes", "expected"),
    [
        ("AddFusion", (A, B), {}, np.array([8, -3], dtype=np.int32)),
        ("DivFusion", (A, B), {}, np.array([7, -1], dtype=np.int32)),
        ("DivFusion", (A, B), {"activation_type": "RELU"}, np.array([7, 0], dtype=np.int32)),
        ("Maximum", (A, B), {}, np.array([7, 4], dtype=np.int32)),
        ("Eltwise", (A, B), {"mode": "PROD"}, np.array([7, -28], dtype=np.int32)),
        ("ReduceFusion", (np.array([2, 3, 4], dtype=np.int64),), {"mode": "ReduceProd"}, np.array(24, dtype=np.int64)),
    ],
)
def test_small_constants_are_worked_out(
    op_type: str, inputs: tuple[Array, ...], attributes: dict[str, Any], expected: Array
) -> None:
    spec = _inferred(op_type, *inputs, **attributes)
    assert spec.value is not None
    np.testing.assert_array_equal(spec.value, expected, strict=True)
    assert (spec.dtype, spec.shape) == (expected.dtype, expected.shape)


def test_a_cast_constant_has_the_new_type() -> None:
    spec = _inferred("Cast", np.array([1.5, -2.5], dtype=np.float32), np.array(35, dtype=np.int32), dtype="int64")
    np.testing.assert_array_equal(np.asarray(spec.value), np.array([1, -2], dtype=np.int64), strict=True)


def test_an_operator_that_reads_a_variable_is_not_worked_out() -> None:
    spec = _inferred("AddFusion", Value("x", from_numpy(A.dtype), (2,)), B)
    assert (spec.shape, spec.value) == ((2,), None)


def test_large_constants_are_not_worked_out() -> None:
    third = MAX_FOLDED_ELEMENTS // 3
    for size, known in ((third, True), (third + 1, False)):
        big = np.ones(size, dtype=np.float32)
        assert (_inferred("AddFusion", big, big).value is not None) == known
    column, row = np.ones((64, 1), dtype=np.float32), np.ones((1, 64), dtype=np.float32)
    assert _inferred("AddFusion", column, row).value is None


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "int64"])
def test_constants_that_cannot_be_worked_out_are_an_error_that_names_the_node(dtype: str) -> None:
    a, b = np.array([4, 4], dtype=dtype), np.array([2, 0], dtype=dtype)
    with pytest.raises(ShapeError, match=r"Node 'n' \(DivFusion\): integer division by zero"):
        _inferred("DivFusion", a, b)
