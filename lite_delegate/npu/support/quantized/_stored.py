"""What claiming quantized operators on 8-bit tensors with one scale each has in common."""

from __future__ import annotations

from ....delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ....ir.enums import ActivationType
from ...profiles import Profile
from ...semantics.kernel_view import labeled_as_reals
from ...semantics.quantization import STORED
from .._check import SupportCheck
from ._dense import on_shapes
from ._gate import check_bounded, check_dtypes, check_output_stored, check_per_tensor, stored_tensors


def check_stored(kernel: Kernel, profile: Profile, on_reals: SupportCheck, activation: ActivationType) -> SupportResult:
    """All tensors are 8-bit ones of one type with one scale each; shapes and attributes are those of the operator.

    Args:
        kernel: of the operator.
        profile: the device.
        on_reals: the operator's check for real numbers, which holds for shapes and attributes.
        activation: fused.
    """
    rejected = check_output_stored(kernel) or _check_inputs_stored(kernel) or check_dtypes(kernel, profile)
    if rejected is not None:
        return rejected
    result = on_reals.check(labeled_as_reals(kernel), on_shapes(profile))
    if isinstance(result, Rejected):
        return result
    return check_bounded(activation) or check_per_tensor(stored_tensors(kernel)) or Supported()


def _check_inputs_stored(kernel: Kernel) -> Rejected | None:
    for position, tensor in enumerate(kernel.operands):
        if tensor is not None and tensor.dtype not in STORED:
            return Rejected(RejectCode.DTYPE, f"input {position} must be INT8 or UINT8, is {tensor.dtype.name}")
    return None
