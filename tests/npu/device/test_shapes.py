"""What instructions say they make of shapes is what they make; what does not fit is rejected before it runs."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.errors import DelegateBuildError
from lite_delegate.npu.device import Buffer, ElementType, Program, ProgramStep
from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction, ScaleShift
from lite_delegate.npu.device.instructions.cast import ConvertElements
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.crop import CropAndResample, Sampling
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.detection import Detect
from lite_delegate.npu.device.instructions.dma import Join
from lite_delegate.npu.device.instructions.gathering import GatherAlong, Take
from lite_delegate.npu.device.instructions.instruction_set import ALL_INSTRUCTIONS
from lite_delegate.npu.device.instructions.integer import IntegerFunction, IntegerUnary
from lite_delegate.npu.device.instructions.length import NormalizeLength
from lite_delegate.npu.device.instructions.local_response import LocalResponse
from lite_delegate.npu.device.instructions.logic import Logical, LogicalFunction
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.moments import NormalizeMoments
from lite_delegate.npu.device.instructions.movement import Concatenate, Permute, View
from lite_delegate.npu.device.instructions.normalize import Normalize
from lite_delegate.npu.device.instructions.padding import Border, Pad
from lite_delegate.npu.device.instructions.pooling import AveragePool, MaxPool, Pooled
from lite_delegate.npu.device.instructions.quantized_arithmetic import QuantizedProduct, QuantizedSum
from lite_delegate.npu.device.instructions.quantized_conversion import Dequantize, Quantize
from lite_delegate.npu.device.instructions.quantized_convolution import QuantizedConvolution
from lite_delegate.npu.device.instructions.quantized_depthwise import QuantizedDepthwiseConvolution
from lite_delegate.npu.device.instructions.quantized_lookup import ByteLookup
from lite_delegate.npu.device.instructions.quantized_matmul import QuantizedMatMul
from lite_delegate.npu.device.instructions.quantized_pooling import QuantizedAveragePool, QuantizedMaxPool
from lite_delegate.npu.device.instructions.quantized_scaling import FixedPoint, Requantization
from lite_delegate.npu.device.instructions.quantized_transposed_convolution import QuantizedTransposedConvolution
from lite_delegate.npu.device.instructions.reduction import Reduce, ReductionFunction, SoftmaxAlong
from lite_delegate.npu.device.instructions.repetition import Broadcast, Repeat
from lite_delegate.npu.device.instructions.resize import Coordinates, ResizeLinear, ResizeNearest
from lite_delegate.npu.device.instructions.selection import TopPlaces, TopValues
from lite_delegate.npu.device.instructions.slicing import Slice
from lite_delegate.npu.device.instructions.transposed_convolution import TransposedConvolution
from lite_delegate.npu.device.program_check import check_program
from lite_delegate.npu.device.programs.shapes import MOST_PADDED, PADDED_SHARE, convolution_shape, windows_over
from lite_delegate.npu.device.programs.window import Window
from tests.npu.device.test_formats import SAMPLES

ADD = Binary(BinaryFunction.ADD)
WINDOW = Window((3, 2), (2, 1), (1, 2), (1, 0), (3, 4))
"""On planes of 5 by 6."""
SPREAD = Window((3, 2), (2, 1), (1, 1), (1, 0), (9, 7))


def requantized(channels: int = 1) -> Requantization:
    factor = FixedPoint((2**30,) * channels, (-8,) * channels)
    return Requantization(factor, 1, -128, 127, ElementType.INT8)


def quantized(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-100, 100, shape).astype(np.int8)


def bias(channels: int) -> np.ndarray:
    return np.zeros(channels, np.int32)


X, SMALL = np.ones((2, 4, 5, 6), np.float16), quantized(2, 4, 5, 6)
FACTOR = FixedPoint((2**30,), (-4,))
MORE = [
    (Lookup(Function.RELU), [X]),
    (ConvertElements(ElementType.INT32), [X]),
    (IntegerUnary(IntegerFunction.NEG), [bias(5)]),
    (MaxPool(WINDOW), [X]),
    (Convolution(WINDOW, group=2), [X, np.ones((6, 3, 2, 2), np.float16), np.ones(6, np.float16)]),
    (
        Convolution(
            Window((3, 3), (1, 1), (1, 1), (1, 1), (5, 6)),
            pooled=Pooled(Window((2, 2), (2, 2), (1, 1), (0, 0), (2, 3)), 0.0),
        ),
        [X, np.ones((8, 3, 3, 4), np.float16)],
    ),
    (MatMul(transpose_a=True, transpose_b=True), [np.ones((3, 1, 5, 2)), np.ones((4, 7, 5)), np.ones(7)]),
    (Pad((0, 1, 2, 0), (3, 0, 0, 1), Border.CONSTANT), [X]),
    (CropAndResample(Sampling.LINEAR, (3, 2)), [X, np.ones((5, 4), np.float32), np.ones(5, np.int32)]),
    (ResizeLinear(Coordinates.ASYMMETRIC, (3, 2), (4, 9)), [X]),
    (ByteLookup((0,) * 256, ElementType.UINT8), [SMALL]),
    (Dequantize((0.5,) * 4, (0,) * 4, 1), [SMALL]),
    (QuantizedSum((0, 0), (FACTOR, FACTOR), requantized()), [SMALL, quantized(5, 1)]),
    (QuantizedProduct((0, 0), requantized()), [SMALL, quantized(6)]),
    (QuantizedMaxPool(WINDOW, -128, 127), [SMALL]),
    (QuantizedAveragePool(WINDOW, -128, 127), [SMALL]),
    (QuantizedMatMul(0, (0,) * 7, requantized(7)), [quantized(2, 3, 5), quantized(5, 7), bias(7)]),
    (QuantizedConvolution(WINDOW, 0, (0,), requantized(6), 2), [SMALL, quantized(6, 3, 2, 2), bias(6)]),
    (QuantizedDepthwiseConvolution(WINDOW, 0, (0,) * 4, requantized(4)), [SMALL, quantized(4, 3, 2, 1), bias(4)]),
    (QuantizedTransposedConvolution(SPREAD, 0, (0,), requantized(6), 2), [SMALL, quantized(4, 3, 2, 3), bias(6)]),
]


@pytest.mark.parametrize(("instruction", "operands"), [*SAMPLES, *MORE])
def test_the_result_has_the_shape_that_is_foretold(instruction, operands):
    assert len(operands) in instruction.arity
    with np.errstate(all="ignore"):
        result = instruction.run(operands)
    assert instruction.result_shape([operand.shape for operand in operands]) == result.shape


def test_every_instruction_is_here():
    assert {type(instruction) for instruction, _ in [*SAMPLES, *MORE]} == set(ALL_INSTRUCTIONS)


REJECTED = [
    (ADD, [(2, 3), (3, 2)], "shapes that broadcast"),
    (ScaleShift(), [(3,), (2, 3)], "operands that broadcast to (3,)"),
    (Normalize(), [(3,), *[(2, 1)] * 4], "operands that broadcast"),
    (NormalizeMoments((1,), 1e-5), [(3,)], "axes of (3,), each once, found (1,)"),
    (NormalizeMoments((0,), 1e-5), [(3,), (2, 3), (3,)], "operands that broadcast"),
    (NormalizeLength((-1,), 1e-5), [(3,)], "axes of (3,)"),
    (LocalResponse(1, 1, 1.0, 1.0, 1.0), [(3,)], "axes of (3,)"),
    (SoftmaxAlong(2), [(3, 4)], "axes of (3, 4)"),
    (Reduce(ReductionFunction.SUM, (0, 0)), [(3, 4)], "axes of (3, 4), each once"),
    (TopPlaces(0, 4), [(3,)], "4 or more elements along axis 0"),
    (TopValues(1, 1), [(3,)], "axes of (3,)"),
    (ResizeNearest(Coordinates.ASYMMETRIC, (0,), (0,)), [(3,)], "a size from 1 on"),
    (ResizeLinear(Coordinates.ASYMMETRIC, (0,), (1, 2)), [(3,)], "a size from 1 on"),
    (MatMul(), [(3,), (3, 4)], "a matrix, found (3,)"),
    (MatMul(), [(2, 3), (4, 2)], "as many columns of the first matrix as rows of the second"),
    (MatMul(), [(2, 3), (3, 4), (5,)], "shapes that broadcast, found ((2, 4), (5,))"),
    (MatMul(), [(2, 3), (3, 1), (5,)], "operands that broadcast to (2, 1)"),
    (QuantizedMatMul(0, (0, 0), requantized()), [(2, 3), (3, 4)], "1 or 4 values of channels, found 2"),
    (QuantizedSum((0, 0), (FACTOR, FACTOR), requantized(2)), [(2,), (2,)], "1 or 1 value of channels, found 2"),
    (QuantizedProduct((0, 0), requantized(2)), [(2,), (2,)], "1 or 1 value of channels, found 2"),
    (Quantize((0.5,) * 2, (0,), ElementType.INT8, 1), [(2, 3)], "1 or 3 values of channels, found 2"),
    (Dequantize((0.5,) * 2, (0,), 2), [(2, 3)], "axes of (2, 3)"),
    (MaxPool(WINDOW), [(5, 6)], "4 dimensions"),
    (MaxPool(Window((1, 1), (0, 1), (1, 1), (0, 0), (1, 1))), [(1, 1, 5, 6)], "sizes and steps from 1 on"),
    (AveragePool(Window((1, 1), (1, 1), (1, 1), (0, -1), (1, 1))), [(1, 1, 5, 6)], "windows that lie on"),
    (Convolution(WINDOW), [(2, 4, 5, 6), (6, 3, 2, 3)], "weight and bias for 1 group of 4 channels"),
    (Convolution(WINDOW), [(2, 4, 5, 6), (6, 2, 3, 4)], "and windows of (3, 2)"),
    (Convolution(WINDOW, group=2), [(2, 4, 5, 6), (5, 3, 2, 2)], "for 2 groups of 4 channels"),
    (Convolution(WINDOW), [(2, 4, 5, 6), (6, 3, 2, 4), (5,)], "weight and bias"),
    (Convolution(WINDOW, pooled=Pooled(Window((1, 1), (1, 1), (1, 1), (-1, 0), (1, 1)), 0.0)),
     [(2, 4, 5, 6), (6, 3, 2, 4)], "windows that lie on"),
    (QuantizedConvolution(WINDOW, 0, (0,) * 5, requantized()), [(2, 4, 5, 6), (6, 3, 2, 4)], "1 or 6 values"),
    (DepthwiseConvolution(WINDOW), [(2, 4, 5, 6), (5, 3, 2, 1)], "weight and bias"),
    (DepthwiseConvolution(WINDOW), [(2, 4, 5, 6), ()], "weight and bias"),
    (QuantizedDepthwiseConvolution(WINDOW, 0, (0,), requantized(3)), [(2, 4, 5, 6), (4, 3, 2, 1)], "1 or 4 values"),
    (TransposedConvolution(SPREAD), [(2, 4, 5, 6), (5, 3, 2, 1)], "weight and bias"),
    (TransposedConvolution(SPREAD, 3), [(2, 4, 5, 6), (4, 3, 2, 1)], "for 3 groups of 4 channels"),
    (TransposedConvolution(SPREAD), [(2, 4, 5, 6), (4, 3, 2, 1), (2,)], "weight and bias"),
    (QuantizedTransposedConvolution(SPREAD, 0, (0,), requantized(3)), [(2, 4, 5, 6), (4, 3, 2, 4)], "1 or 4 values"),
    (Pad((0,), (0, 0)), [(2, 3)], "a number from 0 on for each axis of (2, 3), found (0,)"),
    (Pad((0, 0), (0, -1)), [(2, 3)], "a number from 0 on for each axis of (2, 3), found (0, -1)"),
    (Repeat((1, 0)), [(2, 3)], "a number from 1 on"),
    (Broadcast((2, 4)), [(2, 3)], "shapes that broadcast"),
    (Broadcast((1, 2, 3)), [(2, 3)], "a number from 1 on for each axis"),
    (Slice((1,), (2,), (2,)), [(3,)], "2 positions of 3, found start 1, stride 2"),
    (Slice((1,), (3,), (-1,)), [(3,)], "3 positions of 3, found start 1, stride -1"),
    (Slice((3,), (1,), (1,)), [(3,)], "1 positions of 3"),
    (Slice((4,), (2,), (-2,)), [(3,)], "2 positions of 3"),
    (Take(0, (0, 3)), [(3,)], "positions of 3, found 0 to 3"),
    (Take(1, (0,)), [(3,)], "axes of (3,)"),
    (GatherAlong(1), [(3,), (2,)], "axes of (3,)"),
    (Permute((0, 0)), [(2, 3)], "axes of (2, 3), each once"),
    (Permute((0,)), [(2, 3)], "a number from 0 on for each axis"),
    (View((5,)), [(2, 3)], "as many elements as (2, 3)"),
    (View((-2, -3)), [(2, 3)], "as many elements as (2, 3)"),
    (Concatenate(0), [(2, 3), (2, 4)], "differ from (2, 3) along axis 0 alone"),
    (Concatenate(0), [(2, 3), (2,)], "differ from (2, 3) along axis 0 alone"),
    (Join(2), [(2, 3), (2, 3)], "axes of (2, 3)"),
    (CropAndResample(Sampling.NEAREST, (0, 1)), [(1, 1, 2, 2), (1, 4), (1,)], "a size from 1 on"),
    (CropAndResample(Sampling.NEAREST, (1, 1)), [(1, 1, 2, 2), (2, 4), (1,)], "boxes (n, 4), indices (n,)"),
    (Detect((5.0,) * 4, 0.5, 0.0, 3, 3, 1, 0, 3), [(1, 4, 4), (1, 4, 2), (4, 4)], "scores (1, N, 3 or more)"),
    (Detect((5.0,) * 4, 0.5, 0.0, 3, 2, 1, 0, 3), [(1, 4, 4), (1, 4, 2), (5, 4)], "anchors (N, 4)"),
]  # fmt: skip


@pytest.mark.parametrize(("instruction", "operands", "message"), REJECTED)
def test_what_does_not_fit_is_rejected(instruction, operands, message):
    with pytest.raises(ValueError, match="expected ") as error:
        instruction.result_shape(operands)
    assert message in str(error.value)


def test_logic_takes_as_many_operands_as_its_function():
    with pytest.raises(ValueError, match="expected 1 operands, found 2"):
        Logical(LogicalFunction.NOT).result_shape([(2,), (2,)])
    with pytest.raises(ValueError, match="expected 2 operands, found 1"):
        Logical(LogicalFunction.OR).result_shape([(2,)])


def test_padding_is_bounded():
    """Windows far from each other, or far from the input, would need a border without end."""
    rows = MOST_PADDED // 4
    last = Window((1, 4), (rows - 1, 1), (1, 1), (0, 0), (2, 1))
    assert windows_over(last, (1, 1, 4, 4)) == (1, 1, 2, 1)
    with pytest.raises(ValueError, match="windows that lie on"):
        windows_over(Window((1, 4), (rows, 1), (1, 1), (0, 0), (2, 1)), (1, 1, 4, 4))
    large = (1, MOST_PADDED, 1, 1)
    assert windows_over(Window((1, PADDED_SHARE), (1, 1), (1, 1), (0, 0), (1, 1)), large) == large
    with pytest.raises(ValueError, match="windows that lie on"):
        windows_over(Window((1, PADDED_SHARE + 1), (1, 1), (1, 1), (0, 0), (1, 1)), large)
    with pytest.raises(ValueError, match="windows that lie on"):
        convolution_shape(Window((1, 1), (2**40, 1), (1, 1), (0, 0), (2, 1)), [(1, 1, 4, 4), (1, 1, 1, 1)], 1)


def program(instruction, operands, result):
    shapes = [*operands, result]
    buffers = tuple(Buffer(shape, ElementType.FLOAT16) for shape in shapes)
    inputs, output = tuple(range(len(operands))), len(operands)
    return Program(buffers, (), inputs, (output,), (ProgramStep(instruction, inputs, output, "wrong"),))


@pytest.mark.parametrize(
    ("instruction", "operands", "result", "message"),
    [
        (ADD, [(3,)] * 3, (3,), "2 operands, found 3"),
        (ADD, [(3,)], (3,), "2 operands, found 1"),
        (ScaleShift(), [(3,)], (3,), "2 or 3 operands, found 1"),
        (Concatenate(0), [], (3,), "1 or 2 or 3 or more operands, found 0"),
        (ADD, [(3,), (4,)], (3,), "shapes that broadcast, found ((3,), (4,))"),
        (ADD, [(3, 1), (1, 4)], (3,), "a buffer of (3, 4) for the result, found (3,)"),
    ],
)
def test_programs_are_checked(instruction, operands, result, message):
    with pytest.raises(DelegateBuildError) as error:
        check_program(program(instruction, operands, result))
    assert str(error.value) == f"Step 'wrong' ({type(instruction).__name__}): expected {message}."
