"""The tables of checks and lowerings, for kernels on real numbers and on quantized integers, and the claim."""

from __future__ import annotations

from ..delegate import Kernel, RejectCode, Rejected, SupportResult
from .ops import ALL_LOWERINGS
from .ops.quantized import ALL_QUANTIZED_LOWERINGS
from .profiles import Profile
from .semantics.operands import op_type_of
from .semantics.quantization import is_dynamic, is_quantized, quantized_key, table_key
from .support import ALL_CHECKS
from .support.quantized import ALL_QUANTIZED_CHECKS

CHECKS = {entry.op_type: entry.check for entry in ALL_CHECKS} | {
    quantized_key(entry.op_type): entry.check for entry in ALL_QUANTIZED_CHECKS
}
"""By ``table_key``."""
LOWERINGS = {entry.op_type: entry for entry in ALL_LOWERINGS} | {
    quantized_key(entry.op_type): entry for entry in ALL_QUANTIZED_LOWERINGS
}
"""By ``table_key``."""
OPERATORS = frozenset(entry.op_type for entry in (*ALL_CHECKS, *ALL_QUANTIZED_CHECKS))
"""Every operator that may be claimed in some form."""


def claim(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for a kernel, or the first reason against it. Changes nothing; a claimed kernel compiles."""
    op_type = op_type_of(kernel)
    if op_type not in OPERATORS or kernel.primitive is None:
        return Rejected(RejectCode.OPERATOR, f"the NPU has no {op_type}")
    if profile.operators is not None and op_type not in profile.operators:
        return Rejected(RejectCode.OPERATOR, f"NPU profile '{profile.name}' has no {op_type}")
    if is_dynamic(kernel):
        return Rejected(
            RejectCode.DTYPE, "quant_type must be QUANT_ALL on integers, whose scales are known now; is QUANT_DYNAMIC"
        )
    check = CHECKS.get(table_key(kernel))
    if check is None:
        form = "quantized" if is_quantized(kernel) else "unquantized"
        return Rejected(RejectCode.DTYPE, f"the NPU has no {form} {op_type}")
    return check(kernel, profile)
