"""ArgMaxFusion: claimed with one output or two, indices in int32."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.data_type import DataType
from ...ir.primitives import ArgMaxFusion
from ..profiles import Profile
from ..semantics.operands import normalized, primitive_of, required
from ._check import SupportCheck
from ._elementwise import INTEGERS
from .gate import FLOATING, check_axis, check_operands, check_range, check_tensors


def check_arg_max_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel.

    Real numbers are compared as the device holds them, rounded: of two that float16 cannot tell apart the first wins.
    """
    primitive = primitive_of(kernel, ArgMaxFusion)
    return (
        check_operands(kernel, 1, 1, outputs=2 if len(kernel.outputs) == 2 else 1)
        or check_tensors(kernel, profile, more_dtypes=INTEGERS, mixed=True)
        or check_axis("axis", primitive.axis, len(kernel.inputs[0].shape))
        or _check_count(kernel, primitive)
        or _check_outputs(kernel, primitive)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_count(kernel: Kernel, primitive: ArgMaxFusion) -> Rejected | None:
    size = required(kernel, 0).shape[primitive.axis]
    if 1 <= primitive.top_k <= size:
        return None
    return Rejected(RejectCode.ATTRIBUTE, f"top_k must be 1 to {size}, is {primitive.top_k}")


def _check_outputs(kernel: Kernel, primitive: ArgMaxFusion) -> Rejected | None:
    x = required(kernel, 0)
    axis = normalized(primitive.axis, len(x.shape))
    kept = [] if primitive.top_k == 1 and not primitive.keep_dims else [primitive.top_k]
    shape = [*x.shape[:axis], *kept, *x.shape[axis + 1 :]]
    of_x = FLOATING if x.dtype in FLOATING else INTEGERS
    wanted: tuple[frozenset[DataType], ...] = (of_x,) if primitive.out_max_value else (INTEGERS,)
    if len(kernel.outputs) == 2:
        wanted = (INTEGERS, of_x)
    for position, (out, dtypes) in enumerate(zip(kernel.outputs, wanted, strict=True)):
        if out.shape != shape:
            return Rejected(RejectCode.SHAPE, f"output {position} must have shape {shape}, has {out.shape}")
        if out.dtype not in dtypes:
            names = " or ".join(DataType(d).name for d in sorted(dtypes))
            return Rejected(RejectCode.DTYPE, f"output {position} must be {names}, is {out.dtype.name}")
    return None


CHECK = SupportCheck("ArgMaxFusion", check_arg_max_fusion)
