import numpy as np
import pytest

from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.movement import Permute, View
from lite_delegate.npu.passes.canonicalize import Canonicalize
from tests.npu.graphs import Array, small_ints
from tests.npu.passes.modules import Sketch, applied, opcodes

NEG = Lookup(Function.NEG)


def rearranged(shape, *instructions):
    """The instructions left of a chain between two lookups."""
    s = Sketch()
    x = s.step(NEG, s.input(*shape))
    for instruction in instructions:
        x = s.step(instruction, x)
    result = applied(Canonicalize(), s.module(s.step(NEG, x)))
    return [step.instruction for step in result.steps[1:-1]]


@pytest.mark.parametrize(
    ("shape", "axes", "left"),
    [
        ((1, 3, 1, 4), (0, 2, 1, 3), View((1, 1, 3, 4))),
        ((2, 3, 1, 4), (2, 0, 1, 3), View((1, 2, 3, 4))),
        ((2, 3, 1, 4), (0, 3, 2, 1), Permute((0, 3, 2, 1))),
        ((1, 1, 1, 5), (0, 3, 1, 2), View((1, 5, 1, 1))),
    ],
)
def test_case_1_a_permute_of_ones_is_a_view(shape, axes, left):
    assert rearranged(shape, Permute(axes)) == [left]


def test_case_2_permutes_in_a_row_are_one():
    assert rearranged((2, 3, 4), Permute((1, 2, 0)), Permute((0, 2, 1))) == [Permute((1, 0, 2))]
    assert rearranged((2, 3, 4), Permute((1, 2, 0)), Permute((1, 2, 0)), Permute((1, 2, 0))) == []


def test_case_2_the_first_stays_for_another_reader():
    s = Sketch()
    first = s.step(Permute((1, 2, 0)), s.input(2, 3, 4))
    second = s.step(Permute((0, 2, 1)), first)
    result = applied(Canonicalize(), s.module(s.step(NEG, first), s.step(NEG, second)))
    assert [s.instruction for s in result.steps[:2]] == [Permute((1, 2, 0)), Permute((1, 0, 2))]


@pytest.mark.parametrize("instruction", [Permute((0, 1, 2)), View((2, 3, 4))])
def test_case_3_what_changes_nothing_goes(instruction):
    assert rearranged((2, 3, 4), instruction) == []


def test_case_3_also_right_between_input_and_output():
    s = Sketch()
    y = s.step(View((2, 3)), s.input(2, 3))
    result = applied(Canonicalize(), s.module(y))
    assert result.steps == ()
    assert result.outputs[0].buffer == result.inputs[0].buffer


def test_case_4_views_in_a_row_are_one():
    assert rearranged((2, 3, 4), View((6, 4)), View((24,)), View((4, 6))) == [View((4, 6))]
    assert rearranged((2, 3, 4), View((6, 4)), View((2, 3, 4))) == []


def test_case_4_a_permute_of_ones_joins_the_views_around_it():
    assert rearranged((2, 6), View((1, 2, 6)), Permute((1, 0, 2)), View((2, 2, 3))) == [View((2, 2, 3))]


def test_a_permute_of_a_view_stays_what_it_is():
    assert rearranged((6, 4), View((2, 3, 4)), Permute((0, 2, 1))) == [View((2, 3, 4)), Permute((0, 2, 1))]


def test_case_5_constants_are_made_rearranged_and_only_when_packed():
    s = Sketch()
    made: list[int] = []
    c = s.constant(np.arange(24.0).reshape(2, 3, 4))
    y = s.step(View((4, 6)), s.step(Permute((2, 1, 0)), c))
    module = s.module(s.step(NEG, s.input(2)), y)
    array = s.constants[c]

    def make() -> Array:
        made.append(1)
        return array

    module = type(module)(module.buffers, module.steps, {c: make}, module.inputs, module.outputs)
    result = Canonicalize().rewrite(module)
    assert opcodes(result) == {"Lookup": 1}
    assert made == []
    want = [[array[j, i, k] for i in range(3) for j in range(2)] for k in range(4)]
    np.testing.assert_array_equal(next(iter(result.pack_constants().values())), want)
    applied(Canonicalize(), s.module(s.step(NEG, s.inputs[0].buffer), y))


def test_case_5_a_constant_read_both_ways_is_there_twice():
    s = Sketch()
    c = s.constant(small_ints((2, 3), 1))
    result = applied(Canonicalize(), s.module(s.step(NEG, s.input(2)), c, s.step(Permute((1, 0)), c)))
    assert [result.buffers[i].shape for i in result.constants] == [(2, 3), (3, 2)]
