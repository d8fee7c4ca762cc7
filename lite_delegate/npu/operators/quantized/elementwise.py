"""Quantized functions of single elements: one table of 256 entries each.

An entry is the nearest integer to the function's value, so a result is off by half a step of the output's scale, and
by the error of float32.
"""

from __future__ import annotations

from ....delegate import Kernel, RejectCode, Rejected
from ....semantics.operands import required
from ...ir.builder import Builder
from ...profiles import Profile
from ..record import Check, Form, Lower
from .stored import check_stored
from .tables import function_table


def by_table(check: Check, lower: Lower) -> Form:
    """The quantized form of an operator whose result depends on one element of its input and on attributes alone."""

    def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
        if len(kernel.operands) != 1:
            return Rejected.by_rule(
                RejectCode.ATTRIBUTE, "must have 1 input to become a table", f"has {len(kernel.operands)}"
            )
        return check_stored(kernel, profile, check)

    def lower_quantized(kernel: Kernel, builder: Builder) -> None:
        builder.define(kernel.outputs[0], function_table(kernel, lower), [builder.read(required(kernel, 0))])

    return Form(check_quantized, lower_quantized)
