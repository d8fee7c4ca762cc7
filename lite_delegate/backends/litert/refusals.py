"""Kernels whose results LiteRT gives otherwise than they are defined."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir import DataType
from ..lowering.run import operator_of
from ..tflite_file.writing import claim, operators_of
from .package import REFERENCE

RANDOM = frozenset({"RandomStandardNormal", "UniformReal", "RandomNormal", "Multinomial"})
FLOATS = (DataType.FLOAT32, DataType.FLOAT16)
OTHERWISE = {
    **dict.fromkeys(RANDOM, "LiteRT draws other random numbers in each run of an interpreter"),
    "Log1p": "LiteRT computes log(1 + x) in two steps, which is wrong near zero",
    "Reciprocal": "LiteRT's reciprocals are wrong at zero and of the largest numbers",
    "DetectionPostProcess": "LiteRT leaves undefined what is behind the boxes found, where the operator has zeros",
}
"""Operators that LiteRT computes otherwise, whatever kernels it has."""


MISSING = {"ABS": 5, "CEIL": 1, "DEPTH_TO_SPACE": 2, "ELU": 1, "ROUND": 1, "STRIDED_SLICE": 7, "TILE": 3}
"""Builtin operators without a reference kernel, and the lowest of the versions without one."""


def answer_of(kernel: Kernel, device: str) -> SupportResult:
    """The answer to whether LiteRT is to run a kernel: it can be written, and the results are as they are defined.

    Args:
        kernel: the kernel.
        device: one of ``KERNELS``, or the path of an external delegate's library.
    """
    answer = _refusal(kernel) or claim(kernel)
    if device == REFERENCE and isinstance(answer, Supported):
        return _reference_refusal(kernel) or answer
    return answer


def _refusal(kernel: Kernel) -> Rejected | None:
    """The reason not to let LiteRT run a kernel that can be written; None without one."""
    operator = operator_of(kernel)
    if operator in OTHERWISE:
        return Rejected(RejectCode.OPERATOR, OTHERWISE[operator])
    if operator == "TensorScatterAdd" and kernel.inputs[0].dtype in FLOATS and not kernel.inputs[1].is_const:
        reason = "LiteRT adds up the numbers for one place before it adds them to the operand's, which rounds otherwise"
        return Rejected(RejectCode.NOT_CONSTANT, reason, f"'{kernel.inputs[1].name}' is computed")
    return None


def _reference_refusal(kernel: Kernel) -> Rejected | None:
    """The reason not to let LiteRT's reference kernels run a kernel that can be written; None without one."""
    for written in operators_of(kernel):
        use, version = written.use, written.version
        if version >= MISSING.get(use.kind, version + 1):
            reason = f"LiteRT has no reference kernel of {use.kind}"
            return Rejected(RejectCode.OPERATOR, reason, f"is version {version}, of {use.x()}")
        if use.kind == "LOCAL_RESPONSE_NORMALIZATION":
            reason = f"LiteRT's reference kernel of {use.kind} leaves out the last of the channels around"
            return Rejected(RejectCode.OPERATOR, reason)
        if use.kind == "SUM" and use.is_quantized():
            reason = "LiteRT's reference kernel of SUM gives undefined numbers for integers with scales"
            return Rejected(RejectCode.DTYPE, reason, f"is {use.x()}")
    return None
