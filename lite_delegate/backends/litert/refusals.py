"""Kernels whose results LiteRT gives otherwise than they are defined, and the steps that its integers may be off."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...delegate import Kernel, RejectCode, Rejected
from ...ir import DataType
from ...ir.primitives import ReduceFusion
from ...ir.types.enums import ReduceMode
from ..lowering.run import operator_of
from ..lowering.steps import STEPS
from .package import REFERENCE

_MOVING = ("BatchToSpace", "BatchToSpaceND", "DepthToSpace", "SpaceToBatch", "SpaceToBatchND", "SpaceToDepth")
LITERT_STEPS: Mapping[str, int] = MappingProxyType({**STEPS, **dict.fromkeys(_MOVING, 1)})
"""The steps of all runtimes, and those of operators that move integers to another scale, which LiteRT does with its
operator QUANTIZE.
"""
RANDOM = frozenset({"RandomStandardNormal", "UniformReal", "RandomNormal", "Multinomial"})
FLOATS = (DataType.FLOAT32, DataType.FLOAT16)
OTHERWISE = {
    **dict.fromkeys(RANDOM, "LiteRT draws other random numbers in each run of an interpreter"),
    "Log1p": "LiteRT computes log(1 + x) in two steps, which is wrong near zero",
    "Reciprocal": "LiteRT's reciprocals are wrong at zero and of the largest numbers",
    "DetectionPostProcess": "LiteRT leaves undefined what is behind the boxes found, where the operator has zeros",
}
"""Operators that LiteRT computes otherwise, whatever kernels it has."""


def refusal(kernel: Kernel, device: str) -> Rejected | None:
    """The reason not to let LiteRT run a kernel that can be written; None without one.

    Args:
        kernel: the kernel.
        device: one of ``KERNELS``, or the path of an external delegate's library.
    """
    operator = operator_of(kernel)
    if operator in OTHERWISE:
        return Rejected(RejectCode.OPERATOR, OTHERWISE[operator])
    if operator == "TensorScatterAdd" and kernel.inputs[0].dtype in FLOATS and not kernel.inputs[1].is_const:
        reason = "LiteRT adds up the numbers for one place before it adds them to the operand's, which rounds otherwise"
        return Rejected(RejectCode.NOT_CONSTANT, reason, f"'{kernel.inputs[1].name}' is computed")
    if device == REFERENCE and _sums_wide(kernel):
        return Rejected(RejectCode.DTYPE, "LiteRT's reference kernel of SUM does not compute sums of int16")
    if device == REFERENCE and operator == "DepthToSpace" and kernel.inputs[0].dtype == DataType.INT8:
        found = f"'{kernel.inputs[0].name}' is INT8"
        return Rejected(RejectCode.DTYPE, "LiteRT has no reference kernel of DEPTH_TO_SPACE for int8", found)
    return None


def _sums_wide(kernel: Kernel) -> bool:
    is_sum = isinstance(kernel.primitive, ReduceFusion) and kernel.primitive.mode == ReduceMode.ReduceSum
    return is_sum and kernel.inputs[0].dtype == DataType.INT16
