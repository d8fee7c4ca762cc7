from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.movement import Permute
from lite_delegate.npu.passes.boundary import PackAtBoundary
from tests.npu.passes.modules import NCHW, NHWC, Sketch, applied, opcodes

NEG, ABS = Lookup(Function.NEG), Lookup(Function.ABS)
SHAPE = (1, 2, 3, 4)


def test_case_1_an_input_crosses_as_it_is_read():
    s = Sketch()
    x = s.input(*SHAPE)
    result = applied(PackAtBoundary(), s.module(s.step(NEG, s.step(NCHW, x)), s.step(ABS, s.step(NCHW, x))))
    assert opcodes(result) == {"Lookup": 2}
    assert result.inputs[0].axes == NCHW.axes
    assert result.buffers[result.inputs[0].buffer].shape == (1, 4, 2, 3)


def test_case_1_not_when_somebody_reads_it_otherwise():
    for other in (NEG, Permute((0, 1, 3, 2))):
        s = Sketch()
        x = s.input(*SHAPE)
        module = s.module(s.step(NEG, s.step(NCHW, x)), s.step(NEG, s.step(other, x)))
        assert applied(PackAtBoundary(), module) is module


def test_case_1_not_when_it_is_an_output():
    s = Sketch()
    x = s.input(*SHAPE)
    module = s.module(x, s.step(NEG, s.step(NCHW, x)))
    assert applied(PackAtBoundary(), module) is module


def test_case_2_an_output_crosses_as_it_is_made():
    s = Sketch()
    y = s.step(NHWC, s.step(NEG, s.input(1, 4, 2, 3)))
    result = applied(PackAtBoundary(), s.module(y, s.step(ABS, y), y))
    assert opcodes(result) == {"Lookup": 2, "Permute": 1}
    assert [port.axes for port in result.outputs] == [(0, 3, 1, 2), (0, 1, 2, 3), (0, 3, 1, 2)]
    result = applied(PackAtBoundary(), s.module(y))
    assert opcodes(result) == {"Lookup": 1}


def test_an_input_and_an_output_with_a_permute_between_them_share_a_buffer():
    s = Sketch()
    result = applied(PackAtBoundary(), s.module(s.step(Permute((1, 2, 0)), s.input(2, 3, 4))))
    assert result.steps == ()
    assert result.outputs[0].axes == (2, 0, 1)


def test_permutes_in_a_row_go_one_after_another():
    s = Sketch()
    x = s.step(NEG, s.step(Permute((0, 1, 3, 2)), s.step(NCHW, s.input(*SHAPE))))
    result = applied(PackAtBoundary(), s.module(s.step(Permute((3, 0, 1, 2)), s.step(NHWC, x))))
    assert opcodes(result) == {"Lookup": 1}
    assert [port.axes for port in (*result.inputs, *result.outputs)] == [(0, 3, 2, 1), (1, 0, 2, 3)]
