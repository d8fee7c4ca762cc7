"""Each numbered case; ``applied`` holds the results against those of the module as it was."""

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction, ScaleShift
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.functions import RELU, UNFUSED
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.normalize import Normalize
from lite_delegate.npu.device.instructions.transposed_convolution import TransposedConvolution
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.passes.fusion import FoldAffine
from lite_delegate.npu.semantics.error_bounds import matmul_error
from tests.npu.graphs import half, small_ints
from tests.npu.passes.modules import Sketch, applied, fused_of, run

WINDOW = Window((2, 2), (1, 1), (1, 1), (0, 0), (2, 3))
UP = Window((2, 2), (1, 1), (1, 1), (0, 0), (4, 5))
IMAGE = (1, 4, 3, 4)
CHANNELS = 4


def bias_of(s, bias):
    return [s.constant(small_ints((CHANNELS,), 3))] if bias else []


def conv(s, bias=False):
    return s.step(Convolution(WINDOW), s.input(*IMAGE), s.constant(small_ints((4, 2, 2, 4), 1)), *bias_of(s, bias))


def grouped(s, bias=False):
    weight = s.constant(small_ints((4, 2, 2, 2), 1))
    return s.step(Convolution(WINDOW, 2), s.input(*IMAGE), weight, *bias_of(s, bias))


def depthwise(s, bias=False):
    weight = s.constant(small_ints((4, 2, 2, 1), 1, 1, 4))
    return s.step(DepthwiseConvolution(WINDOW), s.input(*IMAGE), weight, *bias_of(s, bias))


def transposed(s, bias=False):
    weight = s.constant(small_ints((4, 2, 2, 4), 1))
    return s.step(TransposedConvolution(UP), s.input(*IMAGE), weight, *bias_of(s, bias))


def matmul(s, bias=False):
    return s.step(MatMul(), s.input(3, 5), s.constant(small_ints((5, 4), 1)), *bias_of(s, bias))


def matmul_by_rows(s, bias=False):
    weight = s.constant(small_ints((4, 5), 1))
    return s.step(MatMul(transpose_b=True), s.input(2, 3, 5), weight, *bias_of(s, bias))


ALL = [conv, grouped, depthwise, transposed, matmul, matmul_by_rows]


def vector(s, x, values):
    """A constant along the channels of x."""
    shape = [1] * len(s.shape(x))
    shape[1 if len(shape) == 4 else -1] = CHANNELS
    return s.constant(np.broadcast_to(np.array(values, np.float32), (CHANNELS,)).reshape(shape))


def normalize(s, x):
    parts = ([1, -2, 3, 0], [0, 0, 0, 0], [2, -1, 1, 2], [1, 0, -3, 2])
    return s.step(Normalize(), x, *(vector(s, x, part) for part in parts))


def scale_shift(s, x):
    return s.step(ScaleShift(RELU), x, vector(s, x, [2, 1, -1, 2]), vector(s, x, [1, 2, 3, 4]))


def scale(s, x):
    return s.step(ScaleShift(), x, vector(s, x, [2, 1, -1, 2]))


def binary(function, *, first=True, values=(1, 2, -4, 2)):
    def make(s, x):
        constant = vector(s, x, values)
        return s.step(Binary(function), *((x, constant) if first else (constant, x)))

    make.__name__ = f"{function}_{'first' if first else 'second'}"
    return make


F = BinaryFunction
AFFINE = [normalize, scale_shift, scale, binary(F.MUL), binary(F.MUL, first=False), binary(F.DIV)]
AFFINE += [binary(f, first=first) for f in (F.ADD, F.SUB) for first in (True, False)]


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("affine", AFFINE)
def test_cases_1_2_3(make, bias, affine):
    s = Sketch()
    y = affine(s, make(s, bias))
    (step,) = applied(FoldAffine(), s.module(y)).steps
    assert (step.opcode, len(step.operands)) == (s.steps[0].opcode, 3)
    assert fused_of(step) == (RELU if affine is scale_shift else UNFUSED)
    assert (step.name, len(step.layers)) == (s.steps[0].name, 2)


@pytest.mark.parametrize("make", ALL)
def test_case_4_several_in_a_row(make):
    s = Sketch()
    x = make(s, bias=True)
    (step,) = applied(FoldAffine(), s.module(scale_shift(s, binary(F.SUB, first=False)(s, normalize(s, x))))).steps
    assert len(step.layers) == 4
    assert fused_of(step) == RELU


def test_case_4_nothing_passes_an_activation():
    s = Sketch()
    assert len(applied(FoldAffine(), s.module(normalize(s, scale_shift(s, conv(s))))).steps) == 2


def test_case_3_a_bias_for_a_product_of_variables():
    s = Sketch()
    x = s.step(MatMul(), s.input(3, 5), s.input(5, 4))
    (step,) = applied(FoldAffine(), s.module(binary(F.ADD)(s, x))).steps
    assert len(step.operands) == 3
    s = Sketch()
    x = s.step(MatMul(), s.input(3, 5), s.input(5, 4))
    module = s.module(binary(F.MUL)(s, x))
    assert applied(FoldAffine(), module) is module


def test_one_number_for_all_channels():
    s = Sketch()
    x = conv(s)
    assert len(applied(FoldAffine(), s.module(s.step(Binary(F.MUL), x, s.constant(np.float32(3))))).steps) == 1


def test_a_weight_that_others_read_stays_for_those():
    s = Sketch()
    x, weight = s.input(*IMAGE), s.constant(small_ints((4, 2, 2, 4), 1))
    ys = [s.step(Convolution(WINDOW), x, weight) for _ in range(2)]
    result = applied(FoldAffine(), s.module(scale(s, ys[0]), ys[1]))
    assert len({step.operands[1] for step in result.steps}) == 2


@pytest.mark.parametrize("why", ["output", "reader", "plane", "wider", "variable", "activation", "divided", "bias"])
def test_not_otherwise(why):
    s = Sketch()
    x = conv(s)
    if why == "output":
        outputs = [normalize(s, x), x]
    elif why == "reader":
        outputs = [normalize(s, x), scale(s, x)]
    elif why == "plane":
        outputs = [s.step(Binary(F.MUL), x, s.constant(small_ints((1, 1, 2, 3), 5)))]
    elif why == "wider":
        outputs = [s.step(Binary(F.MUL), x, s.constant(small_ints((2, 4, 1, 1), 5)))]
    elif why == "variable":
        outputs = [s.step(Binary(F.MUL), x, s.input(1, 4, 1, 1))]
    elif why == "activation":
        s = Sketch()
        x = s.step(Convolution(WINDOW, fused=RELU), s.input(*IMAGE), s.constant(small_ints((4, 2, 2, 4), 1)))
        outputs = [normalize(s, x)]
    elif why == "divided":
        outputs = [binary(F.DIV, first=False)(s, s.step(Binary(F.ADD), x, x))]
    else:
        s = Sketch()
        weight = s.constant(small_ints((4, 2, 2, 4), 1))
        outputs = [normalize(s, s.step(Convolution(WINDOW), s.input(*IMAGE), weight, s.input(4)))]
    module = s.module(*outputs)
    assert FoldAffine().rewrite(module) is module


def test_not_where_the_constant_makes_channels_of_one():
    s = Sketch()
    x = s.step(Convolution(WINDOW), s.input(*IMAGE), s.constant(small_ints((1, 2, 2, 4), 1)))
    module = s.module(binary(F.ADD)(s, x))
    assert FoldAffine().rewrite(module) is module


def test_transposed_convolutions_in_groups_are_left_alone():
    s = Sketch()
    weight = s.constant(small_ints((4, 2, 2, 2), 1))
    module = s.module(scale(s, s.step(TransposedConvolution(UP, 2), s.input(*IMAGE), weight)))
    assert FoldAffine().rewrite(module) is module


LARGEST, SMALLEST = 65504.0, 2.0**-14


@pytest.mark.parametrize(
    ("weight", "factor", "offset", "folds"),
    [
        (1.0, LARGEST, 0.0, True),
        (1.0, 65505.0, 0.0, False),
        (-1.0, -65505.0, 0.0, False),
        (1.0, SMALLEST, 0.0, True),
        (1.0, SMALLEST * 0.999, 0.0, False),
        (1.0, 0.0, 3.0, True),
        (0.0, 5.0, 3.0, True),
        (1.0, np.inf, 0.0, False),
        (1.0, np.nan, 0.0, False),
        (1.0, 1.0, LARGEST, True),
        (1.0, 1.0, -65505.0, False),
        (1.0, 1.0, np.nan, False),
        (np.inf, 1.0, 0.0, False),
    ],
)
def test_only_what_float16_holds_well(weight, factor, offset, folds):
    s = Sketch()
    one = Window((1, 1), (1, 1), (1, 1), (0, 0), (1, 1))
    x = s.step(Convolution(one), s.input(1, 1, 1, 1), s.constant(np.full((4, 1, 1, 1), weight)))
    y = s.step(ScaleShift(), x, vector(s, x, factor), vector(s, x, offset))
    module = s.module(y)
    assert (FoldAffine().rewrite(module) is not module) == folds


def test_float32_has_its_own_range():
    s = Sketch(ElementType.FLOAT32)
    x = matmul(s)
    module = s.module(binary(F.MUL, values=(1e6,) * 4)(s, x))
    assert len(FoldAffine().rewrite(module).steps) == 1


@pytest.mark.parametrize("bias", [False, True])
def test_the_folded_product_is_within_the_bound_of_a_product_with_the_new_weights(bias):
    random = np.random.default_rng(1)
    x, weight = half((20, 60), 1).astype(np.float32), random.standard_normal((60, 16))
    old, factor, offset = random.standard_normal(16), random.uniform(0.3, 3, 16), random.standard_normal(16)
    s = Sketch()
    terms = [s.constant(old)] if bias else []
    y = s.step(MatMul(), s.input(20, 60), s.constant(weight), *terms)
    high = np.float16(0.3)
    parts = [np.full(16, each) for each in (high, 0.3 - high)] + [factor, offset]
    y = s.step(Normalize(), y, *(s.constant(part.reshape(1, 16)) for part in parts))
    module = s.module(y)
    (got,) = run(FoldAffine().rewrite(module), {"x0": x})
    new_weight = weight * factor
    new_bias = (old if bias else 0.0) * factor + offset - 0.3 * factor
    exact = x.astype(np.float64) @ new_weight + new_bias
    assert (np.abs(got - exact) <= matmul_error(x, new_weight, new_bias)).all()
    (before,) = run(module, {"x0": x})
    assert np.abs(got - before).max() > 0


def test_weights_come_from_the_exact_constants_and_are_rounded_once():
    weight, factor = np.float64(1.0 + 2.0**-11), np.float64(1.0 + 2.0**-11)
    s = Sketch()
    x = s.step(MatMul(), s.input(1, 1), s.constant(np.full((1, 4), weight)))
    result = FoldAffine().rewrite(s.module(s.step(Binary(F.MUL), x, s.constant(np.full((1, 4), factor)))))
    packed = result.pack_constants()[result.steps[0].operands[1]]
    assert packed.tolist() == [[float(np.float16(weight * factor))] * 4]
    assert float(np.float16(weight * factor)) != float(np.float16(np.float16(weight) * np.float16(factor)))
