"""Quantized operators that the device runs on real numbers: claimed where the operator is on these."""

from __future__ import annotations

from dataclasses import replace

from ....delegate import Kernel, Rejected, Supported, SupportResult
from ....ir.data_type import DataType
from ...profiles import Profile
from ...semantics.kernel_view import as_reals, is_stored
from ...semantics.quantization import params_of
from .._check import SupportCheck
from ._gate import check_dtypes, check_per_tensor, check_scales, stored_tensors


def through_reals(on_reals: SupportCheck) -> SupportCheck:
    """The check of the quantized form of an operator that runs on what its integers stand for, in float32."""

    def check(kernel: Kernel, profile: Profile) -> SupportResult:
        return check_dtypes(kernel, profile) or _check_parameters(kernel) or _check_reals(kernel, profile, on_reals)

    return SupportCheck(on_reals.op_type, check)


def _check_parameters(kernel: Kernel) -> Rejected | None:
    """Variables of 8-bit integers have one scale; constants one, or one for each index along a dimension."""
    constants = [(f"input {i}", t) for i, t in enumerate(kernel.operands) if t is not None and t.is_const]
    per_channel = [t for _, t in constants if is_stored(t)]
    variables = [(name, t) for name, t in stored_tensors(kernel) if t not in per_channel]
    rejected = check_per_tensor(variables)
    for name, tensor in constants:
        if rejected is None and tensor in per_channel:
            most = len(params_of(tensor))
            rejected = check_scales(name, tensor, most if most in tensor.shape else 1)
    return rejected


def _check_reals(kernel: Kernel, profile: Profile, on_reals: SupportCheck) -> SupportResult:
    floats = profile.dtypes | {DataType.FLOAT32}
    result = on_reals.check(as_reals(kernel), replace(profile, dtypes=floats, storage=DataType.FLOAT32))
    return result if isinstance(result, Rejected) else Supported()
