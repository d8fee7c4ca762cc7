"""Operators beyond the original's: the last that is claimed and the first that is not, and what they give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lite_delegate.delegate import Kernel, RejectCode
from lite_delegate.ir import DataType
from tests.npu.graphs import const, ints, node, node_with_outputs, predict, variable
from tests.npu.operators.test_gate import code_of

I32, BOOL, F32 = DataType.INT32, DataType.BOOL, DataType.FLOAT32
DTYPE, SHAPE, ATTRIBUTE, NOT_CONSTANT = (
    RejectCode.DTYPE,
    RejectCode.SHAPE,
    RejectCode.ATTRIBUTE,
    RejectCode.NOT_CONSTANT,
)
OPERANDS = RejectCode.ATTRIBUTE


def x(*shape: int, dtype: DataType = F32, name: str = "x") -> Any:
    return variable(name, shape, dtype)


def reals(*numbers: float, shape: tuple[int, ...] | None = None) -> Any:
    return const("c", np.array(numbers, np.float32).reshape(shape or (len(numbers),)))


def added(*shapes: tuple[int, ...], dtype: DataType = F32) -> Kernel:
    return node("AddN", [x(*s, dtype=dtype, name=f"x{i}") for i, s in enumerate(shapes)], shapes[0], dtype)


def powered(exponent: Any, **attributes: Any) -> Kernel:
    return node("PowFusion", [x(2, 3), exponent], (2, 3), **attributes)


def clipped(dtype: DataType = F32, *bounds: Any, **attributes: Any) -> Kernel:
    return node("Clip", [x(2, dtype=dtype), *bounds], (2,), dtype, **attributes)


def top(k: Any, places: DataType = I32) -> Kernel:
    kernel = node_with_outputs("TopKFusion", [x(2, 5), k], [(2, 2), (2, 2)], axis=-1)
    kernel.outputs[1].dtype = places
    return kernel


def cropped(like: tuple[int, ...], **attributes: Any) -> Kernel:
    return node("Crop", [x(2, 5), x(*like, name="like", dtype=DataType.INT64)], like, **attributes)


def chosen(op: str, condition: tuple[int, ...], dtype: DataType = BOOL, of: DataType = F32) -> Kernel:
    return node(op, [x(*condition, dtype=dtype, name="c"), x(2, 3, dtype=of), x(2, 3, dtype=of, name="y")], (2, 3), of)


def sloped(count: int) -> Kernel:
    return node("PReLUFusion", [x(2, 3), reals(*[0.1] * count)], (2, 3))


def normed(count: int = 3, mean: Any = None) -> Kernel:
    return node("BatchNorm", [x(2, 3), mean or reals(*[0.0] * count), reals(*[1.0] * count)], (2, 3), epsilon=0.1)


CASES: list[tuple[Kernel, RejectCode | None]] = [
    (added((2, 3), (2, 3)), None),
    (added((2, 3), (2, 3), (2, 3), dtype=I32), None),
    (added((2, 3)), OPERANDS),
    (added((2, 3), (1, 3)), SHAPE),
    (node("BiasAdd", [x(2, 3), reals(1, 2, 3)], (2, 3)), None),
    (node("BiasAdd", [x(2, 3), reals(1)], (2, 3)), SHAPE),
    (normed(), None),
    (normed(1), SHAPE),
    (normed(mean=x(3, name="mean")), NOT_CONSTANT),
    (clipped(min=0.5, max=1.5), None),
    (clipped(I32, min=0.0, max=math.inf), None),
    (clipped(I32, ints(-3), ints(7)), None),
    (clipped(I32, min=0.5, max=1.0), ATTRIBUTE),
    (clipped(min=1.0, max=1.0), ATTRIBUTE),
    (clipped(F32, x(1, name="low"), max=1.0), NOT_CONSTANT),
    (cropped((1, 3), axis=0, offsets=(1, 2)), None),
    (cropped((1, 3), axis=0, offsets=(1, 3)), ATTRIBUTE),
    (cropped((2, 3), axis=1, offsets=(2,)), None),
    (powered(reals(2.5)), None),
    (powered(reals(2.5, shape=(1, 1))), None),
    (powered(reals(2.5, shape=(1, 1, 1))), SHAPE),
    (powered(reals(1, 2, 3)), SHAPE),
    (powered(x(1, name="e")), NOT_CONSTANT),
    (powered(ints(2)), DTYPE),
    (sloped(1), None),
    (sloped(3), None),
    (sloped(2), SHAPE),
    (top(ints(2)), None),
    (top(ints(3)), ATTRIBUTE),
    (top(ints(6)), ATTRIBUTE),
    (top(x(1, name="k", dtype=I32)), NOT_CONSTANT),
    (top(ints(2), DataType.INT64), DTYPE),
    (chosen("Where", (2, 3)), None),
    (chosen("Where", (3,)), None),
    (chosen("Where", (2, 3), of=I32), None),
    (chosen("Where", (2, 3), I32), DTYPE),
    (node("Where", [x(2, dtype=BOOL)], (-1, 1), I32), OPERANDS),
    (chosen("Select", (2, 3)), None),
    (chosen("Select", (1,)), SHAPE),
    (chosen("Select", (2, 3), F32), DTYPE),
    (node("LogSoftmax", [x(2, 3)], (2, 3), axis=-2), None),
    (node("LogSoftmax", [x(2, 3)], (2, 3), axis=2), ATTRIBUTE),
]


@pytest.mark.parametrize(("kernel", "code"), CASES)
def test_claims(kernel: Kernel, code: RejectCode | None) -> None:
    assert (code_of(kernel) is None) == (code is None)


def test_prelu_has_a_slope_for_each_channel() -> None:
    given, fed = x(2, 3), np.array([[-1, -2, 4], [8, -0.5, -3]], np.float32)
    (got,) = predict([node("PReLUFusion", [given, reals(0.5, 2, 0.25)], (2, 3))], {given: fed})
    np.testing.assert_array_equal(got, [[-0.5, -4, 4], [8, -1, -0.75]])


def test_powers_of_a_line() -> None:
    given, fed = x(2), np.array([0.5, 2], np.float32)
    (got,) = predict([node("PowFusion", [given, reals(3)], (2,), scale=2.0, shift=1.0)], {given: fed})
    np.testing.assert_array_equal(got, [8, 125])


def test_integers_are_clipped_exactly() -> None:
    given, fed = x(3, dtype=I32), np.array([-(2**31), 2**24 + 1, 2**31 - 1], np.int32)
    (got,) = predict([node("Clip", [given], (3,), I32, min=-2.0, max=math.inf)], {given: fed})
    np.testing.assert_array_equal(got, [-2, 2**24 + 1, 2**31 - 1])


def test_a_choice_broadcasts() -> None:
    condition, a, b = x(3, dtype=BOOL, name="c"), x(2, 1), x(3, name="y")
    fed = {
        condition: np.array([True, False, True]),
        a: np.array([[1], [2]], np.float32),
        b: np.array([7, 8, np.nan], np.float32),
    }
    (got,) = predict([node("Where", [condition, a, b], (2, 3))], fed)
    np.testing.assert_array_equal(got, [[1, 8, 1], [2, 8, 2]])


def test_the_logarithm_of_small_shares_is_not_lost() -> None:
    given, fed = x(2), np.array([0, 40], np.float32)
    (got,) = predict([node("LogSoftmax", [given], (2,), axis=0)], {given: fed})
    np.testing.assert_array_equal(got, [-40, 0])
