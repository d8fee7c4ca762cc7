import numpy as np
import pytest

from lite_delegate.errors import DelegateBuildError, DelegateExecuteError, DelegateUnavailable
from lite_delegate.npu.device import Buffer, Device, ElementType, Instruction, Program, ProgramStep
from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.comparison import Compare, ComparisonFunction
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.movement import View

HALF = ElementType.FLOAT16
VECTOR = Buffer((3,), HALF)
ADD = Binary(BinaryFunction.ADD)
LESS = Compare(ComparisonFunction.LESS)
# 0 input, 1 constant, 2 = 0 + 1, 3 = -2, 4 = 3 + 2
SUMS = Program(
    (VECTOR,) * 5,
    (1,),
    (0,),
    (4,),
    (ProgramStep(ADD, (0, 1), 2), ProgramStep(Lookup(Function.NEG), (2,), 3), ProgramStep(ADD, (3, 2), 4)),
)


@pytest.fixture
def device():
    opened = Device()
    opened.open()
    return opened


def halves(*values):
    return np.array(values, np.float16)


def test_a_program_runs_on_its_inputs_and_constants(device):
    program = Program((VECTOR,) * 3, (1,), (0,), (2, 0), (ProgramStep(ADD, (0, 1), 2),))
    loaded = device.load(program, {1: halves(1, 2, 3)})
    total, given = device.run(loaded, [halves(10, 20, 30)])
    assert total.tolist() == [11, 22, 33]
    assert total.dtype == np.float16
    assert given.tolist() == [10, 20, 30]


def test_each_instruction_rounds_its_result_to_float16(device):
    program = Program((VECTOR,) * 4, (1,), (0,), (3,), (ProgramStep(ADD, (0, 1), 2), ProgramStep(ADD, (2, 1), 3)))
    loaded = device.load(program, {1: halves(1, 1, 1)})
    (got,) = device.run(loaded, [halves(2048, 65504, -1)])
    assert got.tolist() == [2048, 65504, 1]  # 2049 is no float16 number: ties go to even, twice


def test_values_beyond_float16_become_infinite_without_a_warning(device):
    program = Program((VECTOR,) * 3, (1,), (0,), (2,), (ProgramStep(ADD, (0, 1), 2),))
    loaded = device.load(program, {1: halves(60000, -60000, np.inf)})
    (got,) = device.run(loaded, [halves(60000, -60000, -np.inf)])
    np.testing.assert_array_equal(got, [np.inf, -np.inf, np.nan])


def test_memory_is_given_back_after_the_last_use():
    assert SUMS.last_uses() == ((0,), (), (2, 3))
    unread = Program((VECTOR,) * 3, (), (0,), (1,), (ProgramStep(ADD, (0, 0), 1), ProgramStep(ADD, (1, 1), 2)))
    assert unread.last_uses() == ((0,), (2,))


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "Expected 1 input buffers, got 0"),
        ([halves(1, 2)], r"Input buffer 0: expected float16 \(3,\) \(6 bytes\), got float16 \(2,\)"),
        ([np.zeros(3, np.float32)], r"Input buffer 0: expected float16 \(3,\) \(6 bytes\), got float32 \(3,\)"),
    ],
)
def test_inputs_of_another_size_are_rejected(device, inputs, message):
    loaded = device.load(SUMS, {1: halves(1, 2, 3)})
    with pytest.raises(DelegateExecuteError, match=message):
        device.run(loaded, inputs)


def test_a_result_of_another_size_is_rejected(device):
    program = Program((VECTOR, Buffer((2,), HALF)), (), (0,), (1,), (ProgramStep(View((3, 1)), (0,), 1),))
    with pytest.raises(DelegateBuildError, match=r"\(View\): expected a buffer of \(3, 1\) .*, found \(2,\)"):
        device.load(program, {})


def test_a_result_of_another_type_is_rejected(device):
    program = Program((VECTOR, Buffer((3,), ElementType.INT32)), (), (0,), (1,), (ProgramStep(LESS, (0, 0), 1),))
    with pytest.raises(DelegateExecuteError, match=r"Compare into buffer 1: expected int32 \(3,\) .* got bool \(3,\)"):
        device.run(device.load(program, {}), [halves(1, 2, 3)])


@pytest.mark.parametrize("constants", [{}, {1: halves(1, 2)}, {1: np.zeros(3, np.float32)}])
def test_constants_must_be_there_and_fit(device, constants):
    with pytest.raises(DelegateBuildError, match="Constant buffer 1"):
        device.load(SUMS, constants)


@pytest.mark.parametrize(
    "program",
    [
        Program((VECTOR,) * 3, (), (0,), (2,), (ProgramStep(ADD, (0, 1), 2),)),  # 1 is never filled
        Program((VECTOR,) * 2, (), (0,), (0,), (ProgramStep(ADD, (0, 0), 0),)),  # an input is filled again
        Program((VECTOR,) * 2, (), (0,), (1,), ()),  # the output is never filled
        Program((VECTOR,) * 2, (0,), (0,), (0,), ()),  # constant and input at once
        Program((VECTOR,), (), (0,), (1,), (ProgramStep(ADD, (0, 0), 1),)),  # no such buffer
    ],
)
def test_programs_that_cannot_run_are_not_loaded(device, program):
    with pytest.raises(DelegateBuildError):
        device.load(program, {0: halves(1, 2, 3)})


def test_a_device_that_is_not_there_cannot_be_opened():
    with pytest.raises(DelegateUnavailable, match="not there"):
        Device(present=False).open()


def test_a_closed_device_neither_loads_nor_runs(device):
    loaded = device.load(SUMS, {1: halves(1, 2, 3)})
    device.close()
    assert not device.is_open
    with pytest.raises(DelegateExecuteError, match="must be open to run a program"):
        device.run(loaded, [halves(1, 2, 3)])
    with pytest.raises(DelegateExecuteError, match="must be open to load a program"):
        device.load(SUMS, {1: halves(1, 2, 3)})
    device.open()
    assert device.run(loaded, [halves(1, 2, 3)])[0].tolist() == [0, 0, 0]


def test_buffer_size():
    assert Buffer((2, 3), HALF).nbytes == 12
    assert Buffer((), ElementType.INT32).nbytes == 4
    assert Buffer((5,), ElementType.BOOL).nbytes == 5


class Same(Instruction):
    """Gives its operand itself."""

    reads_format = False

    def run(self, operands):
        return operands[0]


def test_rounding_a_result_leaves_the_operand_that_it_is_alone(device):
    wide = Buffer((2,), ElementType.FLOAT32)
    program = Program((wide, Buffer((2,), HALF)), (), (0,), (0, 1), (ProgramStep(Same(), (0,), 1),))
    x = np.array([1.0003, 2.0], np.float32)
    given, rounded = device.run(device.load(program, {}), [x])
    np.testing.assert_array_equal(given, np.array([1.0003, 2.0], np.float32))
    np.testing.assert_array_equal(rounded, np.array([1.0, 2.0], np.float16))
    assert x[0] == np.float32(1.0003)
