"""NpuOperator: the claim and the lowering of one operator on the NPU."""

from __future__ import annotations

from collections.abc import Callable

from ...basics.data_class import dataclass
from ...delegate import Kernel, Rejected
from ..ir.builder import Builder
from ..profiles import Profile

Check = Callable[[Kernel, Profile], Rejected | None]
"""Returns the first reason against a kernel, or None: a claimed kernel compiles and runs."""
Lower = Callable[[Kernel, Builder], None]
"""Emits the instructions for a kernel that the check has claimed."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form of an operator, on real numbers or on quantized integers."""

    check: Check
    lower: Lower


@dataclass(frozen=True, slots=True)
class NpuOperator:
    """An operator of the NPU.

    Attributes:
        op_type: its name in the schema.
        check: the claim.
        lower: the instructions.
        takes: its element types, as documents have them: "real" is float32 and float16; "any" also int32, bool, int8
            and uint8, moved without a change.
        condition: the condition of its claim, as documents have it, beside the conditions of all operators.
        limits: the profile's limits that the check reads, by key.
        quantized: the form for kernels on quantized integers; None where they stay on the CPU.
    """

    op_type: str
    check: Check
    lower: Lower
    takes: str
    condition: str
    limits: tuple[str, ...] = ()
    quantized: Form | None = None
