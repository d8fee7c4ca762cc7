"""The table of lowerings: what is called for each operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

from ...delegate import Kernel
from .families import (
    activations,
    attention,
    blocks,
    borders,
    channels,
    crops,
    division,
    elementwise,
    fake_quantization,
    filling,
    frames,
    indexing,
    integer_products,
    layer_norm,
    movement,
    normalizing,
    onnx_operators,
    ordering,
    products,
    quantization,
    recurrent,
    reductions,
    resizing,
    scattering,
    segments,
    volumes,
    windows,
)
from .lowering import Lowering
from .term import Lowered

Lower: TypeAlias = Callable[[Kernel, Lowering], Lowered | Sequence[Lowered]]


FAMILIES = (
    activations,
    attention,
    blocks,
    borders,
    channels,
    crops,
    division,
    elementwise,
    fake_quantization,
    filling,
    frames,
    indexing,
    integer_products,
    layer_norm,
    movement,
    normalizing,
    onnx_operators,
    ordering,
    products,
    quantization,
    recurrent,
    reductions,
    resizing,
    scattering,
    segments,
    volumes,
    windows,
)


@cache
def lowerings() -> dict[str, Lower]:
    """What lowers each operator, by its name in the schema."""
    return {op_type: lower for family in FAMILIES for op_type, lower in family.LOWERINGS.items()}
