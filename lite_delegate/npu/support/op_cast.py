"""Cast: claimed between float, int32 and bool, except from float."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.data_type import DataType
from ..operands import required
from ..profiles import Profile
from ._check import SupportCheck
from .gate import FLOATING, check_constants, check_operands, check_output_shape, check_range, check_tensors

EXACT = frozenset({DataType.INT32, DataType.BOOL})


def check_cast(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel.

    NOTE: MindSpore Lite's NPU casts floats to integers too. The device holds floats as float16, where 2049 is
    2048 already and small numbers are zero: as an index or a condition that is another value, not a rounding.
    """
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=EXACT, mixed=True)
        or check_constants(kernel, {1: "type"})
        or _check_exact(required(kernel, 0).dtype, kernel.outputs[0].dtype)
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_exact(source: DataType, target: DataType) -> Rejected | None:
    if source not in FLOATING or target in FLOATING:
        return None
    return Rejected(RejectCode.DTYPE, f"input 0 must be INT32 or BOOL to become {target.name}, is {source.name}")


CHECK = SupportCheck("Cast", check_cast)
