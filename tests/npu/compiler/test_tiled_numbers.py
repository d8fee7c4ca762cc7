"""Tiles give what the whole step gives: bit by bit where no float sum is made anew, else within a derived bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lite_delegate.npu.compiler.tiling import tile
from lite_delegate.npu.device import ElementType
from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.functions import RELU, RELU6, UNFUSED
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.normalize import Normalize
from lite_delegate.npu.device.instructions.pooling import AveragePool, MaxPool, Pooled
from lite_delegate.npu.device.instructions.quantized_convolution import QuantizedConvolution
from lite_delegate.npu.device.instructions.quantized_depthwise import QuantizedDepthwiseConvolution
from lite_delegate.npu.device.instructions.quantized_matmul import QuantizedMatMul
from lite_delegate.npu.device.instructions.quantized_pooling import (
    QuantizedAveragePool,
    QuantizedMaxPool,
    QuantizedPooled,
)
from lite_delegate.npu.device.instructions.quantized_scaling import Requantization, fixed_point
from lite_delegate.npu.device.instructions.quantized_transposed_convolution import QuantizedTransposedConvolution
from lite_delegate.npu.device.instructions.reduction import Reduce, ReductionFunction, SoftmaxAlong
from lite_delegate.npu.device.instructions.transposed_convolution import TransposedConvolution
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.semantics.error_bounds import FLOAT32_ROUNDOFF, storage_error
from tests.npu import loops
from tests.npu.compiler.machine import Machine
from tests.npu.compiler.modules import HALF, Array, Making, compiled, kinds, run_whole
from tests.npu.graphs import half, small_ints

BYTE, SINGLE = ElementType.INT8, ElementType.FLOAT32
SCRATCHPADS = st.sampled_from([192, 256, 384, 512, 1024, 2048, 4096])


def tiled(making: Making, output: int, inputs: list[Array], scratchpad: int) -> tuple[Array, Array]:
    """The result in tiles, from two memories of bytes, and of the whole step."""
    module = making.module(output)
    made = compiled(module, scratchpad)
    (result,) = Machine(made.program, scratchpad).run(made.module.pack_constants(), inputs)
    (expected,) = run_whole(module, inputs)
    return result, expected


@st.composite
def windows(draw: st.DrawFn) -> tuple[Window, tuple[int, int]]:
    """Windows, and the size of an input that they slide over; what they cover may end before it or far behind it."""

    def pair(low: int, high: int) -> tuple[int, int]:
        return draw(st.integers(low, high)), draw(st.integers(low, high))

    output = draw(st.integers(1, 9)), draw(st.integers(1, 7))
    window = Window(pair(1, 3), pair(1, 3), pair(1, 2), pair(0, 2), output)
    sizes = [
        max(1, extent - before + draw(st.integers(-3, 3)))
        for extent, before in zip(window.extent, window.before, strict=True)
    ]
    return window, (sizes[0], sizes[1])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(windows(), st.integers(1, 2), st.integers(1, 3), st.integers(1, 4), st.integers(1, 4), SCRATCHPADS, st.data())
def test_convolutions(geometry, batch, group, per_group, out_per_group, scratchpad, data):
    """Whole numbers, whose sums are exact in any order: against a loop, bit by bit."""
    window, size = geometry
    shape = (batch, group * per_group, *size)
    weight = small_ints((group * out_per_group, *window.size, per_group), 1)
    bias = small_ints((group * out_per_group,), 2)
    making = Making()
    fused = data.draw(st.sampled_from([UNFUSED, RELU6]))
    operands = [making.input(shape), making.constant(weight)]
    if data.draw(st.booleans()):
        operands.append(making.constant(bias))
    x = small_ints(shape, 3)
    y = making.step(Convolution(window, group, fused), operands, (batch, len(weight), *window.output))
    result, whole = tiled(making, y, [x.astype(np.float16)], scratchpad)
    expected = loops.convolution(x, weight, window.output, window.strides, window.dilations, window.before, group)
    expected += bias[:, None, None] if len(operands) == 3 else 0
    np.testing.assert_array_equal(result, expected if fused is UNFUSED else np.clip(expected, 0, 6))
    np.testing.assert_array_equal(whole, result)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(windows(), windows(), st.integers(1, 5), SCRATCHPADS)
def test_convolutions_with_a_fused_pool(geometry, search, channels, scratchpad):
    window, size = geometry
    pool = replace(search[0], before=(0, 0), dilations=(1, 1))
    assume(pool.extent[0] <= window.output[0] and pool.extent[1] <= window.output[1])
    weight = small_ints((channels, *window.size, 2), 1)
    making = Making()
    operands = [making.input((1, 2, *size)), making.constant(weight)]
    instruction = Convolution(window, 1, RELU, Pooled(pool, -65504.0))
    x = small_ints((1, 2, *size), 3)
    result, whole = tiled(
        making, making.step(instruction, operands, (1, channels, *pool.output)), [x.astype(np.float16)], scratchpad
    )
    sums = loops.convolution(x, weight, window.output, window.strides, window.dilations, window.before)
    np.testing.assert_array_equal(
        result, loops.pool(np.maximum(sums, 0), pool.size, pool.output, pool.strides, (0, 0), max)
    )
    np.testing.assert_array_equal(whole, result)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(windows(), windows(), st.integers(1, 5), SCRATCHPADS, st.sampled_from(["depthwise", "integers"]), st.booleans())
def test_other_convolutions_with_a_fused_pool(geometry, search, channels, scratchpad, kind, averages):
    window, size = geometry
    pool = replace(search[0], before=(0, 0), dilations=(1, 1))
    assume(pool.extent[0] <= window.output[0] and pool.extent[1] <= window.output[1])
    making, x = Making(), small_ints((1, channels, *size), 3)
    weight = small_ints((channels, *window.size, 1), 1)
    if kind == "depthwise":
        instruction: Any = DepthwiseConvolution(window, RELU, Pooled(pool, -65504.0, averages))
        operands, element = [making.input(x.shape), making.constant(weight)], ElementType.FLOAT16
    else:
        fused = QuantizedPooled(pool, -100, 100, averages)
        instruction = QuantizedDepthwiseConvolution(window, -3, (1,), requantization(1), fused)
        operands, element = [making.input(x.shape, BYTE), making.constant(weight, BYTE)], BYTE
    y = making.step(instruction, operands, (1, channels, *pool.output), element)
    result, whole = tiled(making, y, [x.astype(element.numpy)], scratchpad)
    np.testing.assert_array_equal(result, whole)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(
    windows(),
    st.integers(1, 2),
    st.integers(1, 6),
    SCRATCHPADS,
    st.sampled_from([MaxPool, AveragePool, DepthwiseConvolution]),
)
def test_pools_and_depthwise_convolutions_of_any_floats(geometry, batch, channels, scratchpad, kind):
    window, size = geometry
    making = Making()
    operands = [making.input((batch, channels, *size))]
    if kind is DepthwiseConvolution:
        operands += [making.constant(half((channels, *window.size, 1), 1)), making.constant(half((channels,), 2))]
    y = making.step(kind(window), operands, (batch, channels, *window.output))
    result, whole = tiled(making, y, [half((batch, channels, *size), 3)], scratchpad)
    np.testing.assert_array_equal(result, whole)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(windows(), st.integers(1, 6), st.integers(1, 6), st.integers(1, 3), st.integers(1, 3), SCRATCHPADS)
def test_transposed_convolutions(geometry, height, width, group, channels, scratchpad):
    window, _ = geometry
    x = small_ints((2, 2 * group, height, width), 1)
    weight, bias = small_ints((2 * group, *window.size, channels), 2), small_ints((group * channels,), 3)
    making = Making()
    operands = [making.input(x.shape), making.constant(weight), making.constant(bias)]
    y = making.step(TransposedConvolution(window, group), operands, (2, group * channels, *window.output))
    result, whole = tiled(making, y, [x.astype(np.float16)], scratchpad)
    more = window.strides, window.dilations, window.before, group
    expected = loops.transposed_convolution(x, weight, window.output, *more)
    np.testing.assert_array_equal(result, expected + bias[:, None, None])
    np.testing.assert_array_equal(whole, result)


def requantization(channels: int) -> Requantization:
    return Requantization(fixed_point([0.01 * (i + 1) for i in range(channels)]), 3, -100, 110, BYTE)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(
    windows(),
    st.integers(1, 2),
    st.integers(1, 5),
    SCRATCHPADS,
    st.sampled_from(["dense", "depthwise", "transposed", "max", "mean"]),
    st.booleans(),
)
def test_quantized_instructions(geometry, group, channels, scratchpad, kind, per_channel):
    window, size = geometry
    random = np.random.default_rng(5)
    inside = 2 * group if kind == "dense" else channels
    outside = channels * group if kind == "dense" else channels
    points = tuple(range(outside)) if per_channel else (1,)
    scaling = requantization(outside if per_channel else 1)
    making = Making()
    operands = [making.input((1, inside, *size), BYTE)]
    if kind in ("dense", "depthwise"):
        weight = random.integers(-128, 128, (outside, *window.size, 2 if kind == "dense" else 1))
        operands += [
            making.constant(weight, BYTE),
            making.constant(random.integers(-99, 99, outside), ElementType.INT32),
        ]
    instruction: Any = {
        "dense": QuantizedConvolution(window, -3, points, scaling, group),
        "depthwise": QuantizedDepthwiseConvolution(window, -3, points, scaling),
        "transposed": QuantizedTransposedConvolution(window, -3, points, scaling),
        "max": QuantizedMaxPool(window, -100, 100),
        "mean": QuantizedAveragePool(window, -100, 100),
    }[kind]
    if kind == "transposed":
        weight = random.integers(-128, 128, (inside, *window.size, outside))
        operands += [making.constant(weight, BYTE), making.constant(np.arange(outside), ElementType.INT32)]
    if kind == "mean":
        assume((window.counts(*size) > 0).all())
    y = making.step(instruction, operands, (1, outside, *window.output), BYTE)
    x = random.integers(-128, 128, (1, inside, *size)).astype(np.int8)
    result, whole = tiled(making, y, [x], scratchpad)
    np.testing.assert_array_equal(result, whole)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.integers(1, 9),
    st.integers(1, 40),
    st.integers(1, 12),
    st.sampled_from([((), ()), ((3,), ()), ((2, 1), (2,)), ((1,), (4,))]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    SCRATCHPADS,
)
def test_matrix_products(rows, terms, columns, batches, transpose_a, transpose_b, biased, scratchpad):
    left = (*batches[0], *((terms, rows) if transpose_a else (rows, terms)))
    right = (*batches[1], *((columns, terms) if transpose_b else (terms, columns)))
    a, b, bias = small_ints(left, 1), small_ints(right, 2), small_ints((columns,), 3)
    making = Making()
    operands = [making.input(left), making.constant(b), *([making.constant(bias)] if biased else [])]
    shape = (*np.broadcast_shapes(*batches), rows, columns)
    result, whole = tiled(
        making, making.step(MatMul(transpose_a, transpose_b), operands, shape), [a.astype(np.float16)], scratchpad
    )
    one = a.swapaxes(-1, -2) if transpose_a else a
    two = b.swapaxes(-1, -2) if transpose_b else b
    expected = np.einsum("...mk,...kn->...mn", one.astype(np.int64), two.astype(np.int64)) + (bias if biased else 0)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(whole, result)


def test_quantized_matrix_products_cut_their_channels():
    random = np.random.default_rng(1)
    making = Making()
    operands = [making.input((4, 16), BYTE), making.constant(random.integers(-128, 128, (16, 40)), BYTE)]
    instruction = QuantizedMatMul(2, tuple(range(40)), requantization(40))
    y = making.step(instruction, operands, (4, 40), BYTE)
    assert kinds(tile(making.module(y), 448))["QuantizedMatMul"] > 1
    result, whole = tiled(making, y, [random.integers(-128, 128, (4, 16)).astype(np.int8)], 448)
    np.testing.assert_array_equal(result, whole)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), SCRATCHPADS, st.data())
def test_what_works_element_by_element_or_along_an_axis(shape, scratchpad, data):
    making = Making()
    x = making.input(shape)
    smaller = [data.draw(st.sampled_from([1, dim])) for dim in shape[data.draw(st.integers(0, len(shape))) :]]
    axis = data.draw(st.integers(0, len(shape) - 1))
    other = making.constant(half(smaller, 2))
    reduced = [1 if i == axis else dim for i, dim in enumerate(shape)]
    instruction, operands, result_shape = data.draw(
        st.sampled_from(
            [
                (Binary(BinaryFunction.SUB), [x, other], shape),
                (Binary(BinaryFunction.MUL, RELU), [other, x], shape),
                (Lookup(Function.TANH), [x], shape),
                (Normalize(), [x, other, other, other, other], shape),
                (Reduce(ReductionFunction.MEAN, (axis,)), [x], reduced),
                (SoftmaxAlong(axis), [x], shape),
            ]
        )
    )
    result, whole = tiled(making, making.step(instruction, operands, result_shape), [half(shape, 1)], scratchpad)
    if isinstance(instruction, (Reduce, SoftmaxAlong)):
        np.testing.assert_allclose(result, whole, rtol=2**-10, atol=2**-13)  # another order of at most 9 terms
    else:
        np.testing.assert_array_equal(result, whole)


def sum_bound(x: Array, weight: Array, window: Window) -> Array:
    """How far two float32 sums of the same K products may be apart, whatever the order of their terms.

    Each is within K 2**-24 / (1 - K 2**-24) of sum |x||w| from the exact sum (Higham, Accuracy and Stability of
    Numerical Algorithms, section 3.1), so together twice that. Products are counted, and the additions of partial
    sums: no more roundings than there are terms.
    """
    sizes = loops.convolution(np.abs(x), np.abs(weight), window.output, window.strides, window.dilations, window.before)
    roundings = FLOAT32_ROUNDOFF * weight[0].size
    return np.asarray(2 * roundings / (1 - roundings) * sizes)


@pytest.mark.parametrize("scratchpad", [1000, 1500, 2000])
@pytest.mark.parametrize("element", [SINGLE, HALF])
def test_float_sums_are_within_the_bound_of_two_orders_of_addition(scratchpad, element):
    window = Window((3, 3), (1, 1), (1, 1), (1, 1), (6, 6))
    x, weight = half((1, 24, 6, 6), 1), half((8, 3, 3, 24), 2)
    making = Making()
    operands = [making.input(x.shape), making.constant(weight)]
    y = making.step(Convolution(window), operands, (1, 8, 6, 6), element)
    assert "Binary" in kinds(compiled(making.module(y), scratchpad).program)  # sums are cut
    result, whole = tiled(making, y, [x], scratchpad)
    bound = sum_bound(x, weight, window)
    if element is HALF:
        bound += storage_error(result) + storage_error(whole)
    assert (np.abs(result.astype(np.float64) - whole) <= bound).all()
    assert (result != whole).any() or element is HALF


def test_the_bias_is_added_once_where_sums_are_cut():
    making = Making()
    x, weight, bias = small_ints((1, 256, 1, 1), 1), small_ints((2, 1, 1, 256), 2), small_ints((2,), 3, 3, 9)
    window = Window((1, 1), (1, 1), (1, 1), (0, 0), (1, 1))
    operands = [making.input(x.shape), making.constant(weight), making.constant(bias)]
    y = making.step(Convolution(window), operands, (1, 2, 1, 1))
    assert "Binary" in kinds(tile(making.module(y), 1024))
    result, _ = tiled(making, y, [x.astype(np.float16)], 1024)
    np.testing.assert_array_equal(result[0, :, 0, 0], weight[:, 0, 0] @ x[0, :, 0, 0] + bias)
