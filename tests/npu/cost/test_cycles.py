"""Cycles of single computations and transfers against numbers counted by hand."""

import pytest

from lite_delegate.npu.cost.cycles import (
    array_rate,
    compute_cycles,
    step_cycles,
    streamed_cycles,
    transfer_cycles,
)
from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.functions import RELU6
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.pooling import AveragePool, MaxPool
from lite_delegate.npu.device.instructions.reduction import Reduce, ReductionFunction, SoftmaxAlong
from lite_delegate.npu.device.programs.instruction import Instruction, Work
from lite_delegate.npu.device.programs.program import Buffer, ElementType, Program, ProgramStep
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.profiles import Compute, Memory

UNITS = Compute(float16_macs=64, int8_macs=128, vector_lanes=10)
SAME_3X3 = Window((3, 3), (1, 1), (1, 1), (1, 1), (4, 4))
HALVE_2X2 = Window((2, 2), (2, 2), (1, 1), (0, 0), (2, 2))
X = (1, 8, 4, 4)


def cycles(instruction: Instruction, shapes: list[tuple[int, ...]], result: tuple[int, ...], tiles: int = 1) -> int:
    buffers = [Buffer(shape, ElementType.FLOAT16) for shape in [*shapes, result]]
    step = ProgramStep(instruction, tuple(range(len(shapes))), len(shapes))
    program = Program(tuple(buffers), (), tuple(range(len(shapes))), (len(shapes),), (step,))
    return step_cycles(program, step, tiles, UNITS)


# An array of 64 makes 64 / 16 = 4 results at once, 16 terms of each per cycle.
HAND: dict[str, tuple[Instruction, list[tuple[int, ...]], tuple[int, ...], int]] = {
    # 16 channels x 16 places = 256 results: 64 rounds; 8 x 9 = 72 terms: 5 times 16, the last half empty.
    "convolution": (Convolution(SAME_3X3, fused=RELU6), [X, (16, 3, 3, 8), (16,)], (1, 16, 4, 4), 64 * 5),
    # 8 x 16 = 128 results: 32 rounds; 9 terms: once 16.
    "depthwise": (DepthwiseConvolution(SAME_3X3), [X, (8, 3, 3, 1)], (1, 8, 4, 4), 32),
    # 3 x 5 = 15 results: 4 rounds, the last one not full; 17 terms: twice 16.
    "matrix product": (MatMul(), [(3, 17), (17, 5)], (3, 5), 8),
    # 128 additions, 10 per cycle.
    "addition": (Binary(BinaryFunction.ADD), [X, X], X, 13),
    "table": (Lookup(Function.TANH), [X], X, 13),
    # 32 results of 4 elements each.
    "largest": (MaxPool(HALVE_2X2), [X], (1, 8, 2, 2), 13),
    "mean": (AveragePool(HALVE_2X2), [X], (1, 8, 2, 2), 13),
    # 128 elements are added up to 8.
    "sums": (Reduce(ReductionFunction.SUM, (2, 3)), [X], (1, 8, 1, 1), 13),
    # 4 passes over 30 elements.
    "softmax": (SoftmaxAlong(1), [(3, 10)], (3, 10), 12),
}


@pytest.mark.parametrize("name", HAND)
def test_each_kind_of_computation_takes_what_a_hand_count_says(name):
    instruction, shapes, result, want = HAND[name]
    assert cycles(instruction, shapes, result) == want


def test_tiles_share_the_results_and_the_last_round_is_not_full():
    convolution, shapes, result, _ = HAND["convolution"]
    assert [cycles(convolution, shapes, result, tiles) for tiles in (1, 2, 3, 4)] == [320, 160, 22 * 5, 80]
    assert [cycles(HAND["addition"][0], [X, X], X, tiles) for tiles in (1, 2, 3)] == [13, 7, 5]


@pytest.mark.parametrize(
    ("element", "rounds"),
    [
        (ElementType.FLOAT16, 10),
        (ElementType.INT8, 5),
        (ElementType.UINT8, 5),
        (ElementType.FLOAT32, 40),
        (ElementType.INT32, 40),
    ],
)
def test_the_array_is_as_fast_as_the_type_of_the_operands_lets_it_be(element, rounds):
    assert compute_cycles(Work(macs=40 * 32), 40, element, 1, UNITS) == rounds * 2


def test_a_rate_that_four_does_not_divide_is_not_rounded():
    units = Compute(float16_macs=714)
    assert array_rate(ElementType.FLOAT32, units) == (714, 4)
    # 16 x 4 x 714 / 714 = 64 rounds.
    assert compute_cycles(Work(macs=714), 714, ElementType.FLOAT32, 1, units) == 64


def test_the_array_and_the_vector_unit_work_at_the_same_time():
    assert compute_cycles(Work(macs=40 * 16, vector=500), 40, ElementType.FLOAT16, 1, UNITS) == 50
    assert compute_cycles(Work(macs=40 * 16, vector=90), 40, ElementType.FLOAT16, 1, UNITS) == 10
    assert compute_cycles(Work(), 40, ElementType.FLOAT16, 1, UNITS) == 0


def test_a_transfer_takes_its_setup_and_whole_cycles_for_each_stretch():
    memory = Memory(dma_bytes_per_cycle=8, dma_setup_cycles=100)
    assert transfer_cycles(80, 1, memory) == 110
    assert transfer_cycles(81, 1, memory) == 111
    assert transfer_cycles(80, 10, memory) == 110
    assert transfer_cycles(90, 10, memory) == 120  # 9 bytes are two cycles, ten times
    assert transfer_cycles(80, 40, memory) == 140  # 2 bytes are a cycle each
    assert transfer_cycles(0, 1, memory) == 0


def test_a_streamed_computation_takes_the_longer_of_computing_and_moving():
    memory = Memory(dma_bytes_per_cycle=8, dma_setup_cycles=10)
    buffers = [Buffer((40,), ElementType.FLOAT16), Buffer((8,), ElementType.FLOAT32)]
    assert streamed_cycles(5, buffers, memory) == (10 + 10) + (10 + 4)
    assert streamed_cycles(50, buffers, memory) == 50
