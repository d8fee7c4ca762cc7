"""The table of lowerings: what is called for each operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

from ...delegate import Kernel
from .families import (
    activations,
    blocks,
    borders,
    channels,
    elementwise,
    filling,
    indexing,
    movement,
    normalizing,
    ordering,
    products,
    reductions,
    windows,
)
from .lowering import Lowering
from .term import Lowered

Lower: TypeAlias = Callable[[Kernel, Lowering], Lowered | Sequence[Lowered]]


@cache
def lowerings() -> dict[str, Lower]:
    """What lowers each operator, by its name in the schema."""
    families = (
        activations,
        blocks,
        borders,
        channels,
        elementwise,
        filling,
        indexing,
        movement,
        normalizing,
        ordering,
        products,
        reductions,
        windows,
    )
    return {op_type: lower for family in families for op_type, lower in family.LOWERINGS.items()}
