"""TileFusion: claimed for constant multiples."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..ops.op_tile_fusion import repeat_of
from ..profiles import Profile
from ..semantics.operands import required
from ._check import SupportCheck
from .gate import MOVABLE, check_constants, check_fits, check_operands, check_range, check_tensors


def check_tile_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "multiples"})
        or check_fits(kernel, lambda: [_tiled_shape(kernel)])
        or check_range(kernel, profile)
        or Supported()
    )


def _tiled_shape(kernel: Kernel) -> tuple[int, ...]:
    return tuple(dim * count for dim, count in zip(required(kernel, 0).shape, repeat_of(kernel).counts, strict=True))


CHECK = SupportCheck("TileFusion", check_tile_fusion)
