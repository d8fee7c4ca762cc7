import math
from collections.abc import Callable

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction, ScaleShift
from lite_delegate.npu.device.instructions.functions import RELU, RELU6
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.normalize import Normalize
from lite_delegate.npu.device.programs.instruction import narrow
from tests.npu.graphs import half

SCALAR: dict[BinaryFunction, Callable[[float, float], float]] = {
    BinaryFunction.ADD: lambda a, b: a + b,
    BinaryFunction.SUB: lambda a, b: a - b,
    BinaryFunction.MUL: lambda a, b: a * b,
    BinaryFunction.DIV: lambda a, b: a / b,
    BinaryFunction.FLOOR_DIV: lambda a, b: math.floor(np.float32(a) / np.float32(b)),
    BinaryFunction.FLOOR_MOD: lambda a, b: a % b,
    BinaryFunction.MAXIMUM: max,
    BinaryFunction.MINIMUM: min,
    BinaryFunction.LEAKY: lambda a, b: a if a > 0 else a * b,
    BinaryFunction.SQUARED_DIFFERENCE: lambda a, b: (a - b) ** 2,
}


@pytest.mark.parametrize("function", BinaryFunction)
@pytest.mark.parametrize("shapes", [((2, 3, 4, 5), (2, 3, 4, 5)), ((2, 3, 1, 5), (1, 3, 4, 1)), ((), (4,)), ((), ())])
def test_binary_is_the_scalar_function_rounded_once(function, shapes):
    x, y = half(shapes[0], 0), half(shapes[1], 1)
    got = narrow(Binary(function).run([x, y]))
    wide = np.broadcast_arrays(x, y)
    assert got.shape == wide[0].shape
    for index in np.ndindex(got.shape):
        want = SCALAR[function](float(wide[0][index]), float(wide[1][index]))
        assert abs(float(got[index]) - want) <= (2.0**-11 + 2.0**-23) * abs(want) + 2.0**-25


def test_every_function_has_a_scalar_loop():
    assert set(SCALAR) == set(BinaryFunction)
    assert set(TABLES) == set(Function)


def test_division_by_zero_is_ieee():
    x = np.array([1, -1, 0], np.float16)
    with np.errstate(all="ignore"):
        got = Binary(BinaryFunction.DIV).run([x, np.zeros(3, np.float16)])
    np.testing.assert_array_equal(got, [np.inf, -np.inf, np.nan])


@pytest.mark.parametrize(
    ("function", "scalar"),
    [
        (BinaryFunction.ADD, lambda a, b: a + b),
        (BinaryFunction.SUB, lambda a, b: a - b),
        (BinaryFunction.MUL, lambda a, b: a * b),
        (BinaryFunction.DIV, lambda a, b: -(-a // b) if (a < 0) != (b < 0) else a // b),
        (BinaryFunction.FLOOR_DIV, lambda a, b: a // b),
        (BinaryFunction.FLOOR_MOD, lambda a, b: a % b),
        (BinaryFunction.MAXIMUM, max),
        (BinaryFunction.MINIMUM, min),
    ],
)
def test_binary_of_integers_is_exact_and_wraps(function, scalar):
    x = np.array([-(2**31), -7, -1, 0, 5, 2**31 - 1, 65537], np.int32)[:, None]
    y = np.array([-(2**31), -3, -1, 2, 7, 2**31 - 1], np.int32)
    with np.errstate(all="ignore"):
        got = Binary(function).run([x, y])
    assert got.dtype == np.int32
    for i, j in np.ndindex(got.shape):
        want = scalar(int(x[i, 0]), int(y[j]))
        assert got[i, j] == (want + 2**31) % 2**32 - 2**31, (x[i, 0], y[j])


def test_activation_of_integers_is_exact():
    x, y = np.array([-9, 2**31 - 2, 5], np.int32), np.array([1, 1, 0], np.int32)
    assert Binary(BinaryFunction.ADD, RELU).run([x, y]).tolist() == [0, 2**31 - 1, 5]
    assert Binary(BinaryFunction.ADD, RELU6).run([x, y]).tolist() == [0, 6, 5]


@pytest.mark.parametrize(("fused", "want"), [(RELU, [0, 3, 8, 0]), (RELU6, [0, 3, 6, 0])])
def test_activation_is_applied_after_the_function(fused, want):
    x = np.array([-9, 2, 7, -1], np.float16)
    np.testing.assert_array_equal(Binary(BinaryFunction.ADD, fused).run([x, np.ones((), np.float16)]), want)


def test_scale_shift_rounds_once():
    x, scale, shift = half((2, 3, 4, 5), 0), half((1, 3, 1, 1), 1), half((1, 3, 1, 1), 2)
    want = x.astype(np.float64) * scale.astype(np.float64) + shift.astype(np.float64)
    for operands, expected in (([x, scale, shift], want), ([x, scale], want - shift.astype(np.float64))):
        got = narrow(ScaleShift().run(operands)).astype(np.float64)
        assert (np.abs(got - expected) <= 2.0**-11 * np.abs(expected) + 2.0**-20).all()
    assert ScaleShift(RELU).run([x, scale, shift]).min() == 0.0


def test_normalize_keeps_the_precision_of_a_large_mean():
    x = np.array([1000.0, 1000.5, 1001.0], np.float16)
    mean, factor, offset = 1000.3, np.array(2.0, np.float16), np.array(0.25, np.float16)
    high = np.array(mean, np.float16)
    low = np.array(mean - float(high), np.float16)
    got = narrow(Normalize().run([x, high, low, factor, offset])).astype(np.float64)
    want = (x.astype(np.float64) - mean) * 2.0 + 0.25
    assert (np.abs(got - want) <= 2.0**-11 * np.abs(want) + 2.0**-10).all()


def _sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x)) if x > -700 else 0.0


TABLES: dict[Function, tuple[tuple[float, ...], Callable[[float], float]]] = {
    Function.ABS: ((), abs),
    Function.CEIL: ((), math.ceil),
    Function.CLAMP: ((-0.5, 2.0), lambda x: min(max(x, -0.5), 2.0)),
    Function.COS: ((), math.cos),
    Function.ELU: ((0.5,), lambda x: x if x > 0 else 0.5 * math.expm1(x)),
    Function.ERF: ((), math.erf),
    Function.EXP: ((0.5, -1.0), lambda x: math.exp(0.5 * x - 1.0)),
    Function.FAST_GELU: ((), lambda x: x * _sigmoid(1.702 * x)),
    Function.FLOOR: ((), math.floor),
    Function.GELU: ((), lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2))),
    Function.GELU_TANH: ((), lambda x: 0.5 * x * (1 + math.tanh((0.79788456 + 0.03567741 * x * x) * x))),
    Function.HSIGMOID: ((), lambda x: min(max(x + 3, 0), 6) / 6),
    Function.HSWISH: ((), lambda x: x * min(max(x + 3, 0), 6) / 6),
    Function.LEAKY_RELU: ((0.3,), lambda x: x if x > 0 else 0.3 * x),
    Function.LOG: ((), math.log),
    Function.LOG1P: ((), math.log1p),
    Function.NEG: ((), lambda x: -x),
    Function.POWER: ((1.5, 0.5, 0.25), lambda x: (0.25 + 0.5 * x) ** 1.5),
    Function.RECIPROCAL: ((), lambda x: 1 / x),
    Function.RELU: ((), lambda x: max(x, 0)),
    Function.RELU6: ((), lambda x: min(max(x, 0), 6)),
    Function.ROUND: ((), round),
    Function.RSQRT: ((), lambda x: 1 / math.sqrt(x)),
    Function.SELU: ((), lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x))),
    Function.SIGMOID: ((), _sigmoid),
    Function.SIGN: ((), lambda x: math.copysign(1, x)),
    Function.SIN: ((), math.sin),
    Function.SOFTPLUS: ((), lambda x: max(x, 0) + math.log1p(math.exp(-abs(x)))),
    Function.SOFTSIGN: ((), lambda x: x / (1 + abs(x))),
    Function.SQRT: ((), math.sqrt),
    Function.SQUARE: ((), lambda x: x * x),
    Function.SWISH: ((), lambda x: x * _sigmoid(x)),
    Function.TANH: ((), math.tanh),
    Function.THRESHOLD_RELU: ((0.25,), lambda x: x if x > 0.25 else 0),
}
POSITIVE_ONLY = {Function.LOG, Function.LOG1P, Function.POWER, Function.SQRT, Function.RSQRT, Function.RECIPROCAL}


@pytest.mark.parametrize("function", Function)
def test_lookup_is_the_nearest_float16_number(function):
    parameters, scalar = TABLES[function]
    x = np.concatenate([half((200,), 3), half((50,), 4) * np.float16(8), np.array([-100, -3, 0.5, 3, 11], np.float16)])
    if function in POSITIVE_ONLY:
        x = np.abs(x) + np.float16(2.0**-14)
    got = Lookup(function, parameters).run([x])
    assert got.dtype == np.float16
    for value, result in zip(x.tolist(), got.tolist(), strict=True):
        want = scalar(value)
        slack = 1e-12 * (1.0 + abs(want))
        assert abs(result - want) <= 2.0**-11 * abs(want) + 2.0**-25 + slack, value


@pytest.mark.parametrize(
    ("function", "parameters", "x", "want"),
    [
        (Function.SQUARE, (), 300.0, np.inf),
        (Function.EXP, (1.0, 0.0), 12.0, np.inf),
        (Function.SQRT, (), -1.0, np.nan),
        (Function.LOG, (), 0.0, -np.inf),
        (Function.RECIPROCAL, (), 0.0, np.inf),
        (Function.RSQRT, (), 0.0, np.inf),
        (Function.SIGMOID, (), -np.inf, 0.0),
        (Function.TANH, (), np.inf, 1.0),
        (Function.RELU, (), -np.inf, 0.0),
        (Function.RELU, (), np.nan, np.nan),
        (Function.RELU6, (), np.nan, np.nan),
        (Function.SWISH, (), -np.inf, np.nan),
        (Function.SWISH, (), -65504.0, 0.0),
        (Function.ROUND, (), 2.5, 2.0),
        (Function.ROUND, (), -3.5, -4.0),
        (Function.SIGN, (), 0.0, 0.0),
        (Function.CLAMP, (-np.inf, 6.0), -np.inf, -np.inf),
        (Function.CLAMP, (-1.0, np.inf), np.nan, np.nan),
        (Function.THRESHOLD_RELU, (2.0,), 2.0, 0.0),
        (Function.SOFTPLUS, (), 60000.0, 60000.0),
    ],
)
def test_lookup_at_the_limits(function, parameters, x, want):
    got = Lookup(function, parameters).run([np.array(x, np.float16)])
    assert got.shape == ()
    np.testing.assert_array_equal(got, np.float16(want))


def test_lookup_takes_widened_constants_and_any_memory_order():
    x = half((3, 4), 5)
    want = np.abs(x)
    np.testing.assert_array_equal(Lookup(Function.ABS).run([x.astype(np.float32)]), want)
    np.testing.assert_array_equal(Lookup(Function.ABS).run([x.T]), want.T)
