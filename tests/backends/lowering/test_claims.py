"""The claim is the lowering: what is claimed of the suite can be written, and what is not has a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec

import onnx
import pytest

from lite_delegate import DataType, Kernel, Rejected, Tensor
from lite_delegate.backends.lowering import Emitter, claim
from lite_delegate.backends.lowering.left_out import LEFT_OUT
from lite_delegate.backends.lowering.run import TAKE_UNKNOWN
from lite_delegate.backends.lowering.table import lowering_of
from lite_delegate.backends.onnx_file.emitter import FileEmitter
from lite_delegate.backends.onnxruntime.emitting.emitter import OnnxEmitter
from lite_delegate.backends.openvino.emitting.emitter import OpenVINOEmitter
from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.delegate import RejectCode
from tests.backends.lowering.cases import cases_by_operator, kernel_of, written


def write_session(kernel: Kernel) -> None:
    emitter = OnnxEmitter("case")
    emitter.finish([term for _, term in written(kernel, emitter)])


def write_file(kernel: Kernel) -> None:
    """The file is valid, and ONNX infers the element types and shapes that it declares."""
    emitter = FileEmitter("case", [tensor.name for tensor in (*kernel.inputs, *kernel.outputs)], "", None)
    file = emitter.finish([(tensor.name, term) for tensor, term in written(kernel, emitter)])
    onnx.checker.check_model(b"".join(file.pieces), full_check=True)


def write_openvino(kernel: Kernel) -> None:
    emitter = OpenVINOEmitter()
    terms = written(kernel, emitter)
    emitter.finish("case", [term for _, term in terms])
    for tensor, term in terms:
        assert tuple(term.handle.get_shape()) == tuple(tensor.shape)


BACKENDS: dict[str, tuple[Emitter, Callable[[Kernel], None]]] = {
    "session": (OnnxEmitter("claims"), write_session),
    "file": (FileEmitter("claims", (), "", None), write_file),
    "openvino": (OpenVINOEmitter(), write_openvino),
}
THERE = [name for name in BACKENDS if name != "openvino" or find_spec("openvino")]


@pytest.mark.parametrize("op_type", sorted(cases_by_operator()))
def test_what_is_claimed_can_be_written_and_the_rest_has_a_reason(op_type: str) -> None:
    kernels = [(case.name, kernel_of(case)) for case in cases_by_operator()[op_type]]
    wrong = [trouble for name, kernel in kernels if kernel is not None for trouble in troubles(name, kernel)]
    assert wrong == []


def troubles(name: str, kernel: Kernel) -> Sequence[str]:
    """What is wrong with the backends' claims of a kernel."""
    found = []
    for backend in THERE:
        checks, write = BACKENDS[backend]
        answer = claim(kernel, checks)
        if isinstance(answer, Rejected):
            found += [] if answer.reason else [f"{name}: {backend} rejects without a reason"]
            continue
        try:
            write(kernel)
        except Exception as e:
            found.append(f"{name}: {backend}: {type(e).__name__}: {e}")
    return found


class Opened(Kernel):
    """A kernel whose first dimension is not known."""

    def execute(self) -> None:
        raise AssertionError("only lowered")


def opened(kernel: Kernel) -> Kernel:
    x, y = (
        Tensor.describe(t.name, t.dtype, (-1, *t.shape[1:]), t.format) for t in (kernel.inputs[0], kernel.outputs[0])
    )
    operands = [x if tensor is kernel.inputs[0] else tensor for tensor in kernel.operands]
    return Opened(kernel.name, kernel.type, operands, [y], kernel.primitive)


def takes_open_dimensions(case: ConformanceCase) -> bool:
    x = case.inputs[0]
    return case.quantization is None and 0 not in case.constants and x is not None and x.size > 1


@pytest.mark.parametrize("op_type", sorted(TAKE_UNKNOWN))
def test_a_file_takes_single_elements_whatever_the_dimensions(op_type: str) -> None:
    """As it takes them with known dimensions; the file is valid then, too."""
    checks, write = BACKENDS["file"]
    cases = filter(takes_open_dimensions, cases_by_operator()[op_type])
    kernels = [kernel for case in cases if (kernel := kernel_of(case)) is not None and kernel.outputs[0].shape]
    taken = [kernel for kernel in kernels if not isinstance(claim(kernel, checks), Rejected)]
    assert taken
    for kernel in taken:
        assert not isinstance(claim(opened(kernel), checks), Rejected)
        write(opened(kernel))


@pytest.mark.parametrize("op_type", ["Elu", "LeakyRelu", "FakeQuantWithMinMaxVars", "ai.onnx.Atan"])
def test_functions_with_parameters_take_any_dimensions(op_type: str) -> None:
    assert op_type in TAKE_UNKNOWN


@pytest.mark.parametrize("op_type", sorted(LEFT_OUT))
def test_what_is_left_out_for_good_says_why(op_type: str) -> None:
    assert lowering_of(op_type) is None
    kernels = [kernel for case in cases_by_operator()[op_type] if (kernel := kernel_of(case)) is not None]
    answers = [claim(kernel, BACKENDS["session"][0]) for kernel in kernels]
    assert all(isinstance(answer, Rejected) for answer in answers)
    general = ("shapes must be known", "tensors must hold", "tensors joined from others")
    reasons = {answer.reason for answer in answers if isinstance(answer, Rejected)}
    assert {each for each in reasons if not each.startswith(general)} <= {f"{op_type} {LEFT_OUT[op_type]}"}


def test_a_file_takes_no_types_that_onnx_has_not() -> None:
    """ONNX's CumSum has no int8 in release 21, its ReduceMax no int16; Runtime's own kernels are another matter."""
    (case,) = (case for case in cases_by_operator()["CumSum"] if case.name == "dtype_int8_wraps")
    kernel = kernel_of(case)
    assert kernel is not None
    answer = claim(kernel, BACKENDS["file"][0])
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.dtype) == (RejectCode.DTYPE, DataType.INT8)
    assert "ONNX's CumSum must take the element type" in answer.reason
