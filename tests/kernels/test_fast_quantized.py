"""Fast kernels on integers of 8 bits: the integers of the reference kernels, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from lite_delegate_fast import fast_kernels
from lite_delegate_fast._quantized_dense import QuantizedDense, QuantizedProduct
from lite_delegate_fast._quantized_pairs import BytePairs
from lite_delegate_fast._real_bytes import ByteQuantization, byte_quantization
from lite_delegate_fast._requantization import MOST_SHIFT, requantization
from lite_delegate_fast._row_blocks import Finish
from lite_delegate_fast._through_floats import ThroughFloats
from lite_delegate_fast.all_quantized_kernels import REALS
from lite_delegate_kernels import (
    ALL_KERNELS,
    ALL_QUANTIZED_KERNELS,
    Array,
    ArraySpec,
    KernelRegistry,
    NodeQuantization,
    Quantization,
    ReferenceKernel,
    as_tuple,
    spec_of,
)
from lite_delegate_kernels._fixed_point import fixed_point, scale
from lite_delegate_kernels._quantization import quantize
from lite_delegate_kernels.quantized import ELEMENT_BY_ELEMENT, WEIGHTED

from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.suite import all_cases
from lite_delegate.ir import make_primitive

REGISTRY = KernelRegistry(ALL_KERNELS, ALL_QUANTIZED_KERNELS)
NUMBERS = np.random.default_rng(7)
INT8, UINT8 = np.dtype(np.int8), np.dtype(np.uint8)


def reference_of(op_type: str) -> ReferenceKernel:
    found = REGISTRY.find(op_type, quantized=True)
    assert found is not None
    return found


def bound(op_type: str, specs: Sequence[ArraySpec | None], attributes: Mapping[str, Any]) -> Any:
    """The function that a node calls."""
    fast = fast_kernels().find(reference_of(op_type), specs, attributes)
    assert fast is not None
    return fast.function(specs, attributes)


def near_ties(factors: Array, biases: Array, zero_point: int) -> Array:
    """``(R, C)`` whole sums whose results lie on both sides of each half, and others."""
    halves = np.arange(-140, 140)[:, None] + 0.5 - zero_point
    at = np.rint(halves / factors).astype(np.int64) - biases
    beside = [at + step for step in (-2, -1, 0, 1, 2)]
    far = NUMBERS.integers(-(1 << 21), 1 << 21, (50, len(factors)))
    sums: Array = np.clip(np.concatenate([*beside, far]), -(1 << 21), 1 << 21)
    return sums


def finished(finish: Finish, sums: Array) -> Array:
    """The results of whole sums ``(R, C)``."""
    results = np.empty(sums.shape, np.int8)
    finish(np.array(sums, np.float32), results)
    return results


@pytest.mark.parametrize("round_type", [1, 2])
@pytest.mark.parametrize("zero_point", [-128, -3, 0, 127])
@pytest.mark.parametrize("has_relu", [False, True])
@pytest.mark.parametrize("has_bias", [False, True])
def test_one_rounding_gives_what_two_give(round_type: int, zero_point: int, has_relu: bool, has_bias: bool) -> None:
    for _ in range(20):
        shifts = NUMBERS.integers(0, MOST_SHIFT + 1, 8)
        factors = NUMBERS.uniform(0.5, 1, 8) * 2.0**-shifts
        biases = NUMBERS.integers(-9000, 9000, 8) * has_bias
        limits = (zero_point if has_relu else -128, 127)
        for largest in (1 << 21, 1 << 23):
            made = requantization(
                factors.tolist(),
                biases,
                np.full(8, largest),
                limits,
                zero_point,
                round_type,
                in_single_precision=False,
            )
            assert made is not None
            sums = near_ties(factors, biases, zero_point)
            scaled = scale(sums + biases, fixed_point(tuple(factors)), round_type)
            want = np.clip(scaled + zero_point, *limits).astype(np.int8)
            np.testing.assert_array_equal(finished(made, sums), want)


@pytest.mark.parametrize(
    ("factor", "largest", "round_type"),
    [(2.0, 100, 1), (2.0**-14, 100, 1), (0.1, 100, 0), (0.1, 1 << 30, 1)],
)
def test_what_is_not_sure_to_be_exact_is_not_made(factor: float, largest: int, round_type: int) -> None:
    made = requantization(
        [factor],
        np.zeros(1, np.int64),
        np.array([largest]),
        (-128, 127),
        0,
        round_type,
        in_single_precision=False,
    )
    assert made is None


@pytest.mark.parametrize("zero_point", [-128, 3])
def test_every_sum_becomes_the_integer_of_the_reference(zero_point: int) -> None:
    channels, most, numbers = 16, 150_000, np.random.default_rng(3)
    factors = numbers.uniform(0.0008, 0.003, channels)
    biases = numbers.integers(-9000, 9000, channels)
    rule = requantization(
        factors.tolist(), biases, np.full(channels, most), (-128, 127), zero_point, 1, in_single_precision=False
    )
    assert rule is not None
    sums = np.arange(-most, most + 1)[:, None] + np.zeros(channels, np.int64)
    want = np.clip(scale(sums + biases, fixed_point(tuple(factors)), 1) + zero_point, -128, 127)
    np.testing.assert_array_equal(finished(rule, sums), want)


def test_a_factor_of_zero_gives_the_zero_point() -> None:
    made = requantization(
        [2.0**-40], np.zeros(1, np.int64), np.array([99]), (-128, 127), 5, 1, in_single_precision=False
    )
    assert made is not None
    assert finished(made, np.array([[-99], [0], [99]])).ravel().tolist() == [5, 5, 5]


def cases(op_types: tuple[str, ...]) -> list[ConformanceCase]:
    return [case for case in all_cases() if case.quantization is not None and case.op_type in op_types]


def given(case: ConformanceCase) -> tuple[list[ArraySpec | None], dict[str, Any]]:
    """The specs of a case whose first input alone varies, and its attributes."""
    specs = [
        None if x is None else ArraySpec(x.dtype, x.shape) if place == 0 else spec_of(x)
        for place, x in enumerate(case.inputs)
    ]
    attributes = {**make_primitive(case.op_type).attributes(), **case.attributes, "quantization": case.quantization}
    return specs, attributes


def test_cases_with_constant_weights() -> None:
    packed = 0
    for case in cases(tuple(WEIGHTED)):
        specs, attributes = given(case)
        function = bound(case.op_type, specs, attributes)
        got = as_tuple(function(*(None if x is None else x.copy() for x in case.inputs)))
        packed += isinstance(function, QuantizedDense)
        for found, want in zip(got, case.outputs, strict=True):
            if want.dtype.kind == "f":
                np.testing.assert_allclose(found, want, case.rtol, case.atol, err_msg=case.name, strict=True)
            else:
                np.testing.assert_array_equal(found, want, err_msg=case.name, strict=True)
    assert packed > 40


def quantized(scales: tuple[float, ...], zeros: tuple[int, ...]) -> Quantization:
    return Quantization(scales, zeros)


def convolution(groups: int, dtype: np.dtype[Any]) -> tuple[list[Array], dict[str, Any]]:
    """A convolution at random: x, weight and bias, and its attributes."""
    per_group, times = (int(n) for n in NUMBERS.integers(1, 6, 2))
    kernel = [int(n) for n in NUMBERS.integers(1, 4, 2)]
    x = NUMBERS.integers(0, 256, (2, 9, 11, groups * per_group)).astype(np.uint8).view(dtype)
    weight = NUMBERS.integers(-127, 128, (groups * times, *kernel, per_group)).astype(np.int8)
    bias = NUMBERS.integers(-20_000, 20_000, groups * times).astype(np.int32)
    channels, zero = groups * times, int(NUMBERS.integers(0, 256)) - (128 if dtype == INT8 else 0)
    scales = tuple(float(s) for s in NUMBERS.uniform(0.002, 0.02, channels))
    out_zero = int(NUMBERS.integers(0, 256)) - (128 if dtype == INT8 else 0)
    quantization = NodeQuantization(
        (quantized((0.05,), (zero,)), quantized(scales, (0,) * channels), quantized((0.05,), (0,))),
        (quantized((float(NUMBERS.uniform(0.02, 0.3)),), (out_zero,)),),
    )
    pads = [int(n) for n in NUMBERS.integers(0, 2, 4)]
    activation = str(NUMBERS.choice(["NO_ACTIVATION", "RELU", "RELU6"]))
    attributes = {"group": groups, "stride": [1, 2], "pad_list": pads, "activation_type": activation}
    return [x, weight, bias], {
        **make_primitive("Conv2DFusion").attributes(),
        **attributes,
        "quantization": quantization,
    }


@pytest.mark.parametrize("dtype", [INT8, UINT8], ids=str)
@pytest.mark.parametrize("groups", [1, 2, 7])
def test_convolutions_at_random(groups: int, dtype: np.dtype[Any]) -> None:
    for _ in range(15):
        arrays, attributes = convolution(groups, dtype)
        specs = [ArraySpec(arrays[0].dtype, arrays[0].shape), *map(spec_of, arrays[1:])]
        function = bound("Conv2DFusion", specs, attributes)
        assert isinstance(function, QuantizedDense)
        want = reference_of("Conv2DFusion").run(*arrays, **attributes)
        np.testing.assert_array_equal(function(*arrays), want, strict=True)


@pytest.mark.parametrize("transposes", [(False, False), (True, False), (False, True)], ids=str)
@pytest.mark.parametrize("b_shape", [(3, 31, 17), (1, 31, 17), (31, 17)], ids=str)
def test_matrices_that_vary(transposes: tuple[bool, bool], b_shape: tuple[int, ...]) -> None:
    transpose_a, transpose_b = transposes
    attributes = {**make_primitive("MatMulFusion").attributes(), "transpose_a": transpose_a, "transpose_b": transpose_b}
    attributes["quantization"] = NodeQuantization(
        (quantized((0.05,), (9,)), quantized((0.02,), (-4,))), (quantized((0.21,), (-11,)),)
    )
    a = random_bytes((3, 31, 20) if transpose_a else (3, 20, 31), INT8)
    b = random_bytes((*b_shape[:-2], 17, 31) if transpose_b else b_shape, INT8)
    function = bound("MatMulFusion", [ArraySpec(INT8, each.shape) for each in (a, b)], attributes)
    assert isinstance(function, QuantizedProduct)
    want = reference_of("MatMulFusion").run(a, b, **attributes)
    np.testing.assert_array_equal(function(a, b), want, strict=True)


def test_weights_that_vary_are_not_packed() -> None:
    arrays, attributes = convolution(1, INT8)
    function = bound("Conv2DFusion", [ArraySpec(each.dtype, each.shape) for each in arrays], attributes)
    assert not isinstance(function, QuantizedDense)
    np.testing.assert_array_equal(function(*arrays), reference_of("Conv2DFusion").run(*arrays, **attributes))


@pytest.mark.parametrize("dtype", [INT8, UINT8], ids=str)
@pytest.mark.parametrize("op_type", [*ELEMENT_BY_ELEMENT, "Activation"])
def test_functions_of_each_integer(op_type: str, dtype: np.dtype[Any]) -> None:
    zero = 3 if dtype == UINT8 else -10
    attributes = {**make_primitive(op_type).attributes()}
    attributes |= {"activation_type": "SIGMOID"} if op_type == "Activation" else {}
    attributes["quantization"] = NodeQuantization((quantized((0.04,), (zero,)),), (quantized((0.03,), (zero,)),))
    x = np.arange(256, dtype=np.uint8).view(dtype).reshape(4, 64)
    function = bound(op_type, [ArraySpec(dtype, x.shape)], attributes)
    assert function.func.__name__ == "looked_up"
    (want,) = as_tuple(reference_of(op_type).run(x, **attributes))
    np.testing.assert_array_equal(function(x), want, strict=True)
    np.testing.assert_array_equal(function(x[:, ::2]), want[:, ::2], strict=True)


PAIRS = ["AddFusion", "SubFusion", "MulFusion"]


def pair_attributes(op_type: str, scales: tuple[float, float, float], zero: int) -> dict[str, Any]:
    first, second, out = (quantized((s,), (z,)) for s, z in zip(scales, (zero, zero + 2, zero - 1), strict=True))
    attributes = {**make_primitive(op_type).attributes(), "activation_type": "RELU"}
    return {**attributes, "quantization": NodeQuantization((first, second), (out,))}


def random_bytes(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    made: Array = NUMBERS.integers(0, 256, shape).astype(np.uint8).view(dtype)
    return made


@pytest.mark.parametrize("dtype", [INT8, UINT8], ids=str)
@pytest.mark.parametrize("op_type", PAIRS)
@pytest.mark.parametrize("b_shape", [(1, 128, 129, 5), (5,), (1, 1, 129, 1), ()], ids=str)
@pytest.mark.parametrize("constant", [None, 0, 1])
def test_functions_of_pairs(op_type: str, dtype: np.dtype[Any], b_shape: tuple[int, ...], constant: int | None) -> None:
    attributes = pair_attributes(op_type, (0.0412, 0.0071, 0.0533), 3 if dtype == UINT8 else -10)
    arrays = [random_bytes((1, 128, 129, 5), dtype), random_bytes(b_shape, dtype)]
    specs = [ArraySpec(dtype, each.shape, each if i == constant else None) for i, each in enumerate(arrays)]
    function = bound(op_type, specs, attributes)
    assert isinstance(function, BytePairs)
    np.testing.assert_array_equal(function(*arrays), reference_of(op_type).run(*arrays, **attributes), strict=True)


def test_pairs_of_a_transposed_view_and_a_row() -> None:
    attributes = pair_attributes("AddFusion", (0.9, 0.8, 0.1), 0)
    a, b = random_bytes((40, 30), INT8).T, random_bytes((40,), INT8)
    function = bound("AddFusion", [ArraySpec(INT8, each.shape) for each in (a, b)], attributes)
    assert isinstance(function, BytePairs)
    want = reference_of("AddFusion").run(a, b, **attributes)
    assert len(np.unique(want)) > 2
    np.testing.assert_array_equal(function(a, b), want, strict=True)


@pytest.mark.parametrize("op_type", ["AddFusion", "SubFusion"])
@pytest.mark.parametrize("constant", [None, 1])
def test_results_halfway_between_integers_are_looked_up(op_type: str, constant: int | None) -> None:
    attributes = {**pair_attributes(op_type, (0.5, 0.5, 1.0), -10), "activation_type": "NO_ACTIVATION"}
    arrays = [random_bytes((1, 64, 64, 5), INT8) for _ in range(2)]
    specs = [ArraySpec(INT8, each.shape, each if i == constant else None) for i, each in enumerate(arrays)]
    function = bound(op_type, specs, attributes)
    assert function.func.__name__ == "_looked_up_pair"
    np.testing.assert_array_equal(function(*arrays), reference_of(op_type).run(*arrays, **attributes), strict=True)


@pytest.mark.parametrize("round_type", [1, 2])
@pytest.mark.parametrize("zero_point", [-128, -3])
def test_factors_whose_products_are_halves(round_type: int, zero_point: int) -> None:
    factors = [2.0**-shift for shift in range(1, MOST_SHIFT + 1)] + [0.75 * 2.0**-5, 0.625 * 2.0**-3]
    rule = requantization(
        factors,
        np.zeros(len(factors), np.int64),
        np.full(len(factors), 1 << 19),
        (-128, 127),
        zero_point,
        round_type,
        in_single_precision=False,
    )
    assert rule is not None
    sums = np.arange(-(1 << 19), 1 << 19, 3)[:, None] + np.zeros(len(factors), np.int64)
    want = scale(sums, fixed_point(tuple(factors)), round_type)
    np.testing.assert_array_equal(finished(rule, sums), np.clip(want + zero_point, -128, 127))


@pytest.mark.parametrize("zero_point", [-128, 0, 7])
def test_real_numbers_to_integers(zero_point: int) -> None:
    attributes = {**make_primitive("QuantDTypeCast").attributes(), "src_t": 43, "dst_t": 32}
    attributes["quantization"] = NodeQuantization((None,), (quantized((0.25,), (zero_point,)),))
    halves = (np.arange(-300, 300) + 0.5) * np.float32(0.25)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e30], np.float32)
    below = np.nextafter(halves, 0, dtype=np.float32)
    many = NUMBERS.standard_normal(40_000).astype(np.float32) * 20
    x = np.concatenate([halves.astype(np.float32), below, special, many])
    function = bound("QuantDTypeCast", [ArraySpec(x.dtype, x.shape)], attributes)
    assert isinstance(function, ByteQuantization)
    before = x.copy()
    np.testing.assert_array_equal(function(x), reference_of("QuantDTypeCast").run(x, **attributes), strict=True)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("dtype", [INT8, UINT8], ids=str)
def test_integers_begin_at_the_same_numbers_of_float32(dtype: np.dtype[Any]) -> None:
    made = 0
    for step in [*NUMBERS.uniform(1e-4, 3, 200), *(2.0 ** NUMBERS.integers(-12, 3, 20)), 1e-39, 1e37]:
        quantization = quantized((float(step),), (int(NUMBERS.integers(np.iinfo(dtype).min, 128)),))
        function = byte_quantization(quantization, dtype)
        if function is None:
            continue
        made += 1
        borders = ((np.arange(-300, 300) + 0.5 - quantization.zero_points[0]) * step).astype(np.float32)
        near = np.concatenate([borders, *(np.nextafter(borders, np.float32(way)) for way in (-np.inf, np.inf))])
        x = np.concatenate([near, np.array([0, np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45], np.float32)])
        np.testing.assert_array_equal(function(x), quantize(x, quantization, dtype), strict=True)
    assert made > 200


def test_constants_that_stand_for_real_numbers_are_converted_once() -> None:
    case = next(
        c for c in cases(("LayerNormFusion",)) if c.inputs[0] is not None and c.inputs[0].dtype in (INT8, UINT8)
    )
    specs, attributes = given(case)
    function = bound(case.op_type, specs, attributes)
    assert isinstance(function, ThroughFloats)
    np.testing.assert_array_equal(as_tuple(function(*case.inputs))[0], case.outputs[0])


def test_cases_through_real_numbers() -> None:
    through = 0
    for case in cases(REALS):
        specs, attributes = given(case)
        function = bound(case.op_type, specs, attributes)
        through += isinstance(function, ThroughFloats)
        got = as_tuple(function(*(None if x is None else x.copy() for x in case.inputs)))
        want = as_tuple(reference_of(case.op_type).run(*case.inputs, **attributes))
        for found, wanted in zip(got, want, strict=True):
            np.testing.assert_array_equal(found, wanted, err_msg=case.name, strict=True)
    assert through > 20


@pytest.mark.parametrize("dtype", [INT8, UINT8], ids=str)
@pytest.mark.parametrize("out", [(0.1, 5), (0.07, 9)], ids=str)
@pytest.mark.parametrize("is_global", [False, True])
def test_maxima_of_bytes(dtype: np.dtype[Any], out: tuple[float, int], is_global: bool) -> None:
    attributes = {**make_primitive("MaxPoolFusion").attributes(), "kernel_size": [3, 2], "strides": [2, 2]}
    attributes |= {"pad": [1, 1, 0, 0], "global_": is_global, "activation_type": "RELU"}
    attributes["quantization"] = NodeQuantization((quantized((0.1,), (5,)),), (quantized((out[0],), (out[1],)),))
    x = random_bytes((2, 9, 12, 7), dtype)
    function = bound("MaxPoolFusion", [ArraySpec(dtype, x.shape)], attributes)
    assert function.func.__name__ == "_largest_bytes"
    np.testing.assert_array_equal(function(x), reference_of("MaxPoolFusion").run(x, **attributes), strict=True)
