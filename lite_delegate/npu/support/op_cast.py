"""Cast: claimed between all element types of the device, except from float32 to integers where it has float16."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.data_type import DataType
from ..profiles import Profile
from ..semantics.operands import required
from ._check import SupportCheck
from .gate import FLOATING, MOVABLE, check_constants, check_operands, check_output_shape, check_range, check_tensors


def check_cast(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel.

    NOTE: MindSpore Lite's NPU casts every float to integers. A device that keeps float32 numbers as float16 has
    2048 for 2049, and zero for small ones: as an index or a condition that is another value, not a rounding.
    """
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE, mixed=True)
        or check_constants(kernel, {1: "type"})
        or _check_exact(required(kernel, 0).dtype, kernel.outputs[0].dtype, profile.storage)
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_exact(source: DataType, target: DataType, storage: DataType) -> Rejected | None:
    if source != DataType.FLOAT32 or target in FLOATING or storage == DataType.FLOAT32:
        return None
    return Rejected(
        RejectCode.DTYPE, f"input 0 may not be FLOAT32, which is kept as {storage.name}, to become {target.name}"
    )


CHECK = SupportCheck("Cast", check_cast)
