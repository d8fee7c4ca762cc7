"""Shared by operators of one input whose output has its shape: the claim, and one lookup per element."""

from __future__ import annotations

from collections.abc import Collection

from ...delegate import Kernel, Rejected
from ...ir.types.data_type import DataType
from ...semantics.operands import required
from ..device.instructions.integer import IntegerFunction, IntegerUnary
from ..device.instructions.lookup import Function, Lookup
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import INTEGERS, check_operands, check_output_shape, check_range, check_tensors
from .quantized.elementwise import by_table
from .record import NpuOperator


def check_unary(kernel: Kernel, profile: Profile, more_dtypes: Collection[DataType] = ()) -> Rejected | None:
    """One input, and an output of its shape and kind."""
    return (
        check_operands(kernel, 1, 1)
        or check_tensors(kernel, profile, more_dtypes=more_dtypes)
        or check_output_shape(kernel, kernel.inputs[0].shape)
    )


def lower_lookup(kernel: Kernel, builder: Builder, lookup: Lookup) -> None:
    """One table lookup."""
    builder.define(kernel.outputs[0], lookup, [builder.read(required(kernel, 0))])


def function(
    op_type: str, of_reals: Function, of_integers: IntegerFunction | None = None, *, note: str = ""
) -> NpuOperator:
    """An operator without attributes that is a function of its input, a lookup.

    Args:
        op_type: the operator.
        of_reals: the function of real numbers.
        of_integers: the function of int32, exact; None where the operator takes no integers.
        note: the sentence on results in its condition.
    """
    more_dtypes = frozenset() if of_integers is None else INTEGERS

    def check(kernel: Kernel, profile: Profile) -> Rejected | None:
        return check_unary(kernel, profile, more_dtypes) or check_range(kernel, profile)

    def lower(kernel: Kernel, builder: Builder) -> None:
        x, out = required(kernel, 0), kernel.outputs[0]
        if of_integers is not None and x.dtype == DataType.INT32:
            builder.define(out, IntegerUnary(of_integers), [builder.read(x)])
        else:
            lower_lookup(kernel, builder, Lookup(of_reals))

    notes = ["for one input of any shape", *(["exact on int32"] if of_integers else []), *([note] if note else [])]
    takes = "real, int32" if of_integers else "real"
    return NpuOperator(op_type, check, lower, takes, "; ".join(notes), quantized=by_table(check, lower))
