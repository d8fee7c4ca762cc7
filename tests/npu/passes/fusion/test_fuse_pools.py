"""Each numbered case; ``applied`` holds the results against those of the module as it was."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.functions import RELU, RELU6, UNFUSED, Fused, FusedFunction
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.pooling import AveragePool, MaxPool, Pooled
from lite_delegate.npu.device.instructions.quantized_convolution import QuantizedConvolution
from lite_delegate.npu.device.instructions.quantized_depthwise import QuantizedDepthwiseConvolution
from lite_delegate.npu.device.instructions.quantized_pooling import (
    QuantizedAveragePool,
    QuantizedMaxPool,
    QuantizedPooled,
)
from lite_delegate.npu.device.instructions.quantized_scaling import Requantization, fixed_point
from lite_delegate.npu.device.programs.instruction import Work
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.passes.fusion import FuseActivations, FusePools
from tests.npu import loops
from tests.npu.graphs import half, small_ints
from tests.npu.passes.modules import Sketch, applied, fused_of, run

SAME = Window((3, 3), (1, 1), (1, 1), (1, 1), (6, 4))
HALF = Window((2, 2), (2, 2), (1, 1), (0, 0), (3, 2))
LEAKY = Fused(FusedFunction.LEAKY_RELU, (-0.5,))


def sketch(window=SAME, pool=HALF, group=1, fused=UNFUSED, pool_fused=UNFUSED, element=ElementType.FLOAT16):
    s = Sketch(element)
    weight = s.constant(small_ints((4, *window.size, 2 // group), 1))
    x = s.step(Convolution(window, group, fused), s.input(2, 2, 6, 4), weight)
    return s, x, s.step(MaxPool(pool, pool_fused), x)


@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("fused", [UNFUSED, RELU, LEAKY])
def test_case_1_convolution_and_pool(group, fused):
    s, _, y = sketch(group=group, fused=fused)
    (step,) = applied(FusePools(), s.module(y)).steps
    assert step.instruction == Convolution(SAME, group, fused, Pooled(HALF, -65504.0))
    assert (step.name, step.layers) == ("Convolution0", ("Convolution0", "MaxPool1"))


def test_case_1_a_window_that_overhangs():
    window, pool = dataclasses.replace(SAME, output=(5, 3)), dataclasses.replace(HALF, output=(3, 2))
    s = Sketch()
    x = s.step(Convolution(window), s.input(1, 2, 5, 3), s.constant(small_ints((4, 3, 3, 2), 1)))
    assert len(applied(FusePools(), s.module(s.step(MaxPool(pool), x))).steps) == 1


@pytest.mark.parametrize("fused", [UNFUSED, RELU6])
def test_case_2_a_pool_with_a_clamp(fused):
    s, _, y = sketch(fused=fused, pool_fused=RELU)
    (step,) = applied(FusePools(), s.module(y)).steps
    assert fused_of(step) == (RELU if fused == UNFUSED else RELU6)


def change(window, **fields):
    return dataclasses.replace(window, **fields)


@pytest.mark.parametrize(
    ("window", "pool"),
    [
        (change(SAME, size=(1, 1), before=(0, 0)), HALF),
        (change(SAME, before=(0, 0), output=(4, 2)), change(HALF, output=(2, 1))),
        (change(SAME, before=(0, 1)), HALF),
        (change(SAME, strides=(2, 1), output=(3, 4)), change(HALF, output=(1, 2))),
        (change(SAME, dilations=(2, 2)), HALF),
        (change(SAME, output=(5, 4)), change(HALF, output=(2, 2))),
        (SAME, change(HALF, size=(3, 2), output=(2, 2))),
        (SAME, change(HALF, strides=(1, 2), output=(5, 2))),
        (SAME, change(HALF, before=(1, 0))),
    ],
)
def test_not_for_other_windows(window, pool):
    s, _, y = sketch(window, pool)
    module = s.module(y)
    assert applied(FusePools(), module) is module


def test_not_when_the_result_of_the_convolution_is_needed():
    s, x, y = sketch()
    module = s.module(y, x)
    assert applied(FusePools(), module) is module


def test_not_for_functions_that_do_not_compose():
    s, _, y = sketch(fused=LEAKY, pool_fused=RELU)
    module = s.module(y)
    assert applied(FusePools(), module) is module


def depthwise(pool, fused=UNFUSED):
    s = Sketch()
    x = s.step(DepthwiseConvolution(SAME, fused), s.input(2, 2, 6, 4), s.constant(small_ints((2, 3, 3, 1), 1)))
    return s, s.step(pool, x)


@pytest.mark.parametrize("fused", [UNFUSED, RELU, LEAKY])
def test_case_1_depthwise(fused):
    s, y = depthwise(MaxPool(HALF), fused)
    (step,) = applied(FusePools(), s.module(y)).steps
    assert step.instruction == DepthwiseConvolution(SAME, fused, Pooled(HALF, -65504.0))


@pytest.mark.parametrize("fused", [UNFUSED, RELU, LEAKY])
def test_case_3_means(fused):
    s, x, _ = sketch(fused=fused)
    s.steps.pop()
    (step,) = applied(FusePools(), s.module(s.step(AveragePool(HALF), x))).steps
    assert step.instruction == Convolution(SAME, 1, fused, Pooled(HALF, -65504.0, averages=True))
    s, y = depthwise(AveragePool(HALF), fused)
    (step,) = applied(FusePools(), s.module(y)).steps
    assert step.instruction == DepthwiseConvolution(SAME, fused, Pooled(HALF, -65504.0, averages=True))


def test_case_3_not_with_a_function_behind_or_beyond_the_edge():
    s, x, _ = sketch()
    s.steps.pop()
    module = s.module(s.step(AveragePool(HALF, RELU), x))
    assert applied(FusePools(), module) is module
    window, pool = dataclasses.replace(SAME, output=(5, 3)), dataclasses.replace(HALF, output=(3, 2))
    s = Sketch()
    x = s.step(Convolution(window), s.input(1, 2, 5, 3), s.constant(small_ints((4, 3, 3, 2), 1)))
    module = s.module(s.step(AveragePool(pool), x))
    assert applied(FusePools(), module) is module


def test_case_3_no_function_is_fused_behind_a_mean():
    s, x, _ = sketch()
    s.steps.pop()
    y = s.step(Lookup(Function.RELU), s.step(AveragePool(HALF), x))
    fused = FusePools().rewrite(s.module(y))
    assert len(fused.steps) == 2
    assert applied(FuseActivations(), fused) is fused


def test_case_3_a_mean_is_as_near_as_one_rounding_of_it():
    s, x, _ = sketch()
    s.steps.pop()
    module = s.module(s.step(AveragePool(HALF), x))
    fed = {"x0": half((2, 2, 6, 4), 3).astype(np.float32)}
    (got,), (want,) = run(FusePools().rewrite(module), fed), run(module, fed)
    assert (np.abs(got - want) <= 2.0**-10 * np.abs(want).max()).all()
    assert (got != want).any()


@pytest.mark.parametrize("averages", [False, True])
@pytest.mark.parametrize("by_channel", [False, True])
def test_case_4_integers(averages, by_channel):
    to = Requantization(fixed_point([0.11]), 3, -128, 127, ElementType.INT8)
    s = Sketch(ElementType.INT8)
    x = s.input(2, 2, 6, 4)
    if by_channel:
        weight = s.constant(small_ints((2, 3, 3, 1), 1))
        convolution: Any = QuantizedDepthwiseConvolution(SAME, -2, (0,), to)
    else:
        weight = s.constant(small_ints((4, 3, 3, 2), 1))
        convolution = QuantizedConvolution(SAME, -2, (0,), to)
    pool = (QuantizedAveragePool if averages else QuantizedMaxPool)(HALF, -10, 20)
    made = s.step(convolution, x, weight)
    module = s.module(s.step(pool, made))
    (step,) = applied(FusePools(), module).steps
    assert step.instruction == dataclasses.replace(convolution, pooled=QuantizedPooled(HALF, -10, 20, averages))


@pytest.mark.parametrize("element", [ElementType.FLOAT16, ElementType.FLOAT32])
@pytest.mark.parametrize("scale", [2.0**-8, 2.0**-24, 16.0])
def test_exact_on_any_numbers_also_beyond_the_range(element, scale):
    """Sums that float32 holds exactly and float16 does not, too large ones among them."""
    s, _, y = sketch(element=element)
    module = s.module(y)
    x = small_ints((2, 2, 6, 4), 7, -2000, 2000) * np.float32(scale)
    x[0, 0, 0, 0], x[1] = np.nan, -np.inf
    result = FusePools().rewrite(module)
    (got,), (want,) = run(result, {"x0": x}), run(module, {"x0": x})
    np.testing.assert_array_equal(got, want)
    assert np.isnan(want).any()
    assert np.isinf(want).any() or element is ElementType.FLOAT32 or scale < 1


def test_all_infinitely_low_gives_the_lowest_number():
    s = Sketch()
    x = s.step(Convolution(SAME), s.input(1, 1, 6, 4), s.constant(np.ones((1, 3, 3, 1))))
    result = FusePools().rewrite(s.module(s.step(MaxPool(HALF), x)))
    (got,) = run(result, {"x0": np.full((1, 1, 6, 4), -np.inf, np.float32)})
    assert (got == -65504.0).all()


def test_the_instruction_is_the_largest_sum_of_each_window():
    x, weight = small_ints((2, 2, 6, 4), 8), small_ints((4, 3, 3, 2), 9)
    sums = loops.convolution(x, weight, (6, 4), before=(1, 1))
    want = loops.pool(np.maximum(sums, 0), (2, 2), (3, 2), (2, 2), (0, 0), max)
    instruction = Convolution(SAME, fused=RELU, pooled=Pooled(HALF, -65504.0))
    np.testing.assert_array_equal(instruction.run([x, weight]), want)


def test_the_work_counts_all_sums_and_the_search():
    instruction = Convolution(SAME, pooled=Pooled(HALF, -65504.0))
    work = instruction.work([(2, 2, 6, 4), (4, 3, 3, 2)], (2, 4, 3, 2))
    assert work == Work(macs=2 * 4 * 6 * 4 * 18, vector=2 * 4 * 3 * 2 * 4)
