"""AllGather: the inputs of all ranks, one after the other; of one rank, its input."""

from __future__ import annotations

from ._dtypes import ALL_DTYPES, check_dtype
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._one_rank import check_one_rank


def all_gather(x: Array, *, group: str | None = None, rank_size: int = 0) -> Array:
    """``x`` itself, any shape and dtype: it is all that one rank has to gather.

    Args:
        x: what this rank gives.
        group: name of the ranks that take part, no effect.
        rank_size: their number, 0 or 1.
    """
    return x


def infer_all_gather(x: ArraySpec, *, rank_size: int) -> ArraySpec:
    """The spec of ``x``, its value included; raises KernelInputError for several ranks."""
    check_dtype(x, ALL_DTYPES)
    check_one_rank(rank_size)
    return x


KERNEL = ReferenceKernel("AllGather", all_gather, infer_all_gather, ALL_DTYPES)
