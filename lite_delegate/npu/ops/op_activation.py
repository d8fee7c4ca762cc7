"""Activation: one lookup."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import Activation
from ..activations import LOOKUPS
from ..compiler import Builder, Lowering
from ..operands import primitive_of
from ._elementwise import lower_lookup


def lower_activation(kernel: Kernel, builder: Builder) -> None:
    """Emits the lookup for the type, with alpha where it has one."""
    primitive = primitive_of(kernel, Activation)
    lower_lookup(kernel, builder, LOOKUPS[primitive.activation_type](primitive))


LOWERING = Lowering("Activation", lower_activation)
