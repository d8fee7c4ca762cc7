"""Operators that move or reduce: what is claimed and what is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType
from lite_delegate.ir.types.enums import ReduceMode
from tests.npu.graphs import ints, node, variable
from tests.npu.operators.limits import UNLIMITED, code_on, limited
from tests.npu.operators.test_gate import code_of

X = variable("x", (2, 3, 4))
SHAPE_INPUT = variable("shape", (2,), DataType.INT32)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (node("Reshape", [X, ints(6, 4)], (6, 4)), None),
        (node("Reshape", [X, ints(6, 5)], (6, 5)), RejectCode.SHAPE),
        (node("Reshape", [X, SHAPE_INPUT], (6, 4)), RejectCode.NOT_CONSTANT),
        (node("Reshape", [X], (6, 4)), RejectCode.ATTRIBUTE),
        (node("Reshape", [X, ints(1, 2, 3, 4)], (1, 2, 3, 4)), None),
        (node("Reshape", [X, ints(1, 1, 2, 3, 4)], (1, 1, 2, 3, 4)), RejectCode.RANK),
        (node("Flatten", [X], (2, 12)), None),
        (node("Flatten", [X], (6, 4)), RejectCode.SHAPE),
        (node("Flatten", [X], (24, 1), axis=3), None),
        (node("Flatten", [X], (24, 1), axis=4), RejectCode.ATTRIBUTE),
        (node("Flatten", [X], (6, 4), axis=-1), RejectCode.ATTRIBUTE),
        (node("Squeeze", [variable("x", (1, 3, 1))], (3,)), None),
        (node("Squeeze", [variable("x", (1, 3, 1)), SHAPE_INPUT], (3,)), RejectCode.NOT_CONSTANT),
        (node("ExpandDims", [X, ints(0)], (1, 2, 3, 4)), None),
        (node("ExpandDims", [X, SHAPE_INPUT], (1, 2, 3, 4)), RejectCode.NOT_CONSTANT),
        (node("ExpandDims", [variable("x", (1, 1, 1, 1)), ints(0)], (1, 1, 1, 1, 1)), RejectCode.RANK),
        (node("Unsqueeze", [X], (1, 2, 3, 4), axis=(0,)), None),
        (node("Unsqueeze", [X], (1, 1, 2, 3, 4), axis=(0, 1)), RejectCode.RANK),
        (node("Transpose", [X, ints(2, 0, 1)], (4, 2, 3)), None),
        (node("Transpose", [X, ints(2, 0, 1)], (4, 3, 2)), RejectCode.SHAPE),
        (node("Transpose", [X, ints(2, 0, 0)], (4, 2, 2)), RejectCode.ATTRIBUTE),
        (node("Transpose", [X, ints(2, 0, 3)], (4, 2, 3)), RejectCode.ATTRIBUTE),
        (node("Transpose", [X, SHAPE_INPUT], (4, 2, 3)), RejectCode.NOT_CONSTANT),
        (node("Concat", [X, X], (2, 6, 4), axis=-2), None),
        (node("Concat", [X, X], (2, 3, 8), axis=3), RejectCode.ATTRIBUTE),
        (node("Concat", [X, variable("y", (2, 3, 5))], (4, 3, 4), axis=0), RejectCode.SHAPE),
        (node("Concat", [X, variable("y", (3, 4))], (3, 3, 4), axis=0), RejectCode.SHAPE),
        (node("Concat", [X, X], (2, 6, 5), axis=1), RejectCode.SHAPE),
        (node("Concat", [X], (2, 3, 4), axis=0), None),
        (node("Concat", [X, None], (2, 3, 4), axis=0), RejectCode.ATTRIBUTE),
    ],
    ids=lambda v: "" if v is None else str(v),
)
def test_moving(kernel, code):
    assert code_of(kernel) is code


@pytest.mark.parametrize("mode", ReduceMode)
def test_reduce_modes(mode):
    logical = mode == ReduceMode.ReduceAll
    kernel = node("ReduceFusion", [X, ints(1)], (2, 4), mode=mode)
    assert code_of(kernel) is (RejectCode.DTYPE if logical else None)
    of_two = limited(reduce_mean_and_sum_only=True)
    first_two = mode in (ReduceMode.ReduceMean, ReduceMode.ReduceSum)
    assert code_on(of_two, kernel) is (None if first_two else RejectCode.LIMIT)
    for dtype, known in ((DataType.INT32, not logical and mode != ReduceMode.ReduceL2), (DataType.BOOL, logical)):
        kernel = node("ReduceFusion", [variable("x", (2, 3, 4), dtype), ints(1)], (2, 4), dtype, mode=mode)
        assert code_of(kernel) is (None if known else RejectCode.DTYPE)


def test_reduce_to_end_can_be_beyond_a_device():
    def kernel(**attributes):
        return node("ReduceFusion", [X, ints(1)], (2,), reduce_to_end=True, **attributes)

    assert code_of(kernel()) is None
    assert code_on(limited(reduce_mean_and_sum_only=True), kernel()) is RejectCode.LIMIT


def test_reduce_coefficients_are_of_real_numbers():
    def kernel(**attributes):
        x = variable("x", (2, 3), DataType.INT32)
        return node("ReduceFusion", [x, ints(1)], (2,), DataType.INT32, **attributes)

    assert code_of(kernel(coeff=0.5)) is None
    assert code_of(kernel(coeff=0.00001, reduce_to_end=True)) is None
    assert code_of(kernel(coeff=0.00002, reduce_to_end=True)) is RejectCode.DTYPE


@pytest.mark.parametrize(
    ("axes", "shape", "attributes", "code"),
    [
        (ints(-3), (3, 4), {}, None),
        (ints(-4), (3, 4), {}, RejectCode.ATTRIBUTE),
        (ints(2), (2, 3), {}, None),
        (ints(3), (2, 3), {}, RejectCode.ATTRIBUTE),
        (ints(1, -2), (2, 4), {}, None),
        (ints(), (), {}, None),
        (ints(1), (2, 1, 4), {"keep_dims": True}, None),
        (ints(1), (2, 4), {"keep_dims": True}, RejectCode.SHAPE),
        (ints(1), (2, 3), {}, RejectCode.SHAPE),
        (ints(-1), (2, 3), {"reduce_to_end": True}, None),
        (ints(1), (2,), {"reduce_to_end": True, "keep_dims": True}, None),
        (ints(1), (2, 4), {"reduce_to_end": True}, RejectCode.SHAPE),
        (ints(1, 2), (2,), {"reduce_to_end": True}, RejectCode.ATTRIBUTE),
        (ints(), (), {"reduce_to_end": True}, RejectCode.ATTRIBUTE),
        (variable("axes", (1,), DataType.INT32), (2, 4), {}, RejectCode.NOT_CONSTANT),
    ],
    ids=lambda v: "" if v is None else str(v),
)
def test_reduce_axes(axes, shape, attributes, code):
    assert code_of(node("ReduceFusion", [X, axes], shape, **attributes)) is code


KINDS = [DataType.FLOAT32, DataType.FLOAT16, DataType.INT32, DataType.BOOL, DataType.INT8, DataType.UINT8]


@pytest.mark.parametrize("source", [*KINDS, DataType.INT64])
@pytest.mark.parametrize("target", [*KINDS, DataType.UINT16])
def test_casts(source, target):
    kernel = node("Cast", [variable("x", (2, 3), source), ints(target)], (2, 3), target)
    known = source in KINDS and target in KINDS
    rounded = source == DataType.FLOAT32 and target not in KINDS[:2]
    assert code_of(kernel) is (None if known and not rounded else RejectCode.DTYPE)
    exact = replace(UNLIMITED, storage=DataType.FLOAT32)
    assert code_on(exact, kernel) is (None if known else RejectCode.DTYPE)


def test_cast_to_a_type_that_is_not_known():
    kernel = node("Cast", [variable("x", (2,), DataType.INT32), variable("t", (), DataType.INT32)], (2,))
    assert code_of(kernel) is RejectCode.NOT_CONSTANT
