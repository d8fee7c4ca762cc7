"""Operators that cut parts out: what is claimed and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType
from tests.npu.graphs import const, ints, node, node_with_outputs, variable
from tests.npu.operators.test_gate import code_of

X = variable("x", (2, 6, 4))
UNKNOWN = variable("positions", (3,), DataType.INT32)
A, S, N, R = RejectCode.ATTRIBUTE, RejectCode.SHAPE, RejectCode.NOT_CONSTANT, RejectCode.RANK


def split(shapes, *more, x=X, **attributes):
    return node_with_outputs("Split", [x, *more], shapes, **{"axis": 1, **attributes})


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (split([(2, 3, 4)] * 2), None),
        (split([(2, 3, 4)] * 2, output_num=2), None),
        (split([(2, 3, 4)] * 2, output_num=3), A),
        (split([(2, 6, 4)]), None),
        (split([(2, 1, 4)] * 4), A),
        (split([(2, 1, 4), (2, 5, 4)], size_splits=(1, 5)), None),
        (split([(2, 1, 4), (2, 5, 4)], size_splits=(1, -1)), None),
        (split([(2, 1, 4), (2, 5, 4)], size_splits=(-1, 5)), A),
        (split([(2, 1, 4), (2, 5, 4)], size_splits=(1, -2)), A),
        (split([(2, 1, 4), (2, 4, 4)], size_splits=(1, 4)), A),
        (split([(2, 1, 4), (2, 6, 4)], size_splits=(1, 6)), A),
        (split([(2, 1, 4), (2, 4, 4)], size_splits=(1, 5)), S),
        (split([(2, 2, 4)] * 3, size_splits=(1, 5)), A),
        (split([(2, 1, 4), (2, 5, 4)], ints(1, 5), size_splits=(3, 3)), None),
        (split([(2, 1, 4), (2, 5, 4)], variable("s", (2,), DataType.INT32)), N),
        (split([(2, 6, 2)] * 2, axis=-1), None),
        (split([(2, 6, 2)] * 2, axis=3), A),
        (split([(1, 6, 4)] * 2, axis=-3), None),
        (split([(1, 6, 4)] * 2, axis=-4), A),
        (split([(2, 6, 4), (2, 0, 4)], size_splits=(6, 0)), S),
        (split([(1, 1, 1, 1, 1)] * 2, x=variable("x", (1, 2, 1, 1, 1))), R),
        (node_with_outputs("Split", [X], []), A),
        (node_with_outputs("Split", [], [(1,)]), A),
        (node_with_outputs("Unstack", [X], [(6, 4)] * 2), None),
        (node_with_outputs("Unstack", [X], [(6, 4)] * 3), A),
        (node_with_outputs("Unstack", [X], [(6, 4)]), A),
        (node_with_outputs("Unstack", [X], [(2, 4)] * 6, axis=-2), None),
        (node_with_outputs("Unstack", [X], [(2, 6)] * 4, axis=3), A),
        (node_with_outputs("Unstack", [X], [(6, 4), (4, 6)]), S),
        (node_with_outputs("Unstack", [X, X], [(6, 4)] * 2), A),
        (node_with_outputs("Unstack", [variable("x", ())], [()]), A),
    ],
    ids=str,
)
def test_several_outputs(kernel, code):
    assert code_of(kernel) is code


def cut(begin, size, shape, **attributes):
    return node("SliceFusion", [X, begin, size], shape, **attributes)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (cut(ints(0, 2, 1), ints(2, 4, 3), (2, 4, 3)), None),
        (cut(ints(0, 2, 1), ints(2, 5, 3), (2, 5, 3)), A),
        (cut(ints(0, 2, 1), ints(-1, -1, 3), (2, 4, 3)), None),
        (cut(ints(0, 2, 1), ints(-2, -1, 3), (2, 4, 3)), A),
        (cut(ints(-1, 2, 1), ints(1, 4, 3), (1, 4, 3)), A),
        (cut(ints(2, 0, 1), ints(4, 2, 3), (2, 4, 3), axes=(1, 0, -1)), None),
        (cut(ints(2, 0, 1), ints(4, 2, 3), (2, 4, 3), axes=(1, 1, -1)), A),
        (cut(ints(2, 0, 1), ints(4, 2, 3), (2, 4, 3), axes=(1, 0, 3)), A),
        (cut(ints(0, 2), ints(2, 4), (2, 4, 4)), A),
        (cut(ints(0, 2, 1), ints(2, 4), (2, 4, 3)), A),
        (cut(ints(0, 2, 1), ints(2, 4, 3), (2, 4, 4)), S),
        (cut(ints(0, 2, 1), ints(2, 0, 3), (2, 0, 3)), S),
        (cut(UNKNOWN, ints(2, 4, 3), (2, 4, 3)), N),
        (cut(ints(0, 2, 1), UNKNOWN, (2, 4, 3)), N),
        (node("SliceFusion", [X, ints(0, 0, 0)], (2, 6, 4)), A),
    ],
    ids=str,
)
def test_boxes(kernel, code):
    assert code_of(kernel) is code


def strided(shape, *positions, **attributes):
    return node("StridedSlice", [X, *positions], shape, **attributes)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (strided((1, 3, 2), ints(0, 0, 0), ints(1, 6, 4), ints(1, 2, 2)), None),
        (strided((1, 3, 2), ints(0, 0, 0), ints(1, 7, 4), ints(1, 2, 2)), A),
        (strided((1, 3, 2), ints(0, 0, 0), ints(1, 6, 4), ints(1, 0, 2)), A),
        (strided((1, 6, 4), ints(-2), ints(1), ints(1)), None),
        (strided((1, 6, 4), ints(-3), ints(1), ints(1)), A),
        (strided((2, 6, 4), ints(1), ints(-3), ints(-1)), None),
        (strided((2, 6, 4), ints(1), ints(-4), ints(-1)), A),
        (strided((2, 6, 4), ints(2), ints(-3), ints(-1)), A),
        (strided((6, 4), ints(1), ints(2), ints(1), shrink_axis_mask=1), None),
        (strided((6, 4), ints(2), ints(2), ints(1), shrink_axis_mask=1), A),
        (strided((1, 2, 6, 4), ints(0), ints(1), ints(1), new_axis_mask=1), None),
        (strided((1, 2, 6, 4), ints(0), ints(1), ints(1), new_axis_mask=-1), A),
        (strided((1, 1, 2, 6, 4), ints(0, 0), ints(1, 1), ints(1, 1), new_axis_mask=3), R),
        (strided((1, 6, 4), ints(0, 0, 0, 0), ints(1, 6, 4, 1), ints(1, 1, 1, 1)), A),
        (strided((1, 6, 4), ints(0, 0), ints(1), ints(1)), A),
        (strided((1, 6, 3), ints(0), ints(1), ints(1)), S),
        (strided((0, 6, 4), ints(0), ints(0), ints(1)), S),
        (strided((2, 6, 2), ints(2), ints(9), ints(2), ints(1)), None),
        (strided((2, 6, 2), ints(2), ints(9), ints(-1), ints(1)), None),
        (strided((2, 6, 2), ints(2), ints(9), ints(3), ints(1)), A),
        (strided((2, 3, 2), ints(2, 0), ints(4, 3), ints(2, 1), ints(1, 1)), None),
        (strided((2, 3, 2), ints(2, 0), ints(4, 3), ints(2, 2), ints(1, 1)), A),
        (strided((2, 3, 2), ints(2, 0), ints(4, 3), ints(2), ints(1, 1)), A),
        (strided((1, 6, 4), UNKNOWN, ints(1), ints(1)), N),
        (strided((1, 6, 4), ints(0), UNKNOWN, ints(1)), N),
        (strided((1, 6, 4), ints(0), ints(1), UNKNOWN), N),
        (strided((1, 6, 4), ints(0), ints(1), ints(0), UNKNOWN), N),
        (strided((1, 6, 4), ints(0), ints(1)), A),
    ],
    ids=str,
)
def test_strides_and_masks(kernel, code):
    assert code_of(kernel) is code


@pytest.mark.parametrize("dtype", [DataType.INT32, DataType.BOOL, DataType.FLOAT16, DataType.INT64, DataType.STRING])
def test_element_types(dtype):
    x = variable("x", (2, 6), dtype)
    taken = None if dtype in (DataType.INT32, DataType.BOOL, DataType.FLOAT16) else RejectCode.DTYPE
    assert code_of(node_with_outputs("Split", [x], [(1, 6)] * 2, dtype)) is taken
    assert code_of(node_with_outputs("Unstack", [x], [(6,)] * 2, dtype)) is taken
    assert code_of(node("SliceFusion", [x, ints(0, 0), ints(1, 6)], (1, 6), dtype)) is taken
    assert code_of(node("StridedSlice", [x, ints(0), ints(1), ints(1)], (1, 6), dtype)) is taken


def test_outputs_are_all_of_the_type_of_the_input():
    assert code_of(node_with_outputs("Split", [X], [(1, 6, 4)] * 2, DataType.INT32)) is RejectCode.DTYPE


def test_constants_beyond_float16_are_rejected():
    x = const("x", np.array([7e4, 1], np.float32))
    assert code_of(node("SliceFusion", [x, ints(1), ints(1)], (1,))) is RejectCode.LIMIT
    assert code_of(node_with_outputs("Split", [x], [(1,)] * 2)) is RejectCode.LIMIT
