"""Operators that pad, repeat, stack and gather: what is claimed and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType
from tests.npu.graphs import const, ints, node, variable
from tests.npu.operators.limits import UNLIMITED, code_on, driver, limited
from tests.npu.operators.test_gate import code_of

X = variable("x", (2, 3))
A, S, N, R, L = RejectCode.ATTRIBUTE, RejectCode.SHAPE, RejectCode.NOT_CONSTANT, RejectCode.RANK, RejectCode.LIMIT
UNKNOWN = variable("positions", (4,), DataType.INT32)


def pad(pads, shape, *more, x=X, dtype=DataType.FLOAT32, **attributes):
    return node("PadFusion", [x, pads, *more], shape, dtype, **attributes)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (pad(ints(1, 0, 0, 2), (3, 5)), None),
        (pad(ints(0, 0, 0, 0), (2, 3)), None),
        (pad(ints(1, 0, 0, -1), (3, 2)), A),
        (pad(ints(1, 0, 0), (3, 3)), A),
        (pad(ints(1, 0, 0, 2, 0, 0), (3, 5)), A),
        (pad(ints(1, 0, 0, 2), (3, 4)), S),
        (pad(UNKNOWN, (3, 5)), N),
        (pad(ints(1, 0, 0, 2), (3, 5), variable("c", (1,))), N),
        (pad(ints(1, 0, 0, 2), (3, 5), const("c", np.array([1], np.float32))), None),
        (pad(ints(1, 0, 0, 2), (3, 5), const("c", np.array([1, 2], np.float32))), A),
        (pad(ints(1, 0, 0, 2), (3, 5), paddings=((9, 9),)), None),
        (pad(ints(1, 0, 0, 2), (3, 5), constant_value=65504.0), None),
        (pad(ints(1, 0, 0, 2), (3, 5), constant_value=65505.0), L),
        (pad(ints(1, 0, 0, 2), (3, 5), constant_value=-np.inf), None),
        (node("PadFusion", [X], (2, 3)), A),
    ],
    ids=str,
)
def test_pads(kernel, code):
    assert code_of(kernel) is code


@pytest.mark.parametrize(("mode", "widest"), [("REFLECT", 2), ("SYMMETRIC", 3)])
def test_mirrored_borders(mode, widest):
    fits = pad(ints(0, 0, widest, widest), (2, 3 + 2 * widest), padding_mode=mode)
    wide = pad(ints(0, 0, 0, widest + 1), (2, 4 + widest), padding_mode=mode)
    assert code_on(UNLIMITED, fits) is None
    assert code_on(UNLIMITED, wide) is A
    assert code_on(limited(pad_constant_only=True), fits) is L
    assert code_of(fits) is L
    assert code_on(limited(pad_constant_only=True), pad(ints(0, 0, 0, 1), (2, 4))) is None


def test_a_mode_without_meaning():
    assert code_on(UNLIMITED, pad(ints(1, 0, 0, 2), (3, 5), padding_mode="MODE_RESERVED")) is A


def test_pads_of_one_rank_only():
    four = pad(ints(*[0] * 7, 1), (1, 2, 2, 4), x=variable("x", (1, 2, 2, 3)))
    three = pad(ints(*[0] * 5, 1), (2, 2, 4), x=variable("x", (2, 2, 3)))
    assert code_on(limited(pad_only_rank=4), four) is None
    assert code_on(limited(pad_only_rank=4), three) is R
    assert code_on(limited(pad_only_rank=3), three) is None
    assert code_on(UNLIMITED, three) is None


@pytest.mark.parametrize(
    ("value", "code"), [(2**31 - 129, None), (2**31, A), (-(2**31), None), (-(2**31) - 257, A), (np.nan, A)]
)
def test_integer_borders_hold_what_integers_can(value, code):
    x, border = variable("x", (2,), DataType.INT32), const("c", np.array([value], np.float64))
    assert code_of(pad(ints(0, 1), (3,), border, x=x, dtype=DataType.INT32)) is code
    assert code_of(pad(ints(0, 1), (3,), constant_value=float(value), x=x, dtype=DataType.INT32)) is code


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (node("TileFusion", [X, ints(2, 3)], (4, 9)), None),
        (node("TileFusion", [X, ints(2)], (4, 3)), None),
        (node("TileFusion", [X, ints(2, 3, 1)], (4, 9)), A),
        (node("TileFusion", [X, ints(2, -1)], (4, 3)), A),
        (node("TileFusion", [X, ints(2, 0)], (4, 0)), S),
        (node("TileFusion", [X, ints(3, 2)], (4, 9), dims=(-1, 0)), None),
        (node("TileFusion", [X, ints(3, 2)], (4, 9), dims=(1, 1)), A),
        (node("TileFusion", [X, ints(3, 2)], (4, 9), dims=(1,)), A),
        (node("TileFusion", [X, ints(3)], (2, 9), dims=(2,)), A),
        (node("TileFusion", [X, ints(2, 3)], (4, 3)), S),
        (node("TileFusion", [X, UNKNOWN], (4, 9)), N),
        (node("BroadcastTo", [variable("x", (1, 3))], (5, 2, 3), shape=(5, 2, 3)), None),
        (node("BroadcastTo", [X], (5, 2, 3), shape=(5, 3, 3)), A),
        (node("BroadcastTo", [X], (5, 2, 3), shape=(5, -1, 3)), A),
        (node("BroadcastTo", [X], (3,), shape=(3,)), A),
        (node("BroadcastTo", [X], (2, 3)), A),
        (node("BroadcastTo", [X, ints(5, -1, 3)], (5, 2, 3), shape=(9,)), None),
        (node("BroadcastTo", [X, ints(-1, 2, 3)], (1, 2, 3)), A),
        (node("BroadcastTo", [X, ints(5, -2, 3)], (5, 2, 3)), A),
        (node("BroadcastTo", [X, ints(5, 2, 3)], (4, 2, 3)), S),
        (node("BroadcastTo", [X, UNKNOWN], (5, 1, 2, 3)), N),
        (node("BroadcastTo", [X, ints(1, 1, 1, 2, 3)], (1, 1, 1, 2, 3)), R),
        (node("Stack", [X, X, X], (3, 2, 3)), None),
        (node("Stack", [X, X, X], (2, 3, 3), axis=-1), None),
        (node("Stack", [X, X, X], (2, 3, 3), axis=2), None),
        (node("Stack", [X, X, X], (2, 3, 3), axis=3), A),
        (node("Stack", [X, X, X], (3, 2, 3), axis=-4), A),
        (node("Stack", [X], (1, 2, 3)), None),
        (node("Stack", [], (1, 2, 3)), A),
        (node("Stack", [X, None], (2, 2, 3)), A),
        (node("Stack", [X, variable("y", (3, 2))], (2, 2, 3)), A),
        (node("Stack", [X, X], (3, 2, 3)), S),
        (node("Stack", [variable("x", (1,) * 4)], (1,) * 5), R),
        (node("Stack", [X, variable("y", (2, 3), DataType.INT32)], (2, 2, 3)), RejectCode.DTYPE),
    ],
    ids=str,
)
def test_repetitions(kernel, code):
    assert code_of(kernel) is code


def gather(indices, shape, axis=0, x=X, dtype=DataType.FLOAT32):
    return node("Gather", [x, indices, ints(axis) if isinstance(axis, int) else axis], shape, dtype)


INDICES = variable("i", (2,), DataType.INT32)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (gather(ints(1, 0, 1), (3, 3)), None),
        (gather(ints(-2, 1), (2, 3)), None),
        (gather(ints(-3, 1), (2, 3)), A),
        (gather(ints(0, 2), (2, 3)), A),
        (gather(ints(0, 2), (2, 2), axis=-1), None),
        (gather(ints(0, 2), (2, 2), axis=2), A),
        (gather(ints(0, 2), (2, 2), axis=-3), A),
        (gather(ints(0, 1), (2, 3), axis=ints(0, 0)), A),
        (gather(ints(0, 1), (2, 3), axis=variable("a", (), DataType.INT32)), N),
        (gather(ints(0, 1), (2, 2)), S),
        (gather(const("i", np.int64(1)), (3,)), None),
        (gather(const("i", np.array([[0, 1]], np.int64)), (1, 2, 3)), None),
        (gather(const("i", np.array([0, 1], np.float32)), (2, 3)), RejectCode.DTYPE),
        (gather(const("i", np.zeros((1, 1, 1, 1), np.int32)), (1, 1, 1, 1, 3)), R),
        (gather(const("i", np.zeros((1, 1, 1), np.int32)), (1, 1, 1, 3)), None),
        (gather(const("i", np.zeros((1, 1, 1, 1), np.int32)), (1, 1, 1, 1), x=variable("x", (2,))), None),
        (gather(const("i", np.zeros((1,) * 5, np.int32)), (1,) * 4, x=variable("x", (2,))), R),
        (gather(const("i", np.zeros((0,), np.int32)), (0, 3)), S),
        (gather(INDICES, (2, 3)), None),
        (gather(variable("i", (2,), DataType.INT64), (2, 3)), RejectCode.DTYPE),
        (gather(variable("i", None, DataType.INT32), (2, 3)), S),
        (gather(INDICES, (2,), x=variable("x", ())), A),
        (node("Gather", [X, INDICES], (2, 3)), A),
    ],
    ids=str,
)
def test_gathers(kernel, code):
    assert code_of(kernel) is code


def test_more_than_one_index_needs_a_driver():
    one, two = gather(ints(1), (1, 3)), gather(ints(1, 0), (2, 3))
    assert code_on(driver("100.320.012.042"), one) is None
    assert code_on(driver("100.320.012.042"), two) is L
    assert code_on(driver("100.320.012.043"), two) is None
    assert code_on(driver("100.320.012.042"), gather(INDICES, (2, 3))) is L
    assert code_on(limited(), two) is None


def test_broadcasts_need_a_driver():
    kernel = node("BroadcastTo", [X], (4, 2, 3), shape=(4, 2, 3))
    assert code_on(driver("100.500.010.009"), kernel) is L
    assert code_on(driver("100.500.010.010"), kernel) is None
    assert code_on(driver(""), kernel) is None


@pytest.mark.parametrize("dtype", [DataType.INT32, DataType.BOOL, DataType.FLOAT16, DataType.INT64, DataType.STRING])
def test_element_types(dtype):
    x = variable("x", (2, 3), dtype)
    taken = None if dtype in (DataType.INT32, DataType.BOOL, DataType.FLOAT16) else RejectCode.DTYPE
    assert code_of(pad(ints(0, 0, 0, 1), (2, 4), x=x, dtype=dtype)) is taken
    assert code_of(node("TileFusion", [x, ints(2)], (4, 3), dtype)) is taken
    assert code_of(node("BroadcastTo", [x], (1, 2, 3), dtype, shape=(1, 2, 3))) is taken
    assert code_of(node("Stack", [x, x], (2, 2, 3), dtype)) is taken
    assert code_of(gather(ints(0), (1, 3), x=x, dtype=dtype)) is taken


def test_constants_beyond_float16_are_rejected():
    x = const("x", np.array([7e4, 1], np.float32))
    for kernel in (
        pad(ints(0, 1), (3,), x=x),
        node("TileFusion", [x, ints(2)], (4,)),
        node("BroadcastTo", [x], (1, 2), shape=(1, 2)),
        node("Stack", [x], (1, 2)),
        gather(ints(1), (1,), x=x),
    ):
        assert code_of(kernel) is L
