"""Activation: one lookup."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import Activation
from ...ir.types.data_type import DataType
from ...ir.types.enums import ActivationType
from ...semantics.operands import primitive_of, required
from ..ir.builder import Builder
from ..profiles import Profile
from ..semantics.activations import IDENTITIES, LOOKUPS, OF_INTEGERS
from ._unary import check_unary, lower_lookup
from .gate import INTEGERS, check_range
from .quantized.elementwise import by_table
from .record import NpuOperator


def check_activation(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_unary(kernel, profile, INTEGERS)
        or _check_type(kernel, primitive_of(kernel, Activation).activation_type)
        or check_range(kernel, profile)
    )


def _check_type(kernel: Kernel, activation: ActivationType) -> Rejected | None:
    dtype = kernel.inputs[0].dtype
    known = IDENTITIES.union(OF_INTEGERS if dtype in INTEGERS else LOOKUPS)
    if activation in known:
        return None
    names = ", ".join(a.name for a in sorted(known))
    rule = f"activation_type of {dtype.name} must be one of {names}"
    return Rejected.by_rule(RejectCode.ATTRIBUTE, rule, f"is {activation.name}")


def lower_activation(kernel: Kernel, builder: Builder) -> None:
    """Emits the lookup for the type, with its parameters; of integers an exact function, of the identity nothing."""
    primitive, x, out = primitive_of(kernel, Activation), required(kernel, 0), kernel.outputs[0]
    if primitive.activation_type in IDENTITIES:
        return builder.alias(out, builder.read(x))
    if x.dtype == DataType.INT32:
        return builder.define(out, OF_INTEGERS[primitive.activation_type], [builder.read(x)])
    return lower_lookup(kernel, builder, LOOKUPS[primitive.activation_type](primitive))


OPERATOR = NpuOperator(
    "Activation",
    check_activation,
    lower_activation,
    takes="real, int32",
    condition="for every activation_type but UNKNOWN; of int32 for the identities, RELU, RELU6, RELU1, ABS and SIGN",
    quantized=by_table(check_activation, lower_activation),
)
