"""Instructions that take long: where they look whether the run was cancelled, with the bits of the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import RequestCancelled
from lite_delegate.delegate import CancelToken, reset_token, set_token
from lite_delegate.npu.device.instructions import planes, quantized_sums
from lite_delegate.npu.device.instructions import products as module
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.pooling import AveragePool, MaxPool
from lite_delegate.npu.device.instructions.products import products
from lite_delegate.npu.device.instructions.quantized_convolution import QuantizedConvolution
from lite_delegate.npu.device.instructions.quantized_depthwise import QuantizedDepthwiseConvolution
from lite_delegate.npu.device.instructions.quantized_matmul import QuantizedMatMul
from lite_delegate.npu.device.instructions.quantized_pooling import QuantizedAveragePool, QuantizedMaxPool
from lite_delegate.npu.device.instructions.quantized_scaling import Requantization, fixed_point
from lite_delegate.npu.device.instructions.quantized_transposed_convolution import QuantizedTransposedConvolution
from lite_delegate.npu.device.instructions.transposed_convolution import TransposedConvolution
from lite_delegate.npu.device.programs import half
from lite_delegate.npu.device.programs.instruction import Instruction
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window

WINDOW = Window((3, 3), (1, 1), (1, 1), (1, 1), (6, 6))
RNG = np.random.default_rng(0)


@contextmanager
def run_of(token: CancelToken) -> Iterator[None]:
    before = set_token(token)
    try:
        yield
    finally:
        reset_token(before)


def looks_of(call: Callable[[], object]) -> int:
    """How often it looks; a run that was cancelled ends at the first time."""
    token = CancelToken()
    with run_of(token):
        call()
    cancelled = CancelToken()
    cancelled.cancel()
    with run_of(cancelled), pytest.raises(RequestCancelled):
        call()
    return token.looks


def real(*shape: int) -> Array:
    return np.asarray(RNG.normal(size=shape), np.float32)


def whole(*shape: int) -> Array:
    return np.asarray(RNG.integers(-128, 128, shape), np.int8)


@pytest.mark.parametrize(
    ("left", "right", "block", "looks"),
    [
        ((2, 3, 4, 5), (2, 3, 5, 6), 10**9, 1),
        ((2, 3, 4, 5), (2, 3, 5, 6), 4 * 5 * 6, 6),  # a matrix a block
        ((2, 3, 4, 5), (2, 3, 5, 6), 2 * 4 * 5 * 6, 4),  # two of three, and the third
        ((2, 3, 4, 5), (2, 3, 5, 6), 3 * 4 * 5 * 6, 2),
        ((2, 3, 4, 5), (5, 6), 1, 6),
        ((4, 5), (7, 5, 6), 1, 7),
        ((3, 1, 4, 5), (2, 5, 6), 1, 6),
        ((4, 5), (5, 6), 1, 1),  # one matrix stays whole
        ((1, 1, 4, 5), (1, 5, 6), 1, 1),
        ((0, 4, 5), (5, 6), 1, 1),
        ((2, 4, 0), (0, 6), 1, 1),
        ((2, 1, 5), (2, 5, 1), 1, 2),
    ],
)
def test_products_are_cut_between_matrices_and_have_the_bits_of_the_whole(
    left: tuple[int, ...], right: tuple[int, ...], block: int, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK_MACS", block)
    a, b = real(*left), real(*right)
    np.testing.assert_array_equal(products(a, b), np.matmul(a, b))
    assert looks_of(lambda: products(a, b)) == looks


def test_products_of_transposed_and_large_matrices_have_the_bits_of_the_whole() -> None:
    a, b = real(5, 300, 197).swapaxes(-1, -2), real(5, 300, 260)
    assert looks_of(lambda: products(a, b)) == 2  # four of 15 million, and one
    np.testing.assert_array_equal(products(a, b), np.matmul(a, b))


TO = Requantization(fixed_point([0.01]), 0, -128, 127, ElementType.INT8)


WITH_PLANES = [
    (MaxPool(WINDOW), [(2, 4, 6, 6)]),
    (AveragePool(WINDOW), [(2, 4, 6, 6)]),
    (DepthwiseConvolution(WINDOW), [(2, 4, 6, 6), (4, 3, 3, 1)]),
]


@pytest.mark.parametrize(("instruction", "shapes"), WITH_PLANES)
def test_windows_look_before_each_block_of_planes(
    instruction: Instruction, shapes: Sequence[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    operands = [real(*shape) for shape in shapes]
    at_once = instruction.run(operands)
    monkeypatch.setattr(planes, "BLOCK_ELEMENTS", 8 * 8)  # one padded plane
    np.testing.assert_array_equal(instruction.run(operands), at_once)
    assert looks_of(lambda: instruction.run(operands)) == 8


@pytest.mark.parametrize(
    ("instruction", "shapes", "looks"),
    [
        (QuantizedMaxPool(WINDOW, -128, 127), [(2, 4, 6, 6)], 9),  # each tap
        (QuantizedAveragePool(WINDOW, -128, 127), [(2, 4, 6, 6)], 9),
        (QuantizedDepthwiseConvolution(WINDOW, 0, (0,), TO), [(2, 4, 6, 6), (4, 3, 3, 1)], 9),
        (QuantizedConvolution(WINDOW, 0, (0,), TO), [(2, 4, 6, 6), (5, 3, 3, 4)], 6),  # each row of windows
        (QuantizedMatMul(0, (0,), TO), [(3, 4, 5), (3, 5, 6)], 3),  # each matrix
        (QuantizedTransposedConvolution(WINDOW, 0, (0,), TO), [(2, 4, 6, 6), (4, 3, 3, 5)], 2 + 9),  # and each tap
    ],
)
def test_instructions_on_integers_look_and_are_exact_in_blocks(
    instruction: Instruction, shapes: Sequence[tuple[int, ...]], looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    operands = [whole(*shape) for shape in shapes]
    at_once = instruction.run(operands)
    for place in (module, quantized_sums):
        monkeypatch.setattr(place, "BLOCK_MACS", 1)
    np.testing.assert_array_equal(instruction.run(operands), at_once)
    assert looks_of(lambda: instruction.run(operands)) == looks


@pytest.mark.parametrize(
    ("instruction", "shapes", "looks"),
    [
        (MatMul(), [(2, 3, 4, 5), (5, 6), (6,)], 6),
        (MatMul(transpose_a=True, transpose_b=True), [(3, 5, 4), (3, 6, 5)], 3),
        (TransposedConvolution(WINDOW), [(2, 4, 6, 6), (4, 3, 3, 5)], 2 + 9),
    ],
)
def test_instructions_on_real_numbers_have_the_bits_of_the_whole(
    instruction: Instruction, shapes: Sequence[tuple[int, ...]], looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    operands = [real(*shape) for shape in shapes]
    at_once = instruction.run(operands)
    monkeypatch.setattr(module, "BLOCK_MACS", 1)
    np.testing.assert_array_equal(instruction.run(operands), at_once)
    assert looks_of(lambda: instruction.run(operands)) == looks


def test_rounding_looks_before_each_block() -> None:
    values = real(3 * half.BLOCK + 1)
    assert looks_of(lambda: half.round_to_half(values)) == 4
