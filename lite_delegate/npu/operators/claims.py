"""The claim and the lowering of a kernel, by its operator and form."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...errors import DelegateBuildError
from ...ir.custom import custom_type
from ...semantics.operands import op_type_of
from ...semantics.quantization import STORED, is_dynamic, is_quantized
from ..ir.builder import Builder
from ..profiles import Profile
from .all_operators import ALL_OPERATORS
from .bounds import check_bounds

OPERATORS = {operator.op_type: operator for operator in ALL_OPERATORS}


def claim(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for a kernel, or the first reason against it. Changes nothing; a claimed kernel compiles."""
    op_type = _name_of(kernel)
    return _rejection(kernel, op_type, profile) or check_bounds(kernel, op_type, profile) or Supported()


def _rejection(kernel: Kernel, op_type: str, profile: Profile) -> Rejected | None:
    operator = OPERATORS.get(op_type)
    if operator is None or kernel.primitive is None:
        return Rejected(RejectCode.OPERATOR, f"the NPU has no {op_type}")
    if profile.operators is not None and op_type not in profile.operators:
        return Rejected(RejectCode.OPERATOR, f"NPU profile '{profile.name}' has no {op_type}")
    if is_dynamic(kernel):
        rule = "quant_type must be QUANT_ALL on integers, whose scales are known now"
        return Rejected(RejectCode.DTYPE, f"{rule}; is QUANT_DYNAMIC", rule)
    if not is_quantized(kernel):
        return operator.check(kernel, profile)
    first = kernel.inputs[0]
    if first.dtype not in STORED:
        return Rejected.by_rule(RejectCode.DTYPE, "quantized tensors must be INT8 or UINT8", "are INT16", first.dtype)
    if operator.quantized is None:
        reason = f"the NPU has no quantized {op_type}"
        return Rejected(RejectCode.DTYPE, reason, reason)
    return operator.quantized.check(kernel, profile)


def _name_of(kernel: Kernel) -> str:
    """The operator's name in the schema; of a Custom node its type."""
    return (kernel.primitive and custom_type(kernel.primitive)) or op_type_of(kernel)


def lower_kernel(kernel: Kernel, builder: Builder) -> None:
    """Emits the instructions for a claimed kernel.

    Raises:
        DelegateBuildError: the operator has no lowering.
    """
    op_type = _name_of(kernel)
    operator = OPERATORS.get(op_type)
    form = operator.quantized if operator is not None and is_quantized(kernel) else operator
    if form is None:
        raise DelegateBuildError(f"No lowering for {op_type}. Lowerings: {', '.join(sorted(OPERATORS))}.")
    builder.begin(kernel)
    form.lower(kernel, builder)
