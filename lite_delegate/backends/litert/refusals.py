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
from ..tflite_file.node import is_on_integers
from .package import REFERENCE, XNNPACK

_MOVING = ("BatchToSpace", "BatchToSpaceND", "DepthToSpace", "SpaceToBatch", "SpaceToBatchND", "SpaceToDepth")
LITERT_STEPS: Mapping[str, int] = MappingProxyType({**STEPS, **dict.fromkeys(_MOVING, 1)})
"""The steps of all runtimes, and those of operators that move integers to another scale, which LiteRT does with its
operator QUANTIZE.
"""
RANDOM = frozenset({"RandomStandardNormal", "UniformReal", "RandomNormal", "Multinomial"})
ROOTS = frozenset({"Sqrt", "Rsqrt"})
WITHOUT_REFERENCE = {"DepthToSpace": "DEPTH_TO_SPACE", "TileFusion": "TILE"}
"""Operators without a reference kernel for int8, and LiteRT's names of them."""


def refusal(kernel: Kernel, device: str) -> Rejected | None:
    """The reason not to let LiteRT run a kernel that can be written; None without one.

    Args:
        kernel: the kernel.
        device: one of ``KERNELS``, or the path of an external delegate's library.
    """
    operator = operator_of(kernel)
    if operator in RANDOM:
        return Rejected(RejectCode.OPERATOR, "LiteRT draws other random numbers in each run of an interpreter")
    if operator == "Log1p":
        return Rejected(RejectCode.OPERATOR, "LiteRT computes log(1 + x) in two steps, which is wrong near zero")
    if operator == "Reciprocal":
        return Rejected(RejectCode.OPERATOR, "LiteRT's reciprocals are wrong at zero and of the largest numbers")
    if device == XNNPACK and operator == "Log":
        return Rejected(RejectCode.OPERATOR, "XNNPACK takes subnormal numbers for zero, whose logarithm is infinite")
    if device == XNNPACK and operator in ROOTS:
        return Rejected(RejectCode.OPERATOR, "XNNPACK's square roots are approximate, and wrong at zero")
    return _reference_refusal(kernel, operator) if device == REFERENCE else None


def _reference_refusal(kernel: Kernel, operator: str) -> Rejected | None:
    first = kernel.inputs[0] if kernel.inputs else None
    if operator in WITHOUT_REFERENCE and first is not None and first.dtype == DataType.INT8:
        rule = f"LiteRT has no reference kernel of {WITHOUT_REFERENCE[operator]} for int8"
        return Rejected(RejectCode.DTYPE, rule, f"'{first.name}' is INT8")
    is_sum = isinstance(kernel.primitive, ReduceFusion) and kernel.primitive.mode == ReduceMode.ReduceSum
    if is_sum and is_on_integers(kernel):
        return Rejected(RejectCode.DTYPE, "LiteRT's reference kernel of SUM is wrong for integers with scales")
    return None
