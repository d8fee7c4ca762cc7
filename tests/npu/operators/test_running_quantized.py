"""Quantized operators on the device, against loops over whole numbers and real functions; what is claimed of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType, to_numpy
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.compiler.compile import lower_run
from lite_delegate.npu.device.instructions.quantized_scaling import Requantization, ResultRounding, fixed_point
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.profiles import load_profile
from tests.npu import quantized_loops as loops
from tests.npu.graphs import const, graph_of, ints, model_of, node, out, predict, variable
from tests.npu.operators.limits import code_on, delegate_on
from tests.npu.quantized_graphs import (
    INT8,
    UINT8,
    W,
    X,
    Y,
    cast,
    convolution,
    on_integers,
    reals,
    splitting,
    stored,
    stored_const,
)
from tests.npu.quantized_loops import half_away, integers

GENERIC = load_profile("generic")
F32 = DataType.FLOAT32


def convolved(weight, bias, to, scales, rounding=ResultRounding.HALF_AWAY, low=-128, high=127, seed=1):
    fed = integers((1, 5, 4, 2), seed)
    window = Window((3, 3), (1, 1), (1, 1), (0, 0), (3, 2))
    points = X[1], tuple(z for _, z in scales)
    sums = loops.convolution(fed.transpose(0, 3, 1, 2), weight, bias, window, points, 1)
    factors = fixed_point([X[0] * s / to[0] for s, _ in scales], rounding)
    requantization = Requantization(factors, to[1], low, high, ElementType.INT8)
    return fed, loops.stored(sums, (1, 3, 3, 2), requantization, 1).transpose(0, 2, 3, 1)


@pytest.mark.parametrize("scales", [(W,), ((0.01, 0), (0.02, 0), (0.005, 0)), ((0.01, 1), (0.02, -2), (0.005, 30))])
@pytest.mark.parametrize("biased", [False, True])
def test_convolution(scales, biased):
    weight = integers((3, 3, 3, 2), 2)
    bias = np.array([3000, -2000, 10], np.int32) if biased else None
    kernel = convolution(bias=None if bias is None else const("b", bias), scales=scales)
    fed, want = convolved(weight, bias, (0.4, 3), scales)
    (got,) = predict([kernel], {kernel.inputs[0]: fed})
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("activation", "low", "high"), [("RELU", 3, 127), ("RELU6", 3, 18)])
def test_activations_are_bounds(activation, low, high):
    weight = integers((3, 3, 3, 2), 2)
    fed, want = convolved(weight, None, (0.4, 3), (W,), low=low, high=high)
    kernel = convolution(activation_type=activation)
    (got,) = predict([kernel], {kernel.inputs[0]: fed})
    np.testing.assert_array_equal(got, want)
    assert got.min() == low
    assert got.max() == min(high, 53)


@pytest.mark.parametrize(
    ("round_type", "rounding"), [(0, ResultRounding.DOWN), (1, ResultRounding.HALF_AWAY), (2, ResultRounding.HALF_UP)]
)
def test_the_first_input_says_how_to_round(round_type, rounding):
    x = stored("x", (1, 5, 4, 2), X, round_type=round_type)
    fed, want = convolved(integers((3, 3, 3, 2), 2), None, (0.4, 3), (W,), rounding)
    (got,) = predict([convolution(x)], {x: fed})
    np.testing.assert_array_equal(got, want)


def lowered(*kernels):
    model = model_of(kernels, [out(kernels[-1])])
    return lower_run(kernels, model.boundary_of(kernels))


def instructions(*kernels):
    return [step.opcode for step in lowered(*kernels).steps]


def test_a_multiplier_of_0_rounds_factors_to_float32():
    for multiplier, single in ((0, True), (1, False)):
        kernel = convolution(stored("x", (1, 5, 4, 2), X, multiplier=multiplier))
        (step,) = [s for s in lowered(kernel).steps if s.opcode == "QuantizedConvolution"]
        assert step.instruction.requantization.factor == fixed_point([0.05 * 0.01 / 0.4], single_precision=single)
    assert fixed_point([0.05 * 0.01 / 0.4], single_precision=True) != fixed_point([0.05 * 0.01 / 0.4])


def test_depthwise_convolutions_have_an_instruction_of_their_own():
    x, weight = stored("x", (1, 5, 4, 2), X), stored_const("w", integers((2, 3, 3, 1), 2), W, (0.03, 4))
    kernel = on_integers("Conv2DFusion", [x, weight], (1, 3, 2, 2), (0.4, 3), group=2)
    assert instructions(kernel) == ["Permute", "QuantizedDepthwiseConvolution", "Permute"]
    fed = integers((1, 5, 4, 2), 1)
    window = Window((3, 3), (1, 1), (1, 1), (0, 0), (3, 2))
    sums = loops.convolution(fed.transpose(0, 3, 1, 2), weight.data, None, window, (-7, (0, 4)), 2)
    to = Requantization(fixed_point([0.05 * 0.01 / 0.4, 0.05 * 0.03 / 0.4]), 3, -128, 127, ElementType.INT8)
    (got,) = predict([kernel], {x: fed})
    np.testing.assert_array_equal(got, loops.stored(sums, (1, 2, 3, 2), to, 1).transpose(0, 2, 3, 1))


@pytest.mark.parametrize("op_type", ["FullConnection", "MatMulFusion"])
@pytest.mark.parametrize("dtype", [INT8, UINT8])
def test_products(op_type, dtype):
    kind = to_numpy(dtype)
    weight, bias, fed = (
        integers((5, 12), 3, kind),
        np.array([9000, -9000, 0, 5, 77], np.int32),
        integers((2, 12), 4, kind),
    )
    x, w = stored("x", (2, 12), X, dtype=dtype), stored_const("w", weight, *[(0.01 * (k + 1), 3) for k in range(5)])
    attributes = (
        {"has_bias": True, "use_axis": True, "axis": 1} if op_type == "FullConnection" else {"transpose_b": True}
    )
    kernel = on_integers(op_type, [x, w, const("b", bias)], (2, 5), (3.0, 10), dtype=dtype, **attributes)
    sums = loops.matmul(fed, weight.T, bias, (-7, (3,)))
    low, high = (0, 255) if dtype is UINT8 else (-128, 127)
    factors = fixed_point([0.05 * (0.01 * (k + 1)) / 3.0 for k in range(5)])
    to = Requantization(factors, 10, low, high, ElementType(kind.name))
    (got,) = predict([kernel], {x: fed})
    np.testing.assert_array_equal(got, loops.stored(sums, (2, 5), to, 1))


def test_a_product_of_two_variables():
    a, b, fed = stored("a", (3, 4), X), stored("b", (4, 2), Y), (integers((3, 4), 5), integers((4, 2), 6))
    kernel = on_integers("MatMulFusion", [a, b], (3, 2), (0.5, 1))
    to = Requantization(fixed_point([0.05 * 0.02 / 0.5]), 1, -128, 127, ElementType.INT8)
    (got,) = predict([kernel], dict(zip((a, b), fed, strict=True)))
    np.testing.assert_array_equal(got, loops.stored(loops.matmul(*fed, None, (-7, (11,))), (3, 2), to, 1))


@pytest.mark.parametrize(
    ("op_type", "function", "params"),
    [
        ("AddFusion", lambda a, b: a + b, (0.07, -3)),
        ("SubFusion", lambda a, b: a - b, (0.07, 3)),
        ("MulFusion", lambda a, b: a * b, (0.1, 4)),
        ("DivFusion", lambda a, b: a / b, (0.5, 4)),
        ("Maximum", max, (0.06, 0)),
        ("Minimum", min, (0.06, 0)),
    ],
)
def test_two_operands_are_within_half_a_step_of_the_real_result(op_type, function, params):
    """Half a step, 2**-19 of the operands' for the common scale of sums, and float32 elsewhere."""
    b_params = (0.02, 128)  # stands for no zero
    x, y = stored("x", (2, 3, 40), X), stored("y", (40,), b_params)
    feeds = {x: integers((2, 3, 40), 7), y: integers((40,), 8)}
    (got,) = predict([on_integers(op_type, [x, y], (2, 3, 40), params)], feeds)
    a, b = reals(feeds[x], X), reals(feeds[y], b_params)
    want = [[[function(u, v) for u, v in zip(row, b, strict=True)] for row in plane] for plane in a]
    exact = np.clip(np.array(want) / params[0] + params[1], -128, 127)
    assert (np.abs(got - exact) <= 0.5 + 2.0**-14).all()
    assert len(np.unique(got)) > 15


def test_the_same_tensor_may_be_both_operands():
    x, fed = stored("x", (50,), X), integers((50,), 9)
    for op_type, function in (("AddFusion", lambda v: 2 * v), ("Maximum", lambda v: v)):
        (got,) = predict([on_integers(op_type, [x, x], (50,), (0.15, 0))], {x: fed})
        exact = np.clip(function(reals(fed, X)) / 0.15, -128, 127)
        assert (np.abs(got - exact) <= 0.5 + 2.0**-14).all()


@pytest.mark.parametrize("params", [X, (0.03, 20)])
@pytest.mark.parametrize(
    ("op_type", "reduce"), [("MaxPoolFusion", max), ("AvgPoolFusion", lambda v: half_away(math.fsum(v) / len(v)))]
)
def test_pools(op_type, reduce, params):
    x, fed = stored("x", (1, 5, 6, 2), X), integers((1, 5, 6, 2), 10)
    attributes: dict[str, Any] = {
        "kernel_size": (2, 3),
        "strides": (2, 2),
        "pad": (1, 0, 0, 1),
        "activation_type": "RELU",
    }
    kernel = on_integers(op_type, [x], (1, 3, 3, 2), params, **attributes)
    (got,) = predict([kernel], {x: fed})
    window = Window((2, 3), (2, 2), (1, 1), (1, 0), (3, 3))
    for (n, c, r, s), elements in loops.windows(fed.transpose(0, 3, 1, 2), window):
        q = reduce(elements)
        q = q if params == X else half_away((q - X[1]) * (X[0] / params[0])) + params[1]
        assert got[n, r, s, c] == min(max(q, params[1], -128), 127)
    assert instructions(kernel).count("ByteLookup") == (params != X)


@pytest.mark.parametrize(
    ("op_type", "attributes", "function", "params"),
    [
        ("Activation", {"activation_type": "SIGMOID"}, lambda v: 1 / (1 + math.exp(-v)), (1 / 256, -128)),
        ("Activation", {"activation_type": "TANH"}, math.tanh, (1 / 128, 0)),
        ("Activation", {"activation_type": "RELU6"}, lambda v: min(max(v, 0), 6), (0.025, -128)),
        ("Activation", {"activation_type": "LEAKY_RELU", "alpha": 0.1}, lambda v: v if v > 0 else 0.1 * v, (0.04, -40)),
        ("ExpFusion", {}, math.exp, (0.2, -128)),
        ("Square", {}, lambda v: v * v, (0.2, -128)),
        ("Neg", {}, lambda v: -v, (0.05, 0)),
    ],
    ids=["sigmoid", "tanh", "relu6", "leaky_relu", "exp", "square", "neg"],
)
@pytest.mark.parametrize("dtype", [INT8, UINT8])
def test_a_table_is_within_half_a_step_for_every_integer(op_type, attributes, function, params, dtype):
    point = 0 if dtype is INT8 else 128
    source, target = (0.04, 3 + point), (params[0], params[1] + point)
    x, fed = (
        stored("x", (16, 16), source, dtype=dtype),
        np.arange(256, dtype=np.uint8).view(to_numpy(dtype)).reshape(16, 16),
    )
    kernel = on_integers(op_type, [x], (16, 16), target, dtype=dtype, **attributes)
    assert instructions(kernel) == ["ByteLookup"]
    (got,) = predict([kernel], {x: fed})
    exact = np.array([function(v) for v in reals(fed, source).reshape(-1)]) / target[0] + target[1]
    limits = np.iinfo(to_numpy(dtype))
    assert (np.abs(got.reshape(-1) - np.clip(exact, limits.min, limits.max)) <= 0.5 + 2.0**-14).all()


@pytest.mark.parametrize("precision", ["f16", "f32"])
def test_softmax_runs_on_real_numbers_within_half_a_step(precision):
    x, fed = stored("x", (3, 10), X), integers((3, 10), 11)
    kernel = on_integers("Softmax", [x], (3, 10), (1 / 256, -128), axis=(1,))
    delegate = NPUDelegate(options={"INFERENCE_PRECISION_HINT": precision})
    (got,) = predict([kernel], {x: fed}, delegate=delegate)
    for row, q in zip(reals(fed, X), got, strict=True):
        total = math.fsum(math.exp(v) for v in row)
        exact = [min(math.exp(v) / total * 256 - 128, 127) for v in row]
        assert (np.abs(q - np.array(exact)) <= 0.5 + 2.0**-12).all()


def test_operators_with_float_and_integer_constants():
    """Batch normalization per channel, and a scale of integers with parameters of its own."""
    x, fed, channels = stored("x", (2, 3, 4), X), integers((2, 3, 4), 12), np.array([0.5, -2.0, 1.0, 3.0], np.float32)
    some = [const(n, v) for n, v in (("s", channels), ("o", channels), ("m", channels), ("v", channels**2))]
    normal = on_integers("FusedBatchNorm", [x, *some], (2, 3, 4), (0.05, 3), epsilon=0.5)
    scale = stored_const("scale", np.array([-128, 0, 5, 127], np.int8), (0.02, 1))
    scaled = on_integers("ScaleFusion", [out(normal), scale], (2, 3, 4), (0.1, -1), axis=-1)
    got_normal, got = predict([normal, scaled], {x: fed}, out(normal), out(scaled))
    exact = channels * (reals(fed, X) - channels) / np.sqrt(channels.astype(float) ** 2 + 0.5) + channels
    assert (np.abs(got_normal - np.clip(exact / 0.05 + 3, -128, 127)) <= 0.5 + 2.0**-12).all()
    exact = reals(got_normal, (0.05, 3)) * reals(scale.data, (0.02, 1)) / 0.1 - 1
    assert (np.abs(got - np.clip(exact, -128, 127)) <= 0.5 + 2.0**-12).all()


@pytest.mark.parametrize("params", [X, Y])
def test_movement_is_exact_and_requantizes_where_parameters_differ(params):
    x, fed = stored("x", (2, 3, 4), X), integers((2, 3, 4), 13)
    transpose = on_integers("Transpose", [x, ints(2, 0, 1)], (4, 2, 3), params)
    (got,) = predict([transpose], {x: fed})
    anew = [v if params == X else half_away((v - X[1]) * (X[0] / Y[0])) + Y[1] for v in fed.reshape(-1).tolist()]
    want = np.clip(anew, -128, 127).reshape(2, 3, 4).transpose(2, 0, 1)
    np.testing.assert_array_equal(got, want)
    assert instructions(transpose) == ["Permute", "ByteLookup"][: 1 + (params != X)]


def test_concat_gives_every_operand_the_parameters_of_the_output():
    x, y, fed = stored("x", (2, 3), X), stored("y", (2, 3), Y), (integers((2, 3), 14), integers((2, 3), 15))
    constant = integers((2, 3), 16)
    kernel = on_integers("Concat", [x, y, stored_const("c", constant, X)], (2, 9), Y, axis=1)
    (got,) = predict([kernel], {x: fed[0], y: fed[1]})

    def anew(q):
        return [[min(max(half_away((int(v) + 7) * (0.05 / 0.02)) + 11, -128), 127) for v in row] for row in q]

    np.testing.assert_array_equal(got, np.concatenate([anew(fed[0]), fed[1], anew(constant)], axis=1))


def test_each_part_of_a_split_has_its_parameters():
    x, fed = stored("x", (2, 6), X), integers((2, 6), 17)
    kernel = splitting([x], [(2, 3), (2, 3)], X, Y, output_num=2, axis=1)
    first, second = predict([kernel], {x: fed}, *kernel.outputs)
    np.testing.assert_array_equal(first, fed[:, :3])
    want = [[min(max(half_away((int(v) + 7) * 2.5) + 11, -128), 127) for v in row] for row in fed[:, 3:]]
    np.testing.assert_array_equal(second, want)


@pytest.mark.parametrize("float_first", [False, True])
@pytest.mark.parametrize("precision", ["f16", "f32"])
def test_quantizing_what_comes_from_the_host_is_exact_whoever_else_reads_it(float_first, precision):
    """10.001 / 0.01 is 1000.1; float16 has 10 and 10.0078, which would give other integers."""
    values = np.array([0.104999, 0.105001, -0.635001, 0.5, 10.001], np.float32)
    x = variable("x", (5,))
    kernels = [cast(x, (5,), INT8, (0.01, 0)), node("Neg", [x], (5,))]
    delegate = NPUDelegate(options={"INFERENCE_PRECISION_HINT": precision})
    order = kernels[::-1] if float_first else kernels
    q, negated = predict(order, {x: values}, *map(out, kernels), delegate=delegate)
    assert q.tolist() == [half_away(float(v) / 0.01) if abs(v) < 1.27 else 127 for v in values]
    np.testing.assert_allclose(negated, -values, rtol=2.0**-11 if precision == "f16" else 0)


def test_signed_and_unsigned_integers_differ_by_128():
    x, every = stored("x", (256,), X), np.arange(-128, 128, dtype=np.int8)
    (got,) = predict([cast(x, (256,), UINT8, X)], {x: every})
    assert got.tolist() == [int(v) + 128 for v in every]
    y = stored("y", (256,), X, dtype=UINT8)
    (back,) = predict([cast(y, (256,), INT8, X)], {y: got})
    assert back.tolist() == every.tolist()


def test_a_classifier_of_integers_is_one_program_from_real_numbers_to_real_numbers():
    x, fed = variable("x", (1, 5, 4, 2)), np.random.default_rng(18).normal(size=(1, 5, 4, 2)).astype(np.float32)
    stored_x = cast(x, (1, 5, 4, 2), INT8, X)
    conv = convolution(out(stored_x), activation_type="RELU")
    pool = on_integers("AvgPoolFusion", [out(conv)], (1, 1, 1, 3), (0.4, 3), global_=True)
    flat = on_integers("Reshape", [out(pool), ints(1, 3)], (1, 3), (0.4, 3))
    weight = stored_const("w", integers((4, 3), 19), (0.01, 0))
    dense = on_integers("FullConnection", [out(flat), weight], (1, 4), (0.5, 0), use_axis=True, axis=1)
    soft = on_integers("Softmax", [out(dense)], (1, 4), (1 / 256, -128), axis=(1,))
    last = cast(out(soft), (1, 4), F32, (1 / 256, -128))
    kernels = [stored_x, conv, pool, flat, dense, soft, last]
    (got,) = predict(kernels, {x: fed})
    assert abs(got.sum() - 1) <= 4 / 256 / 2 + 2.0**-8
    assert got.dtype == np.float32
    assert not any(np.shares_memory(got, t.data) for t in (x,))


def test_constants_beyond_float16_are_no_reason_against_integers():
    """A scale of 1e6 makes reals that float16 cannot hold; the device keeps float32 in between."""
    x, fed = stored("x", (20,), (1e6, 0)), integers((20,), 20)
    kernel = on_integers("Maximum", [x, stored_const("c", np.array([5], np.int8), (1e6, 0))], (20,), (1e6, 0))
    (got,) = predict([kernel], {x: fed}, delegate=delegate_on(GENERIC))
    np.testing.assert_array_equal(got, [max(int(v), 5) for v in fed])


def test_integers_that_stand_for_nothing_are_moved_as_they_are():
    x, fed = variable("x", (2, 3), INT8), integers((2, 3), 21)
    (got,) = predict([node("Transpose", [x, ints(1, 0)], (3, 2), INT8)], {x: fed})
    np.testing.assert_array_equal(got, fed.T)
    assert code_on(GENERIC, node("AddFusion", [x, x], (2, 3), INT8)) is RejectCode.DTYPE


def test_a_graph_may_be_prepared_and_run_again():
    kernel = convolution()
    graph = graph_of([kernel], [out(kernel)])
    for seed in (1, 2):
        kernel.inputs[0].data, want = convolved(integers((3, 3, 3, 2), 2), None, (0.4, 3), (W,), seed=seed)
        graph.execute()
        np.testing.assert_array_equal(out(kernel).data, want)
