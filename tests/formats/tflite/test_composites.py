"""Operators that become several of ours: against LiteRT where it has a kernel, else against numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite_delegate.formats.tflite import read_tflite_buffer
from tests.formats.customs import assert_custom
from tests.formats.tflite.models import T, assert_same, check, const, fed, floats, ours, out, single

A, B = floats(1, 2, 3), floats(2, 2, 3)
NUMBERS = T(np.array([[7, -7, 9], [-8, 5, 3]], np.int32))
OTHERS = T(np.array([[2, 3, -4], [3, -2, 3]], np.int32))
TRUTHS, LIES = T(A.data > 0), T(B.data > 0)


def test_diagonals() -> None:
    check("MATRIX_DIAG", [floats(1, 2, 3)], table="MatrixDiagOptions")
    infinite = T(np.array([[np.inf, 1, np.nan]], np.float32))
    check("MATRIX_DIAG", [infinite], table="MatrixDiagOptions")
    check("MATRIX_SET_DIAG", [floats(1, 2, 3, 3), floats(2, 2, 3)], table="MatrixSetDiagOptions")


def test_diagonals_of_other_matrices_are_rejected() -> None:
    content = single("MATRIX_SET_DIAG", [floats(1, 2, 3), floats(2, 2)], [out()], "MatrixSetDiagOptions")
    assert_custom(read_tflite_buffer(content), "must be square")
    for size in (4096, 4097):
        content = single("MATRIX_DIAG", [T(dtype="float32", shape=(size,))], [out()], "MatrixDiagOptions")
        if size == 4096:
            with pytest.raises(Exception, match="four times the file's size"):
                read_tflite_buffer(content)
            continue
        assert_custom(read_tflite_buffer(content), "1 to 4,096 elements, found 4,097")


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
def test_buckets(dtype: Any) -> None:
    x = T(np.array([[-3, 0, 1], [2, 5, 9]], dtype))
    check("BUCKETIZE", [x], "int32", "BucketizeOptions", boundaries=[0.0, 1.5, 5.0])


def test_buckets_of_nan() -> None:
    x = T(np.array([np.nan, np.inf, -np.inf, 1.5], np.float32))
    check("BUCKETIZE", [x], "int32", "BucketizeOptions", boundaries=[0.0, 1.5, 5.0])


@pytest.mark.parametrize("start", [(0, 1), (1, 2), (-3, 9)])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_updates_of_a_slice(start: tuple[int, int], dtype: Any) -> None:
    inputs = [floats(1, 3, 4), floats(2, 2, 2), T(np.array(start, dtype))]
    check("DYNAMIC_UPDATE_SLICE", inputs, version=2 if dtype is np.int64 else 1)


BINARY = {
    "STABLEHLO_ADD": np.add,
    "STABLEHLO_SUBTRACT": np.subtract,
    "STABLEHLO_MULTIPLY": np.multiply,
    "STABLEHLO_DIVIDE": np.divide,
    "STABLEHLO_MAXIMUM": np.maximum,
    "STABLEHLO_MINIMUM": np.minimum,
    "STABLEHLO_REMAINDER": np.fmod,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "STABLEHLO_ABS": np.abs,
    "STABLEHLO_NEGATE": np.negative,
    "STABLEHLO_EXPONENTIAL": np.exp,
    "STABLEHLO_FLOOR": np.floor,
    "STABLEHLO_COSINE": np.cos,
    "STABLEHLO_TANH": np.tanh,
    "STABLEHLO_LOGISTIC": lambda x: 1 / (1 + np.exp(-x)),
    "STABLEHLO_LOG": np.log,
    "STABLEHLO_RSQRT": lambda x: 1 / np.sqrt(x),
}


def stablehlo(op: str, inputs: list[T], want: np.ndarray, table: str = "", **options: Any) -> None:
    content = single(op, inputs, [out(want.dtype.name, want.shape)], table, second_options=True, **options)
    assert_same(ours(content, fed(inputs)), [want])


@pytest.mark.parametrize("op", BINARY)
def test_stablehlo_of_two_operands(op: str) -> None:
    stablehlo(op, [A, B], BINARY[op](A.data, B.data))


@pytest.mark.parametrize("op", UNARY)
def test_stablehlo_of_one_operand(op: str) -> None:
    x = T(np.abs(A.data) + np.float32(0.1))
    stablehlo(op, [x], UNARY[op](x.data).astype(np.float32))


def test_stablehlo_power_and_logic() -> None:
    x = T(np.abs(A.data))
    stablehlo("STABLEHLO_POWER", [x, B], x.data**B.data)
    stablehlo("STABLEHLO_AND", [TRUTHS, LIES], TRUTHS.data & LIES.data)
    stablehlo("STABLEHLO_OR", [TRUTHS, LIES], TRUTHS.data | LIES.data)
    assert_custom(read_tflite_buffer(single("STABLEHLO_AND", [NUMBERS, OTHERS], [out("int32")])), "bits of INT32")


@pytest.mark.parametrize(
    ("direction", "compare"),
    list(enumerate([np.equal, np.not_equal, np.greater_equal, np.greater, np.less_equal, np.less])),
)
def test_stablehlo_comparisons(direction: int, compare: Any) -> None:
    x, y = T(np.round(A.data)), T(np.round(B.data))
    stablehlo(
        "STABLEHLO_COMPARE", [x, y], compare(x.data, y.data), "StablehloCompareOptions", comparisonDirection=direction
    )


def test_stablehlo_movement() -> None:
    x = floats(3, 2, 3, 4)
    stablehlo("STABLEHLO_SELECT", [TRUTHS, A, B], np.where(TRUTHS.data, A.data, B.data))
    stablehlo("STABLEHLO_CONVERT", [A], A.data.astype(np.int32))
    low, high = const(np.float32(-0.5)), const(np.float32(0.7))
    stablehlo("STABLEHLO_CLAMP", [low, A, high], A.data.clip(-0.5, 0.7))
    stablehlo("STABLEHLO_RESHAPE", [x], x.data.reshape(4, 6))
    stablehlo(
        "STABLEHLO_CONCATENATE", [A, B], np.concatenate([A.data, B.data], 1), "StablehloConcatenateOptions", dimension=1
    )
    stablehlo("STABLEHLO_TRANSPOSE", [x], x.data.transpose(2, 0, 1), "StablehloTransposeOptions", permutation=[2, 0, 1])
    bounds = {"startIndices": [0, 1, 0], "limitIndices": [2, 3, 4], "strides": [1, 1, 2]}
    stablehlo("STABLEHLO_SLICE", [x], x.data[0:2, 1:3, 0:4:2], "StablehloSliceOptions", **bounds)
    want = np.broadcast_to(A.data[:, None, :], (2, 5, 3))
    stablehlo("STABLEHLO_BROADCAST_IN_DIM", [A], want, "StablehloBroadcastInDimOptions", broadcastDimensions=[0, 2])
