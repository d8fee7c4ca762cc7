import pytest

from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.movement import Permute
from lite_delegate.npu.passes.matmul_transposes import MatMulTransposes
from tests.npu.passes.modules import Sketch, applied, opcodes


@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("swapped", [(True, False), (False, True), (True, True)])
def test_cases_1_and_2_a_swap_is_a_flag(flags, swapped):
    s = Sketch()
    shapes = [
        (2, 3, 4) if not flags[0] ^ swapped[0] else (2, 4, 3),
        (2, 4, 5) if not flags[1] ^ swapped[1] else (2, 5, 4),
    ]
    operands = [s.input(*shape) for shape in shapes]
    operands = [s.step(Permute((0, 2, 1)), x) if swap else x for x, swap in zip(operands, swapped, strict=True)]
    (step,) = applied(MatMulTransposes(), s.module(s.step(MatMul(*flags), *operands))).steps
    assert step.instruction == MatMul(flags[0] ^ swapped[0], flags[1] ^ swapped[1])


def test_a_bias_stays():
    s = Sketch()
    x = s.step(Permute((1, 0)), s.input(4, 3))
    (step,) = applied(MatMulTransposes(), s.module(s.step(MatMul(), x, s.input(4, 5), s.input(5)))).steps
    assert len(step.operands) == 3


def test_not_for_other_axes_and_the_permute_stays_for_others():
    s = Sketch()
    x = s.step(Permute((1, 0, 2)), s.input(3, 2, 4))
    module = s.module(s.step(MatMul(), x, s.input(4, 5)))
    assert applied(MatMulTransposes(), module) is module
    s = Sketch()
    x = s.step(Permute((1, 0)), s.input(4, 3))
    result = applied(MatMulTransposes(), s.module(s.step(MatMul(), x, s.input(4, 5)), s.step(Lookup(Function.NEG), x)))
    assert opcodes(result) == {"Permute": 1, "MatMul": 1, "Lookup": 1}
