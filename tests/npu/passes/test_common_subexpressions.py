from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.cast import ConvertElements
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.movement import Permute
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.passes.common_subexpressions import CommonSubexpressions
from lite_delegate.npu.passes.dead_code import DeadCode
from tests.npu.passes.modules import Sketch, applied, opcodes

NEG, ADD = Lookup(Function.NEG), Binary(BinaryFunction.ADD)


def test_case_1_equal_steps_are_one_down_whole_chains():
    s = Sketch()
    x = s.input(2, 3)
    ends = [s.step(NEG, s.step(Permute((1, 0)), x)) for _ in range(3)]
    result = applied(CommonSubexpressions(), s.module(s.step(ADD, *ends[:2]), ends[2]))
    assert opcodes(result) == {"Permute": 1, "Lookup": 1, "Binary": 1}
    assert result.steps[2].operands == (result.steps[1].output,) * 2


def test_case_1_not_for_other_parameters_operands_or_types():
    s = Sketch()
    x, y = s.input(3, 3), s.input(3, 3)
    made = [
        s.step(Permute((1, 0)), x),
        s.step(Permute((1, 0)), y),
        s.step(Permute((0, 1)), x),
        s.step(Lookup(Function.LEAKY_RELU, (0.0,)), x),
        s.step(Lookup(Function.LEAKY_RELU, (-0.0,)), x),
        s.step(Lookup(Function.LEAKY_RELU, (0.5,)), x),
        s.step(ConvertElements(ElementType.FLOAT32), x, element=ElementType.FLOAT32),
        s.step(ADD, x, y),
        s.step(ADD, x, y, element=ElementType.FLOAT32),
        s.step(ADD, y, x),
    ]
    module = s.module(*made)
    assert applied(CommonSubexpressions(), module) is module


def test_case_2_one_function_makes_one_constant():
    s = Sketch()
    a, b, c = (s.constant([1.0, 2.0, 3.0]) for _ in range(3))
    x = s.input(3)
    module = s.module(s.step(ADD, s.step(ADD, s.step(ADD, x, a), b), c))
    make = module.constants[a]
    module = type(module)(
        module.buffers, module.steps, {a: make, b: make, c: module.constants[c]}, module.inputs, module.outputs
    )
    assert len(applied(CommonSubexpressions(), module).constants) == 2


def test_dead_code_goes():
    s = Sketch()
    x, unused = s.input(3), s.input(4)
    s.step(NEG, s.step(NEG, unused))
    s.constant([1.0])
    result = applied(DeadCode(), s.module(s.step(NEG, x)))
    assert (opcodes(result), len(result.inputs), len(result.constants)) == ({"Lookup": 1}, 1, 0)
