"""TileFusion: the input repeated along its axes."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import TileFusion
from ...semantics.fitting import DoesNotFit, placed_axes
from ...semantics.operands import int_values, primitive_of, required
from ..device.instructions.repetition import Repeat
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import MOVABLE, check_constants, check_fits, check_operands, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator


def check_tile_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "multiples"})
        or check_fits(kernel, lambda: [_tiled_shape(kernel)])
        or check_range(kernel, profile)
    )


def _tiled_shape(kernel: Kernel) -> tuple[int, ...]:
    return tuple(dim * count for dim, count in zip(required(kernel, 0).shape, repeat_of(kernel).counts, strict=True))


def repeat_of(kernel: Kernel) -> Repeat:
    """The instruction: ``dims`` says which axis each multiple is of; without it, the first axes in order.

    Raises:
        DoesNotFit: a negative multiple, or not one axis for each.
    """
    rank, multiples = len(required(kernel, 0).shape), int_values(required(kernel, 1))
    dims = primitive_of(kernel, TileFusion).dims or range(len(multiples))
    if len(dims) != len(multiples) or min(multiples, default=0) < 0:
        raise DoesNotFit(f"multiples must be >= 0, one for each of dims {list(dims)}, are {list(multiples)}")
    counts = dict(zip(placed_axes(dims, rank, "dims"), multiples, strict=True))
    return Repeat(tuple(counts.get(axis, 1) for axis in range(rank)))


def lower_tile_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the repetition; nothing where every count is 1."""
    x, repeat = required(kernel, 0), repeat_of(kernel)
    if set(repeat.counts) <= {1}:
        return builder.alias(kernel.outputs[0], builder.read(x))
    return builder.define(kernel.outputs[0], repeat, [builder.read(x)])


OPERATOR = NpuOperator(
    "TileFusion",
    check_tile_fusion,
    lower_tile_fusion,
    takes="any",
    condition="for constant multiples from 1 on, one per axis that is named",
    quantized=by_movement(check_tile_fusion, lower_tile_fusion),
)
