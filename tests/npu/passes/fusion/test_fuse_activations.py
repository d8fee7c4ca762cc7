"""Each numbered case; ``applied`` holds the results against those of the module as it was."""

import math

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction, ScaleShift
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.functions import RELU, RELU6, Fused, FusedFunction
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.pooling import AveragePool, MaxPool
from lite_delegate.npu.device.instructions.transposed_convolution import TransposedConvolution
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.passes.fusion import FuseActivations
from lite_delegate.npu.passes.fusion.functions import composed
from lite_delegate.npu.semantics.error_bounds import FLOAT32_ROUNDOFF, storage_error
from tests.npu.graphs import small_ints
from tests.npu.passes.modules import Sketch, applied, fused_of, run

POINT = Window((1, 1), (1, 1), (1, 1), (0, 0), (3, 3))
POOL = Window((2, 2), (1, 1), (1, 1), (0, 0), (2, 2))
RELU_LOOKUP = Lookup(Function.RELU)
LEAKY = Lookup(Function.LEAKY_RELU, (-2.0,))


def clamp(low, high):
    return Fused(FusedFunction.CLAMP, (low, high))


def conv(s):
    return s.step(Convolution(POINT), s.input(1, 2, 3, 3), s.constant(small_ints((4, 1, 1, 2), 1)))


def depthwise(s):
    return s.step(DepthwiseConvolution(POINT), s.input(1, 2, 3, 3), s.constant(small_ints((2, 1, 1, 1), 1, 1, 4)))


def transposed(s):
    weight = s.constant(small_ints((2, 1, 1, 4), 1))
    return s.step(TransposedConvolution(POINT), s.input(1, 2, 3, 3), weight)


def matmul(s):
    return s.step(MatMul(), s.input(3, 5), s.constant(small_ints((5, 4), 1)))


def add(s):
    return s.step(Binary(BinaryFunction.ADD), s.input(3, 5), s.input(3, 5))


def scale(s):
    return s.step(ScaleShift(), s.input(3, 5), s.constant(small_ints((1, 5), 1)), s.constant(small_ints((1, 5), 2)))


def largest(s):
    return s.step(MaxPool(POOL), s.input(1, 2, 3, 3))


def mean(s):
    return s.step(AveragePool(POOL), s.input(1, 2, 3, 3))


ALL = [conv, depthwise, transposed, matmul, add, scale, largest, mean]


def fused(s, *outputs):
    result = applied(FuseActivations(), s.module(*outputs))
    return fused_of(result.steps[0]) if len(result.steps) == 1 else None


def act(s, x, instruction):
    return s.step(instruction, x)


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    ("lookup", "function"),
    [
        (RELU_LOOKUP, RELU),
        (Lookup(Function.RELU6), RELU6),
        (Lookup(Function.CLAMP, (-1.0, 2.0)), clamp(-1.0, 2.0)),
        (Lookup(Function.CLAMP, (-math.inf, 0.1)), clamp(-math.inf, float(np.float16(0.1)))),
    ],
)
def test_cases_1_3_4_5_clamps_are_fused_into_all(make, lookup, function):
    s = Sketch()
    assert fused(s, act(s, make(s), lookup)) == function


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("constant_first", [False, True])
def test_a_clamp_by_maximum_and_minimum_with_constants(make, constant_first):
    s = Sketch()
    y = make(s)
    for function, limit in ((BinaryFunction.MAXIMUM, -1.1), (BinaryFunction.MINIMUM, 3.0)):
        constant = s.constant(np.full((1,) * len(s.shape(y)), limit))
        y = s.step(Binary(function), *((constant, y) if constant_first else (y, constant)))
    assert fused(s, y) == clamp(float(np.float16(-1.1)), 3.0)


@pytest.mark.parametrize("make", ALL)
def test_cases_2_and_5_leaky_relu_for_convolutions_and_element_wise_steps(make):
    s = Sketch()
    function = fused(s, act(s, make(s), LEAKY))
    takes = make in (conv, depthwise, transposed, add, scale)
    assert function == (Fused(FusedFunction.LEAKY_RELU, (-2.0,)) if takes else None)


def test_the_fused_step_has_the_name_of_the_first_and_the_layers_of_both():
    s = Sketch()
    (step,) = applied(FuseActivations(), s.module(act(s, conv(s), RELU_LOOKUP))).steps
    assert (step.name, step.layers) == ("Convolution0", ("Convolution0", "Lookup1"))


@pytest.mark.parametrize("why", ["output", "reader", "sigmoid", "vector", "nan", "variable", "leaky", "both"])
def test_not_otherwise(why):
    s = Sketch()
    x = conv(s)
    shape = s.shape(x)
    maximum = Binary(BinaryFunction.MAXIMUM)
    if why == "output":
        outputs = [x, act(s, x, RELU_LOOKUP)]
    elif why == "reader":
        outputs = [act(s, x, RELU_LOOKUP), act(s, x, Lookup(Function.ABS))]
    elif why == "sigmoid":
        outputs = [act(s, x, Lookup(Function.SIGMOID))]
    elif why == "vector":
        outputs = [s.step(maximum, x, s.constant(small_ints((1, 4, 1, 1), 3)))]
    elif why == "nan":
        outputs = [s.step(maximum, x, s.constant(np.full((1, 1, 1, 1), np.nan)))]
    elif why == "variable":
        outputs = [s.step(maximum, x, s.input(*shape))]
    elif why == "both":
        outputs = [s.step(maximum, x, x)]
    else:
        first = act(s, act(s, x, LEAKY), RELU_LOOKUP)
        assert len(applied(FuseActivations(), s.module(first)).steps) == 2
        return
    module = s.module(*outputs)
    assert applied(FuseActivations(), module) is module


def test_not_for_integers():
    s = Sketch(ElementType.INT32)
    y = s.step(Binary(BinaryFunction.ADD), s.input(3), s.input(3))
    y = s.step(Binary(BinaryFunction.MAXIMUM), y, s.constant(np.array([1], np.int32)))
    module = s.module(y)
    assert applied(FuseActivations(), module) is module


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (RELU, clamp(-1, 3), clamp(0, 3)),
        (clamp(-1, 3), RELU, clamp(0, 3)),
        (RELU6, clamp(7, 9), clamp(7, 7)),
        (RELU6, clamp(-3, -2), clamp(-2, -2)),
        (RELU, RELU, RELU),
        (clamp(5, 1), clamp(2, 3), clamp(3, 2)),
    ],
)
def test_case_6_a_clamp_of_a_clamp(first, second, both):
    assert composed(first, second) == both
    for x in np.arange(-10.0, 10.5, 0.5):
        want = x
        for low, high in (first.parameters, second.parameters):
            want = min(max(want, low), high)
        low, high = both.parameters
        assert min(max(x, low), high) == want


def sums(s, scale):
    """A convolution of 50 channels whose sums float32 holds exactly, and float16 does not; its input, and the sums."""
    x, weight = small_ints((1, 50, 3, 3), 2, -1000, 1000) * np.float32(scale), small_ints((40, 1, 1, 50), 3, -20, 20)
    exact = np.einsum("nchw,oc->nohw", x.astype(np.float64), weight[:, 0, 0].astype(np.float64))
    return s.step(Convolution(POINT), s.input(1, 50, 3, 3), s.constant(weight)), x, exact


@pytest.mark.parametrize("element", [ElementType.FLOAT16, ElementType.FLOAT32])
@pytest.mark.parametrize("limits", [(-0.3, 0.7), (0.0, math.inf), (-math.inf, 0.1), (0.2, -0.2)])
@pytest.mark.parametrize("scale", [1.0, 2.0**-16, 2.0**-24])
def test_clamps_are_exact_on_any_numbers(element, limits, scale):
    s = Sketch(element)
    y, x, exact = sums(s, scale)
    assert (np.float16(exact[np.abs(exact) < 6e4]) != exact[np.abs(exact) < 6e4]).any()
    module = s.module(act(s, y, Lookup(Function.CLAMP, limits)))
    result = FuseActivations().rewrite(module)
    assert len(result.steps) == 1
    x[0, 0, 0, 0], x[0, 0, 1, 1] = np.nan, np.inf
    (got,), (want,) = run(result, {"x0": x}), run(module, {"x0": x})
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("alpha", [0.01, -0.3, 1.7])
def test_leaky_relu_is_within_its_bound(alpha):
    s = Sketch()
    y, x, exact = sums(s, 2.0**-16)
    module = s.module(act(s, y, Lookup(Function.LEAKY_RELU, (alpha,))))
    off = abs(alpha) * storage_error(exact)
    product = np.abs(alpha * exact)
    bound = off + 2 * storage_error(product + off) + 3 * FLOAT32_ROUNDOFF * product
    (got,), (want,) = run(FuseActivations().rewrite(module), {"x0": x}), run(module, {"x0": x})
    difference = np.abs(got.astype(np.float64) - want)
    assert (difference <= bound).all()
    assert (difference[exact >= 0] == 0).all()
    assert difference.max() > 0
