"""Shared by quantized operators whose tensors are all of 8-bit integers with one scale each."""

from __future__ import annotations

from ....delegate import Kernel, RejectCode, Rejected
from ....ir.types.enums import ActivationType
from ....semantics.quantization import STORED
from ...profiles import Profile
from ...semantics.kernel_view import labeled_as_reals
from ..record import Check
from .dense import on_shapes
from .gate import check_bounded, check_dtypes, check_output_stored, check_per_tensor, stored_tensors


def check_stored(
    kernel: Kernel,
    profile: Profile,
    on_reals: Check,
    activation: ActivationType = ActivationType.NO_ACTIVATION,
) -> Rejected | None:
    """Rejects a kernel unless all tensors are 8-bit integers of one type with one scale each, and its operator fits.

    Args:
        kernel: the kernel to check.
        profile: the device.
        on_reals: the operator's check for real numbers, which holds for shapes and attributes.
        activation: the fused activation.
    """
    return (
        check_output_stored(kernel)
        or _check_inputs_stored(kernel)
        or check_dtypes(kernel, profile)
        or on_reals(labeled_as_reals(kernel), on_shapes(profile))
        or check_bounded(activation)
        or check_per_tensor(stored_tensors(kernel))
    )


def _check_inputs_stored(kernel: Kernel) -> Rejected | None:
    for position, tensor in enumerate(kernel.operands):
        if tensor is not None and tensor.dtype not in STORED:
            reason = f"input {position} must be INT8 or UINT8, is {tensor.dtype.name}"
            return Rejected(RejectCode.DTYPE, reason, "inputs must be INT8 or UINT8", tensor.dtype)
    return None
