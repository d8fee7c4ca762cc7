"""Shared by pools: the claim on real numbers."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...semantics.geometry import Pool, pool_sliding
from ..profiles import Profile
from ..semantics.windows import window_of
from ._windows import check_sliding, check_windows
from .gate import check_operands, check_output_shape, check_rank, check_tensors


def check_pool(kernel: Kernel, profile: Profile, primitive: Pool) -> Rejected | None:
    """Rank 4, sound attributes, at least one element of the input in each window.

    Fused activations other than RELU and RELU6 count as none, on the CPU as here.
    """
    return (
        check_operands(kernel, 1, 1)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 0, {4})
        or check_sliding(pool_sliding(primitive, kernel.inputs[0].shape))
        or check_windows(pool_sliding(primitive, kernel.inputs[0].shape), kernel.inputs[0].shape)
        or _check_output(kernel, primitive)
        or _check_empty_windows(kernel, primitive)
    )


def _check_output(kernel: Kernel, primitive: Pool) -> Rejected | None:
    batch, height, width, channels = kernel.inputs[0].shape
    window = window_of(pool_sliding(primitive, (batch, height, width, channels)), (batch, height, width, channels))
    return check_output_shape(kernel, (batch, *window.output, channels))


def _check_empty_windows(kernel: Kernel, primitive: Pool) -> Rejected | None:
    shape = kernel.inputs[0].shape
    window = window_of(pool_sliding(primitive, shape), shape)
    if not window.misses(shape[1], shape[2]):
        return None
    return Rejected.by_rule(RejectCode.ATTRIBUTE, "each window must cover some of the input", "one covers padding only")
