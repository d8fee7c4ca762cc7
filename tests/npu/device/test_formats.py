"""What instructions declare of number formats must be true: ``reads_format`` and ``rounds``."""

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction, ScaleShift
from lite_delegate.npu.device.instructions.choice import Choose
from lite_delegate.npu.device.instructions.comparison import Compare, ComparisonFunction
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.detection import Detect
from lite_delegate.npu.device.instructions.dma import Dma, Join
from lite_delegate.npu.device.instructions.gathering import GatherAlong, Take
from lite_delegate.npu.device.instructions.instruction_set import ALL_INSTRUCTIONS
from lite_delegate.npu.device.instructions.length import NormalizeLength
from lite_delegate.npu.device.instructions.local_response import LocalResponse
from lite_delegate.npu.device.instructions.logic import Logical, LogicalFunction
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.moments import NormalizeMoments
from lite_delegate.npu.device.instructions.movement import Concatenate, Permute, View
from lite_delegate.npu.device.instructions.normalize import Normalize
from lite_delegate.npu.device.instructions.pooling import AveragePool
from lite_delegate.npu.device.instructions.quantized_conversion import Quantize
from lite_delegate.npu.device.instructions.reduction import LogSoftmaxAlong, Reduce, ReductionFunction, SoftmaxAlong
from lite_delegate.npu.device.instructions.repetition import Broadcast, Repeat
from lite_delegate.npu.device.instructions.resize import Coordinates, ResizeNearest
from lite_delegate.npu.device.instructions.selection import TopPlaces, TopValues
from lite_delegate.npu.device.instructions.sequence import DecodeClasses
from lite_delegate.npu.device.instructions.slicing import Slice
from lite_delegate.npu.device.instructions.transposed_convolution import TransposedConvolution
from lite_delegate.npu.device.programs.instruction import Instruction, widen
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from tests.npu.graphs import half

WINDOW = Window((3, 3), (1, 1), (1, 1), (1, 1), (4, 4))
X, Y = half((1, 4, 4, 4), 0), half((1, 4, 4, 4), 1)
VECTORS = [half((4,), seed) for seed in range(4)]

SAMPLES: list[tuple[Instruction, list[np.ndarray]]] = [
    *((Binary(function), [X, Y]) for function in BinaryFunction),
    (ScaleShift(), [X, VECTORS[0], VECTORS[1]]),
    (Convolution(WINDOW), [X, half((2, 3, 3, 4), 2)]),
    (DepthwiseConvolution(WINDOW), [X, half((4, 3, 3, 1), 2)]),
    (MatMul(), [half((3, 5), 0), half((5, 2), 1)]),
    (Normalize(), [X, *VECTORS]),
    (AveragePool(WINDOW), [X]),
    *((Reduce(reduction, (1,)), [X]) for reduction in ReductionFunction),
    (SoftmaxAlong(1), [X]),
    (LogSoftmaxAlong(1), [X]),
    (Choose(), [np.arange(4) % 2 == 0, X, Y]),
    (Permute((0, 2, 3, 1)), [X]),
    (View((4, 16)), [X]),
    (Concatenate(1), [X, Y]),
    (Dma(), [X]),
    (Join(1), [X, Y]),
    (Slice((0, 1, 0, 0), (1, 2, 4, 2), (1, 1, 1, 2)), [X]),
    (Take(1, (2, 0)), [X]),
    (GatherAlong(1), [X, np.array([3, 1], np.int32)]),
    (Repeat((1, 2, 1, 3)), [X]),
    (Broadcast((2, 4, 4, 4)), [X]),
    *((Compare(comparison), [X, Y]) for comparison in ComparisonFunction),
    *((Logical(function), [X, Y][: 1 if function is LogicalFunction.NOT else 2]) for function in LogicalFunction),
    (NormalizeLength((1,), 1e-6), [X]),
    (LocalResponse(1, 1, 1.0, 0.5, 0.75), [X]),
    (NormalizeMoments((2, 3), 1e-5), [X, VECTORS[0][:, None, None], VECTORS[1][:, None, None]]),
    (Quantize((0.1,), (3,), ElementType.INT8), [X]),
    (TopPlaces(1, 2), [X]),
    (TopValues(1, 2), [X]),
    (TransposedConvolution(Window((2, 2), (2, 2), (1, 1), (0, 0), (8, 8))), [X, half((4, 2, 2, 3), 1)]),
    (
        Detect((5.0, 5.0, 10.0, 10.0), 0.5, 0.0, 3, 2, 1, 0, 3),
        [half((1, 4, 4), 0), half((1, 4, 3), 1), half((4, 4), 2)],
    ),
    (DecodeClasses(merge=True), [half((6, 2, 4), 0), np.ones((6, 2), np.float16)]),
    (ResizeNearest(Coordinates.ASYMMETRIC, (2, 3), (8, 6)), [X]),
]


def run(instruction: Instruction, operands: list[np.ndarray]) -> np.ndarray:
    with np.errstate(all="ignore"):
        return instruction.run(operands)


@pytest.mark.parametrize(("instruction", "operands"), SAMPLES)
def test_what_is_not_handed_the_format_gives_the_same_numbers_for_both(instruction, operands):
    assert not instruction.reads_format
    wide = [widen(operand) if operand.dtype == np.float16 else operand for operand in operands]
    np.testing.assert_array_equal(run(instruction, operands).astype(np.float64), run(instruction, wide))


@pytest.mark.parametrize(("instruction", "operands"), SAMPLES)
def test_what_is_not_rounded_is_made_of_numbers_of_the_operands(instruction, operands):
    if not instruction.rounds:
        given = np.concatenate([operand.reshape(-1) for operand in operands])
        assert np.isin(run(instruction, operands), given).all()


def test_every_instruction_that_declares_something_is_here():
    declared = {kind for kind in ALL_INSTRUCTIONS if not (kind.reads_format and kind.rounds)}
    assert declared == {type(instruction) for instruction, _ in SAMPLES}
