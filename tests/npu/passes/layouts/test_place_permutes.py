"""Each numbered case; ``applied`` holds the results against those of the module as it was."""

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction, ScaleShift
from lite_delegate.npu.device.instructions.cast import ConvertElements
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.movement import Concatenate, Permute, View
from lite_delegate.npu.device.instructions.normalize import Normalize
from lite_delegate.npu.device.instructions.padding import Pad
from lite_delegate.npu.device.instructions.reduction import Reduce, ReductionFunction
from lite_delegate.npu.device.instructions.repetition import Repeat
from lite_delegate.npu.device.instructions.resize import Coordinates, ResizeNearest
from lite_delegate.npu.device.instructions.slicing import Slice
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.passes.layouts import PlacePermutes
from tests.npu.graphs import small_ints
from tests.npu.passes.modules import NCHW, NHWC, Sketch, applied, opcodes

NEG, ADD, MUL = Lookup(Function.NEG), Binary(BinaryFunction.ADD), Binary(BinaryFunction.MUL)
SHAPE = (2, 5, 4, 3)


def placed(sketch, *outputs):
    return applied(PlacePermutes(), sketch.module(*outputs))


def permutes(module):
    return [step for step in module.steps if isinstance(step.instruction, Permute)]


# -- 1: permutes around steps that may run in either order


def test_case_1_a_chain_between_convolutions():
    s = Sketch()
    x = s.pointwise(s.input(*SHAPE))
    for _ in range(3):
        x = s.step(NEG, x)
    result = placed(s, s.pointwise(x))
    assert permutes(result) == []
    assert result.inputs[0].axes == NCHW.axes
    assert result.outputs[0].axes == NCHW.axes


def test_case_1_the_arms_of_a_diamond():
    s = Sketch()
    top = s.pointwise(s.input(*SHAPE))
    arms = s.step(NEG, s.pointwise(top)), s.step(Lookup(Function.ABS), top)
    assert permutes(placed(s, s.pointwise(s.step(ADD, *arms)))) == []


def test_case_1_a_residual_addition_whose_sum_is_an_output_in_the_middle():
    s = Sketch()
    top = s.pointwise(s.input(*SHAPE))
    total = s.step(ADD, top, s.pointwise(s.step(NEG, top)))
    result = placed(s, total, s.pointwise(total))
    assert permutes(result) == []
    assert [port.axes for port in result.outputs] == [NCHW.axes] * 2


def test_case_1_two_branches_that_are_concatenated():
    s = Sketch()
    x = s.input(*SHAPE)
    both = s.step(Concatenate(3), s.pointwise(x, 2), s.step(NEG, s.pointwise(x, 5)))
    result = placed(s, s.pointwise(both))
    assert permutes(result) == []
    assert [step.instruction for step in result.steps if step.opcode == "Concatenate"] == [Concatenate(1)]


def test_case_1_one_tensor_read_twice_by_one_step():
    s = Sketch()
    x = s.pointwise(s.input(*SHAPE))
    assert permutes(placed(s, s.pointwise(s.step(ADD, x, x)))) == []


# -- 2: one operand alone


CONSTANTS = {
    "full": small_ints(SHAPE, 1),
    "channels": small_ints((1, 1, 1, 3), 2),
    "plane": small_ints((1, 5, 4, 1), 3),
    "one": small_ints((1, 1, 1, 1), 4),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_case_2_constants_are_made_permuted(name):
    s = Sketch()
    x = s.step(MUL, s.constant(CONSTANTS[name]), s.pointwise(s.input(*SHAPE)))
    result = placed(s, s.pointwise(x))
    assert permutes(result) == []
    assert "View" not in opcodes(result)


def test_case_2_normalization_with_all_its_constants():
    s = Sketch()
    vectors = [s.constant(small_ints((1, 1, 1, 3), seed)) for seed in range(4)]
    assert permutes(placed(s, s.pointwise(s.step(Normalize(), s.pointwise(s.input(*SHAPE)), *vectors)))) == []


def test_case_2_a_variable_vector_is_viewed():
    s = Sketch()
    vector = s.step(View((1, 1, 1, 3)), s.step(NEG, s.input(3)))
    result = placed(s, s.pointwise(s.step(MUL, s.pointwise(s.input(*SHAPE)), vector)))
    assert permutes(result) == []
    assert opcodes(result)["View"] == 1


def test_case_2_another_input_crosses_permuted():
    s = Sketch()
    x, other = s.input(*SHAPE), s.input(*SHAPE)
    result = placed(s, s.pointwise(s.step(ADD, s.pointwise(x), s.step(NEG, other))))
    assert permutes(result) == []
    assert [port.axes for port in result.inputs] == [NCHW.axes] * 2


def opaque(s, *shape):
    """A variable that no permute comes past: it is made of a vector."""
    return s.step(View(shape), s.step(Repeat((1,)), s.input(int(np.prod(shape)))))


def test_case_2_the_cheaper_operand_is_permuted():
    s = Sketch()
    plane = opaque(s, 1, 5, 4, 3)
    (left,) = permutes(placed(s, s.pointwise(s.step(MUL, s.pointwise(s.input(*SHAPE)), plane))))
    assert left.instruction == NCHW
    assert left.layers == ("Binary5",)


# -- 3: axes that instructions name


@pytest.mark.parametrize(
    ("instruction", "inside"),
    [
        (Concatenate(2), Concatenate(3)),
        (Reduce(ReductionFunction.SUM, (1, 2)), Reduce(ReductionFunction.SUM, (2, 3))),
        (Reduce(ReductionFunction.SUM, (3,)), Reduce(ReductionFunction.SUM, (1,))),
        (Pad((0, 1, 2, 0), (0, 0, 1, 1)), Pad((0, 0, 1, 2), (0, 1, 0, 1))),
        (Slice((0, 1, 0, 2), (2, 2, 4, 1), (1, 2, 1, -1)), Slice((0, 2, 1, 0), (2, 1, 2, 4), (1, -1, 2, 1))),
        (Repeat((1, 2, 1, 3)), Repeat((1, 3, 2, 1))),
        (
            ResizeNearest(Coordinates.ASYMMETRIC, (1, 2), (10, 8)),
            ResizeNearest(Coordinates.ASYMMETRIC, (2, 3), (10, 8)),
        ),
    ],
)
def test_case_3_axes_are_rewritten(instruction, inside):
    s = Sketch()
    x = s.pointwise(s.input(*SHAPE))
    operands = [x, s.pointwise(s.inputs[0].buffer, 3, 5)] if isinstance(instruction, Concatenate) else [x]
    result = placed(s, s.pointwise(s.step(instruction, *operands)))
    assert permutes(result) == []
    assert inside in [step.instruction for step in result.steps]


def test_no_permute_crosses_a_step_without_a_rule():
    s = Sketch()
    weight = s.constant(small_ints((2, 5, 3, 3), 1))
    y = s.pointwise(s.step(MatMul(), s.pointwise(s.input(*SHAPE)), weight))
    assert len(permutes(placed(s, y))) == 2


def test_no_permute_crosses_a_step_with_an_operand_of_lower_rank():
    s = Sketch()
    vector = s.constant(small_ints((3,), 1))
    y = s.pointwise(s.step(ScaleShift(), s.pointwise(s.input(*SHAPE)), vector))
    assert len(permutes(placed(s, y))) == 2


# -- 4: views


@pytest.mark.parametrize(
    ("shape", "target", "left"),
    [
        ((2, 5, 4, 3), (2, 20, 3), 0),
        ((2, 1, 1, 3), (2, 3), 0),
        ((1, 5, 4, 3), (5, 4, 3), 0),
        ((2, 5, 4, 3), (2, 5, 2, 2, 3), 0),
        ((2, 5, 4, 3), (2, 5, 2, 6), 1),
        ((2, 5, 4, 3), (2, 60), 1),
    ],
)
def test_case_4_a_permute_crosses_a_view_that_keeps_groups(shape, target, left):
    s = Sketch()
    result = placed(s, s.step(NEG, s.step(View(target), s.pointwise(s.input(*shape)))))
    assert len(permutes(result)) == left


def test_case_4_there_and_back_between_convolutions():
    s = Sketch()
    rows = s.step(NEG, s.step(View((2, 20, 3)), s.pointwise(s.input(*SHAPE))))
    vector = s.constant(small_ints((1, 1, 3), 3))
    assert permutes(placed(s, s.pointwise(s.step(View(SHAPE), s.step(ADD, rows, vector))))) == []


# -- 5: flattened, and summed over with constants


def flattened(s, x, units=4, **flags):
    rows = s.shape(x)[0]
    flat = s.step(View((rows, int(np.prod(s.shape(x)[1:])))), x)
    terms = s.shape(flat)[1]
    weight = s.constant(small_ints((units, terms) if flags.get("transpose_b") else (terms, units), 6, -1, 2))
    return flat, s.step(MatMul(**flags), flat, weight)


@pytest.mark.parametrize("transpose_b", [False, True])
def test_case_5_a_permute_goes_into_the_rows_of_the_constant(transpose_b):
    s = Sketch()
    _, y = flattened(s, s.step(NEG, s.pointwise(s.input(*SHAPE))), transpose_b=transpose_b)
    assert permutes(placed(s, y)) == []


def test_case_5_several_products_of_one_view():
    s = Sketch()
    flat, first = flattened(s, s.pointwise(s.input(*SHAPE)))
    second = s.step(MatMul(), flat, s.constant(small_ints((1, 60, 2), 8, -1, 2)))
    assert permutes(placed(s, first, second)) == []


@pytest.mark.parametrize("why", ["output", "other reader", "variable weight", "left transposed", "right operand"])
def test_case_5_not_otherwise(why):
    s = Sketch()
    x = s.pointwise(s.input(*SHAPE))
    flat, y = flattened(s, x)
    outputs = [y, flat] if why == "output" else [y]
    if why == "other reader":
        outputs.append(s.step(NEG, flat))
    elif why == "variable weight":
        outputs = [s.step(MatMul(), flat, s.step(NEG, s.input(60, 4)))]
    elif why == "left transposed":
        outputs = [s.step(MatMul(transpose_a=True), flat, s.constant(small_ints((2, 4), 1)))]
    elif why == "right operand":
        outputs = [s.step(MatMul(transpose_b=True), s.constant(small_ints((4, 60), 1, -1, 2)), flat)]
    assert len(permutes(placed(s, *outputs))) == 1


# -- 6, 7, 8: boundary, and several orders


def test_case_6_an_input_read_in_two_orders_is_permuted_once():
    s = Sketch()
    x = s.input(*SHAPE)
    flat = s.step(Repeat((1, 2)), s.step(View((2, 60)), x))
    result = placed(s, s.pointwise(x), s.pointwise(x, 2), flat)
    assert len(permutes(result)) == 1


def test_case_7_an_output_crosses_as_made_or_in_the_order_of_the_model():
    s = Sketch()
    y = s.pointwise(s.input(*SHAPE))
    assert placed(s, y).outputs[0].axes == NCHW.axes
    flat = s.step(Repeat((1, 2)), s.step(View((2, 60)), y))
    result = placed(s, y, flat)
    assert len(permutes(result)) == 1
    assert result.outputs[0].axes == (0, 1, 2, 3)


def test_case_8_each_order_once_for_all_readers():
    s = Sketch()
    x = s.pointwise(s.input(*SHAPE))
    readers = [s.step(Repeat((2,)), s.step(View((120,)), x)) for _ in range(3)]
    other = s.step(Repeat((2,)), s.step(View((120,)), s.step(Permute((3, 0, 1, 2)), x)))
    result = placed(s, *readers, other)
    assert sorted(step.instruction.axes for step in permutes(result)) == [(0, 2, 3, 1), (1, 0, 2, 3)]


def test_an_input_straight_to_an_output_through_a_pair_of_permutes():
    s = Sketch()
    result = placed(s, s.step(NHWC, s.step(NCHW, s.input(*SHAPE))))
    assert result.steps == ()


@pytest.mark.parametrize("permute_first", [False, True])
def test_of_two_places_the_one_with_narrower_elements_wins(permute_first):
    s = Sketch()
    wide = ElementType.FLOAT32
    x, convert = opaque(s, *SHAPE), ConvertElements(wide)
    if permute_first:
        x = s.step(convert, s.step(NCHW, x), element=wide)
    else:
        x = s.step(NCHW, s.step(convert, x, element=wide), element=wide)
    y = s.step(Repeat((2,)), s.step(View((120,)), x, element=wide), element=wide)
    result = placed(s, y)
    (left,) = permutes(result)
    assert result.buffers[left.output].element is ElementType.FLOAT16


def test_scale_and_shift_over_a_middle_axis():
    s = Sketch()
    vectors = [s.constant(small_ints((1, 5, 1, 1), seed)) for seed in range(2)]
    assert permutes(placed(s, s.pointwise(s.step(ScaleShift(), s.pointwise(s.input(*SHAPE)), *vectors)))) == []


def test_a_module_with_nothing_to_gain_stays_the_very_same():
    s = Sketch()
    module = s.module(s.step(NEG, s.input(*SHAPE)), s.pointwise(s.step(Repeat((1, 1, 1, 1)), s.inputs[0].buffer)))
    result = PlacePermutes().rewrite(module)
    assert PlacePermutes().rewrite(result) is result
    s = Sketch()
    module = s.module(s.step(NEG, s.input(*SHAPE)))
    assert PlacePermutes().rewrite(module) is module
