"""OneHotFusionPass: one-hot vectors before a matrix; ONNX Runtime is the judge, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from tests.passes.fusion.onnx_forms import Form, on_onnxruntime, optimized, planned

pytest.importorskip("onnxruntime")
ROWS, SHAPE = 9, (2, 6)
INDICES = np.array([[0, 8, 3, -1, 9, 5], [-9, 7, 2147483647, -2147483648, 1, 8]])


def form(dtype: int = TensorProto.INT32, *, is_open: bool = False) -> Form:
    return Form(0, SHAPE, is_open=is_open, dtype=dtype)


def vectors(f: Form, dtype: Any = np.int32, *, start: int = 0, is_repeated: bool = False, to: int = 1) -> str:
    column = f.op("Reshape", "x", f.const([-1, SHAPE[1], 1], np.int64))
    if is_repeated:
        sizes = f.op("Concat", f.op("Slice", f.op("Shape", "x"), f.const([0], np.int64), f.const([1], np.int64)),
                     f.const([SHAPE[1], 1], np.int64), axis=0)  # fmt: skip
        column = f.op("Expand", column, sizes)
    counting = f.const(np.arange(start, start + ROWS).reshape(1, 1, ROWS), dtype)
    return f.op("Cast", f.op("Equal", column, counting), to=to)


def matrix(f: Form) -> str:
    return f.const(np.random.default_rng(0).normal(size=(ROWS, 4)))


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize(("dtype", "name"), [(np.int32, TensorProto.INT32), (np.int64, TensorProto.INT64)])
def test_1_2_3_rows_are_taken_and_other_indices_give_the_bias(dtype: Any, name: int, has_bias: bool) -> None:
    f = form(name)
    y = f.op("MatMul", vectors(f, dtype), matrix(f))
    model = f.model(f.op("Add", y, f.const([1.0, -2.0, 3.0, 0.5])) if has_bias else y)
    x = INDICES.astype(dtype)
    operators, outputs = planned(model, x)
    assert "Gather" in operators
    assert "MatMulFusion" not in operators
    np.testing.assert_array_equal(outputs[0], on_onnxruntime(model, x)[0])


def test_1_open_shapes_are_seen_through_in_the_plan() -> None:
    f = form(is_open=True)
    model = f.model(f.op("MatMul", vectors(f, is_repeated=True), matrix(f)))
    x = INDICES.astype(np.int32)
    operators, outputs = planned(model, x)
    assert "Gather" in operators
    np.testing.assert_array_equal(outputs[0], on_onnxruntime(model, x)[0])


def _infinite(f: Form) -> str:
    rows = np.random.default_rng(0).normal(size=(ROWS, 4))
    rows[2, 1] = np.inf
    return f.op("MatMul", vectors(f), f.const(rows))


NEAR_MISSES: dict[str, Callable[[Form], str]] = {
    "counted from one": lambda f: f.op("MatMul", vectors(f, start=1), matrix(f)),
    "an infinite matrix": _infinite,
    "vectors that others read": lambda f: f.op(
        "Add", f.op("MatMul", v := vectors(f), matrix(f)), f.op("ReduceMax", v, axes=[2], keepdims=1)
    ),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_misses_stay(name: str) -> None:
    f = form()
    model = f.model(NEAR_MISSES[name](f))
    assert "Gather" not in [n.op_type for n in optimized(model).nodes]
    x = INDICES.astype(np.int32)
    np.testing.assert_array_equal(planned(model, x)[1][0], on_onnxruntime(model, x)[0])


def test_4_vectors_without_a_matrix_stay() -> None:
    f = form()
    model = f.model(vectors(f))
    assert "Equal" in [n.op_type for n in optimized(model).nodes]
