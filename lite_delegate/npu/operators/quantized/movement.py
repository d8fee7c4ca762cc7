"""Operators that move integers without reading them: exact, with a table where quantization parameters differ."""

from __future__ import annotations

from dataclasses import replace

from ....delegate import Kernel, Rejected
from ....semantics.quantization import STORED, per_tensor
from ....tensors.tensor import Tensor, empty_like
from ...ir.builder import Builder
from ...profiles import Profile
from ...semantics.kernel_view import with_tensors
from ..record import Check, Form, Lower
from .gate import check_dtypes, check_output_stored, check_per_tensor, stored_tensors
from .tables import requantizing


def by_movement(check: Check, lower: Lower) -> Form:
    """The quantized form of an operator that changes no element.

    Several inputs get the output's parameters before they are moved; one input is moved first.
    """

    def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
        return (
            check_output_stored(kernel)
            or check_dtypes(kernel, profile)
            or check(kernel, replace(profile, dtypes=profile.quantized))
            or check_per_tensor(stored_tensors(kernel))
        )

    def lower_quantized(kernel: Kernel, builder: Builder) -> None:
        stored = [t for t in kernel.inputs if t.dtype in STORED]
        common = stored[0] if len(stored) == 1 else kernel.outputs[0]
        inputs = [None if t is None else _brought_to(common, t, builder) for t in kernel.operands]
        moved = [t if _agree(common, t) else empty_like(t) for t in kernel.outputs]
        lower(with_tensors(kernel, inputs, moved), builder)
        for before, after in zip(moved, kernel.outputs, strict=True):
            if before is not after:
                table = requantizing(per_tensor(common), per_tensor(after), after.dtype)
                builder.define(after, table, [builder.read(before)])

    return Form(check_quantized, lower_quantized)


def _agree(one: Tensor, other: Tensor) -> bool:
    return other.dtype not in STORED or per_tensor(one) == per_tensor(other)


def _brought_to(common: Tensor, tensor: Tensor, builder: Builder) -> Tensor:
    """A tensor that stands for the same numbers as ``tensor`` with the parameters of ``common``."""
    if _agree(common, tensor):
        return tensor
    table, result = requantizing(per_tensor(tensor), per_tensor(common), tensor.dtype), empty_like(tensor)
    if tensor.is_const:
        result.is_const, result.data = True, table.run([tensor.data])
    else:
        builder.define(result, table, [builder.read(tensor)])
    return result
