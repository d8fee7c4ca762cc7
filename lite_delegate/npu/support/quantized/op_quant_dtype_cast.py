"""QuantDTypeCast: claimed between floats and 8-bit integers, both ways, and between signed and unsigned ones."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ....ir.data_type import DataType
from ....ir.primitives import QuantDTypeCast
from ...ops.quantized.op_quant_dtype_cast import parameter_tensor
from ...profiles import Profile
from ...semantics.operands import normalized, primitive_of, required
from ...semantics.quantization import LIMITS, STORED, params_of
from .._check import SupportCheck
from ..gate import check_axis, check_magnitude, check_operands, check_output_shape, check_tensors
from ._gate import check_scales

FLOATING = frozenset({DataType.FLOAT32, DataType.FLOAT16})


def check_quant_dtype_cast(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 1, 1)
        or check_tensors(kernel, profile, more_dtypes=profile.quantized, mixed=True)
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or _check_parameters(kernel)
        or _check_real_range(kernel, profile)
        or Supported()
    )


def _check_parameters(kernel: Kernel) -> Rejected | None:
    x, out = required(kernel, 0), kernel.outputs[0]
    if {x.dtype, out.dtype} <= STORED or x.dtype == out.dtype:
        return None
    if {x.dtype, out.dtype} <= FLOATING:
        return Rejected(RejectCode.DTYPE, f"one type must be of integers, are {x.dtype.name} and {out.dtype.name}")
    tensor, axis = parameter_tensor(kernel), primitive_of(kernel, QuantDTypeCast).axis
    if len(params_of(tensor)) == 1:
        return check_scales("the tensor with parameters", tensor, most=1)
    rejected = check_axis("axis", axis, len(x.shape)) if x.shape else None
    most = x.shape[normalized(axis, len(x.shape))] if x.shape and rejected is None else 1
    return rejected or check_scales("the tensor with parameters", tensor, most)


def _check_real_range(kernel: Kernel, profile: Profile) -> Rejected | None:
    """What the integers stand for is in the range in which the device keeps real numbers."""
    x, out = required(kernel, 0), kernel.outputs[0]
    if x.dtype not in STORED or out.dtype in STORED:
        return None
    ends = [(end - p.zero_point) * p.scale for p in params_of(parameter_tensor(kernel)) for end in LIMITS[x.dtype]]
    return check_magnitude("what the integers stand for", np.array(ends), profile)


CHECK = SupportCheck("QuantDTypeCast", check_quant_dtype_cast)
