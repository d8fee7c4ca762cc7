"""Activation: one lookup."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.data_type import DataType
from ...ir.primitives import Activation
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.activations import IDENTITIES, LOOKUPS, OF_INTEGERS
from ..semantics.operands import primitive_of, required
from ._elementwise import lower_lookup


def lower_activation(kernel: Kernel, builder: Builder) -> None:
    """Emits the lookup for the type, with its parameters; of integers an exact function, of the identity nothing."""
    primitive, x, out = primitive_of(kernel, Activation), required(kernel, 0), kernel.outputs[0]
    if primitive.activation_type in IDENTITIES:
        return builder.alias(out, builder.read(x))
    if x.dtype == DataType.INT32:
        return builder.define(out, OF_INTEGERS[primitive.activation_type], [builder.read(x)])
    return lower_lookup(kernel, builder, LOOKUPS[primitive.activation_type](primitive))


LOWERING = Lowering("Activation", lower_activation)
