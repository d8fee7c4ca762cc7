"""Element-wise operators of integers, truth and real numbers, alone on the device, against Python's own numbers."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from lite_delegate.ir import DataType, to_numpy
from tests.npu.graphs import const, node, predict, variable

BOOL, I32, F16, F32 = DataType.BOOL, DataType.INT32, DataType.FLOAT16, DataType.FLOAT32
LEAST, MOST = -(2**31), 2**31 - 1


@pytest.mark.parametrize(
    ("op_type", "scalar"),
    [
        ("AddFusion", operator.add),
        ("SubFusion", operator.sub),
        ("MulFusion", operator.mul),
        ("Maximum", max),
        ("Minimum", min),
        ("DivFusion", lambda a, b: -(-a // b) if (a < 0) != (b < 0) else a // b),
        ("FloorDiv", operator.floordiv),
        ("FloorMod", operator.mod),
        ("LogicalAnd", lambda a, b: int(bool(a and b))),
        ("LogicalOr", lambda a, b: int(bool(a or b))),
    ],
)
def test_two_integers(op_type, scalar):
    x, fed = variable("x", (5,), I32), np.array([LEAST, -7, 0, 16777217, MOST], np.int32)
    divisor = np.array([[-2], [16777213]], np.int32)
    (got,) = predict([node(op_type, [x, const("c", divisor)], (2, 5), I32)], {x: fed})
    assert got.dtype == np.int32
    for i, j in np.ndindex(2, 5):
        assert got[i, j] == (scalar(fed[j].item(), divisor[i, 0].item()) - LEAST) % 2**32 + LEAST


@pytest.mark.parametrize(
    ("activation", "want"), [("NO_ACTIVATION", [-3, 4, 9]), ("RELU", [0, 4, 9]), ("RELU6", [0, 4, 6])]
)
def test_activation_after_integers(activation, want):
    x, y = variable("x", (3,), I32), const("c", np.array([1, 1, 1], np.int32))
    kernel = node("AddFusion", [x, y], (3,), I32, activation_type=activation)
    assert predict([kernel], {x: np.array([-4, 3, 8], np.int32)})[0].tolist() == want


@pytest.mark.parametrize(
    ("op_type", "attributes", "want"),
    [
        ("Abs", {}, [LEAST, 4, 0, 3, MOST]),
        ("Neg", {}, [LEAST, 4, 0, -3, -MOST]),
        ("Square", {}, [0, 16, 0, 9, 1]),
        ("LogicalNot", {}, [0, 0, 1, 0, 0]),
        ("Activation", {"activation_type": "RELU"}, [0, 0, 0, 3, MOST]),
        ("Activation", {"activation_type": "RELU6"}, [0, 0, 0, 3, 6]),
        ("Activation", {"activation_type": "RELU1"}, [-1, -1, 0, 1, 1]),
        ("Activation", {"activation_type": "ABS"}, [LEAST, 4, 0, 3, MOST]),
        ("Activation", {"activation_type": "SIGN"}, [-1, -1, 0, 1, 1]),
        ("Activation", {"activation_type": "LINEAR"}, [LEAST, -4, 0, 3, MOST]),
        ("Activation", {"activation_type": "NO_ACTIVATION"}, [LEAST, -4, 0, 3, MOST]),
    ],
    ids=str,
)
def test_one_integer(op_type, attributes, want):
    x, fed = variable("x", (5,), I32), np.array([LEAST, -4, 0, 3, MOST], np.int32)
    (got,) = predict([node(op_type, [x], (5,), I32, **attributes)], {x: fed})
    assert (got.dtype, got.tolist()) == (np.int32, want)


@pytest.mark.parametrize(
    ("attributes", "scalar"),
    [
        ({"activation_type": "NO_ACTIVATION"}, lambda v: v),
        ({"activation_type": "LINEAR"}, lambda v: v),
        ({"activation_type": "RELU1"}, lambda v: min(max(v, -1), 1)),
        ({"activation_type": "ABS"}, abs),
        ({"activation_type": "SIGN"}, lambda v: (v > 0) - (v < 0)),
        ({"activation_type": "SOFTSIGN"}, lambda v: v / (1 + abs(v))),
        ({"activation_type": "SOFTPLUS"}, lambda v: math.log1p(math.exp(v))),
        (
            {"activation_type": "SELU"},
            lambda v: 1.0507009873554805 * (v if v > 0 else 1.6732632423543772 * math.expm1(v)),
        ),
        ({"activation_type": "FAST_GELU"}, lambda v: v / (1 + math.exp(-1.702 * v))),
        ({"activation_type": "THRESHOLDRELU", "alpha": 1.0}, lambda v: v if v > 1 else 0),
        ({"activation_type": "HARD_TANH", "min_val": -2.0, "max_val": 3.0}, lambda v: min(max(v, -2), 3)),
        ({"activation_type": "HARD_TANH", "min_val": 2.0**-126, "max_val": 3.0}, lambda v: min(v, 3)),
        ({"activation_type": "HARD_TANH", "min_val": -2.0, "max_val": 2.0**128 - 2.0**104}, lambda v: max(v, -2)),
    ],
)
def test_activation(attributes, scalar):
    x, fed = variable("x", (7,)), np.array([-5, -1.5, -0.25, 0, 1, 1.5, 7], np.float32)
    (got,) = predict([node("Activation", [x], (7,), **attributes)], {x: fed})
    for value, result in zip(fed.tolist(), got.tolist(), strict=True):
        assert abs(result - scalar(value)) <= 2.0**-11 * abs(scalar(value)) + 2.0**-25


@pytest.mark.parametrize(
    ("op_type", "asked"),
    [
        ("Equal", operator.eq),
        ("NotEqual", operator.ne),
        ("Less", operator.lt),
        ("LessEqual", operator.le),
        ("Greater", operator.gt),
        ("GreaterEqual", operator.ge),
    ],
)
@pytest.mark.parametrize("dtype", [F32, F16, I32])
def test_comparisons(op_type, asked, dtype):
    x, y = variable("x", (1, 2, 1, 3), dtype), variable("y", (2,), dtype)
    fed, other = np.array([[[[-1, 0, 2]], [[5, 7, 2]]]], to_numpy(dtype)), np.array([2, 5], to_numpy(dtype))
    z = variable("z", (2, 1), dtype)
    (got,) = predict([node(op_type, [x, z], (1, 2, 2, 3), BOOL)], {x: fed, z: other[:, None]})
    assert got.dtype == np.bool_
    for _, i, j, k in np.ndindex(got.shape):
        assert got[0, i, j, k] == asked(fed[0, i, 0, k], other[j])
    (got,) = predict([node(op_type, [y, y], (2,), BOOL)], {y: other})
    assert got.tolist() == [asked(1, 1)] * 2


def test_reals_are_compared_as_the_device_holds_them():
    x, y = variable("x", (2,)), variable("y", (2,))
    feeds = {x: np.array([1.0, 1.0], np.float32), y: np.array([1.0001, 1.001], np.float32)}
    assert predict([node("Equal", [x, y], (2,), BOOL)], feeds)[0].tolist() == [True, False]


def test_logic_of_truth_and_comparisons():
    x, y = variable("x", (3,), I32), variable("y", (3,), I32)
    less = node("Less", [x, y], (3,), BOOL)
    negated = node("LogicalNot", [less.outputs[0]], (3,), BOOL)
    same = node("Equal", [x, y], (3,), BOOL)
    more = node("LogicalAnd", [negated.outputs[0], const("c", np.array([True, True, False]))], (3,), BOOL)
    both = node("LogicalOr", [more.outputs[0], same.outputs[0]], (3,), BOOL)
    feeds = {x: np.array([1, 2, 3], np.int32), y: np.array([2, 1, 3], np.int32)}
    (got,) = predict([less, negated, same, more, both], feeds)
    assert (got.dtype, got.tolist()) == (np.bool_, [False, True, True])


def test_round_takes_halves_to_even():
    x, fed = variable("x", (6,)), np.array([-2.5, -1.5, -0.2, 0.5, 1.5, 2.7], np.float32)
    assert predict([node("Round", [x], (6,))], {x: fed})[0].tolist() == [-2, -2, 0, 0, 2, 3]


def test_floor_division_of_reals():
    x, y = variable("x", (6,)), variable("y", (6,))
    feeds = {x: np.array([7, -7, 7, -7, 5.5, 1], np.float32), y: np.array([2, 2, -2, -2, 0.5, 0], np.float32)}
    assert predict([node("FloorDiv", [x, y], (6,))], feeds)[0].tolist() == [3, -4, -4, 3, 11, math.inf]
    got = predict([node("FloorMod", [x, y], (6,))], feeds)[0].tolist()
    assert got[:5] == [1, 1, -1, -1, 0]
    assert math.isnan(got[5])
