import pytest

from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.movement import Permute, View
from lite_delegate.npu.device.programs.program import Buffer, ElementType
from lite_delegate.npu.ir.editing import Edit, UniqueNames, moved_bytes, without_dead
from lite_delegate.npu.passes.module_pass import ModulePass
from tests.npu.passes.modules import Sketch, applied, opcodes

NEG, ABS = Lookup(Function.NEG), Lookup(Function.ABS)


def chain():
    """x -> NEG -> ABS -> y, with a step and a constant that nobody needs."""
    s = Sketch()
    x = s.input(2, 3)
    middle = s.step(NEG, x)
    s.step(ABS, middle)
    s.constant([1.0])
    return s, x, middle, s.step(ABS, middle)


def test_an_edit_without_a_change_gives_the_very_module():
    s, *_, y = chain()
    module = s.module(y)
    assert Edit(module).finish() is module


def test_finishing_drops_what_nobody_needs_and_counts_buffers_anew():
    s, x, _, y = chain()
    edit = Edit(s.module(y))
    edit.redirect(y, x)
    result = edit.finish()
    assert result.buffers == (Buffer((2, 3), ElementType.FLOAT16),)
    assert (result.steps, result.constants) == ((), {})
    assert result.outputs[0].buffer == result.inputs[0].buffer == 0


def test_readers_follow_each_change():
    s, x, middle, y = chain()
    edit = Edit(s.module(y))
    assert [step.output for step in edit.readers(middle)] == [2, y]
    assert edit.only_reader(x) is not None
    edit.change(edit.steps[y], ABS, [x])
    assert [step.output for step in edit.readers(middle)] == [2]
    assert [step.output for step in edit.readers(x)] == [middle, y]
    assert edit.only_reader(x) is None


def test_a_step_whose_result_the_host_reads_has_no_only_reader():
    s, _, middle, _ = chain()
    assert Edit(s.module(middle)).only_reader(middle) is None
    s = Sketch()
    middle = s.step(NEG, s.input(2))
    y = s.step(ABS, middle)
    assert Edit(s.module(y)).only_reader(middle) is not None
    assert Edit(s.module(y, middle)).only_reader(middle) is None


def test_fusing_keeps_the_name_of_the_main_step_and_the_layers_of_both():
    s, _, middle, _ = chain()
    s.steps = [s.steps[0], s.steps[2]]
    y = s.steps[1].output
    edit = Edit(s.module(y))
    first, last = edit.steps[middle], edit.steps[y]
    fused = edit.fuse(first, last, first, NEG, first.operands)
    assert (fused.name, fused.layers) == ("Lookup0", ("Lookup0", "Lookup2"))
    assert [step.name for step in edit.finish().steps] == ["Lookup0"]
    assert edit.readers(middle) == []


def test_dead_code_is_left_out_but_only_that():
    s, *_, y = chain()
    module = s.module(y)
    result = without_dead(module)
    assert opcodes(result) == {"Lookup": 2}
    assert (len(result.buffers), len(result.constants)) == (3, 0)
    assert without_dead(result) is result


def test_an_input_that_nobody_needs_does_not_cross():
    s = Sketch()
    s.input(2)
    y = s.step(NEG, s.input(3))
    assert [port.tensor.name for port in without_dead(s.module(y)).inputs] == ["x1"]


def test_moved_bytes_count_permutes_by_element_size_and_views_not_at_all():
    s = Sketch(ElementType.FLOAT32)
    x = s.step(Permute((1, 0)), s.input(2, 3))
    y = s.step(View((6,)), x)
    assert moved_bytes(s.module(y)) == 2 * 3 * 4


@pytest.mark.parametrize(("taken", "given"), [([], "a"), (["a"], "a.2"), (["a", "a.2"], "a.3"), (["b"], "a")])
def test_names_are_unique(taken, given):
    names = UniqueNames(taken)
    assert names.unique("a") == given
    assert names.unique("a") != given


class AbsOfAbs(ModulePass):
    """The example of the documentation."""

    name = "abs-of-abs"

    def rewrite(self, module):
        edit = Edit(module)
        for output in list(edit.steps):
            step = edit.steps[output]
            before = edit.steps.get(step.operands[0])
            if before is not None and step.instruction == before.instruction == Lookup(Function.ABS):
                edit.redirect(output, before.output)
        return edit.finish()


def test_a_pass_of_ones_own():
    s = Sketch()
    y = s.step(ABS, s.step(ABS, s.step(ABS, s.step(NEG, s.input(4)))))
    assert opcodes(applied(AbsOfAbs(), s.module(y))) == {"Lookup": 2}
