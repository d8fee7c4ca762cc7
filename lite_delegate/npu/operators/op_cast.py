"""Cast: a change of element type; nothing at all between floating types, which are one on the device."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.types.data_type import DataType
from ...semantics.operands import required
from ..device.instructions.cast import ConvertElements
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import FLOATING, MOVABLE, check_constants, check_operands, check_output_shape, check_range, check_tensors
from .record import NpuOperator


def check_cast(kernel: Kernel, profile: Profile) -> Rejected | None:
    """NOTE: MindSpore Lite's NPU casts every float to integers. A device that keeps float32 numbers as float16 has
    2048 for 2049, and zero for small ones: as an index or a condition that is another value, not a rounding.
    """
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE, mixed=True)
        or check_constants(kernel, {1: "type"})
        or _check_exact(required(kernel, 0).dtype, kernel.outputs[0].dtype, profile.storage)
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or check_range(kernel, profile)
    )


def _check_exact(source: DataType, target: DataType, storage: DataType) -> Rejected | None:
    if source != DataType.FLOAT32 or target in FLOATING or storage == DataType.FLOAT32:
        return None
    reason = f"input 0 may not be FLOAT32, which is kept as {storage.name}, to become {target.name}"
    return Rejected(RejectCode.DTYPE, reason, f"no FLOAT32 kept as {storage.name} may become {target.name}", source)


def lower_cast(kernel: Kernel, builder: Builder) -> None:
    """Emits the conversion; none where both types are one on the device."""
    x, out = required(kernel, 0), kernel.outputs[0]
    source, element = builder.read(x), builder.element(out.dtype)
    if builder.element(x.dtype) is element:
        return builder.alias(out, source)
    return builder.define(out, ConvertElements(element), [source])


OPERATOR = NpuOperator(
    "Cast",
    check_cast,
    lower_cast,
    takes="any, from and to",
    condition=(
        "between all element types, except from float32 to an integer or bool where the device "
        "keeps float32 numbers as float16"
    ),
)
