"""AddN: a chain of additions."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...semantics.operands import required
from ..device.instructions.binary import Binary, BinaryFunction
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import INTEGERS, check_operands, check_range, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator


def check_add_n(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, max(2, len(kernel.operands)))
        or check_tensors(kernel, profile, more_dtypes=INTEGERS)
        or _check_shapes(kernel)
        or check_range(kernel, profile)
    )


def _check_shapes(kernel: Kernel) -> Rejected | None:
    shapes = [t.shape for t in (*kernel.inputs, kernel.outputs[0])]
    if all(shape == shapes[0] for shape in shapes):
        return None
    return Rejected.by_rule(RejectCode.SHAPE, "inputs and output must have one shape", f"have {shapes}")


def lower_add_n(kernel: Kernel, builder: Builder) -> None:
    """Emits one addition less than there are inputs, from the first input on; each sum is rounded as it is stored."""
    out, total = kernel.outputs[0], builder.read(required(kernel, 0))
    for position in range(1, len(kernel.inputs)):
        operands = [total, builder.read(required(kernel, position))]
        total = builder.emit(Binary(BinaryFunction.ADD), operands, tuple(out.shape), builder.element(out.dtype))
    builder.alias(out, total)


OPERATOR = NpuOperator(
    "AddN",
    check_add_n,
    lower_add_n,
    takes="real, int32",
    condition="for two inputs or more, of one shape",
    quantized=through_reals(check_add_n, lower_add_n),
)
