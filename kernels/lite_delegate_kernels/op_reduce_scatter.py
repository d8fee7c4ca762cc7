"""ReduceScatter: each rank's part of what all ranks' inputs reduce to; of one rank, its input."""

from __future__ import annotations

from ._dtypes import NUMBERS, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._one_rank import check_one_rank

_MODES = ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum")


def reduce_scatter(x: Array, *, group: str | None = None, mode: str = "ReduceMean", rank_size: int = 0) -> Array:
    """``x`` itself, any shape: the mean, maximum, minimum, product and sum of one number are that number.

    NOTE: the schema's other modes (sums of squares or magnitudes, norms, conjunctions) are rejected: communication
    libraries have no such reduction between devices.

    Args:
        x: what this rank gives, numbers.
        group: name of the ranks that take part, no effect.
        mode: how the ranks' numbers become one.
        rank_size: number of ranks, 0 or 1.
    """
    return x


def infer_reduce_scatter(x: ArraySpec, *, mode: str, rank_size: int) -> ArraySpec:
    """The spec of ``x``, its value included; raises KernelInputError for several ranks and for other modes."""
    check_dtype(x, NUMBERS)
    if mode not in _MODES:
        raise KernelInputError(f"mode must be one of {', '.join(_MODES)}, got {mode}")
    check_one_rank(rank_size)
    return x


KERNEL = ReferenceKernel("ReduceScatter", reduce_scatter, infer_reduce_scatter, NUMBERS)
