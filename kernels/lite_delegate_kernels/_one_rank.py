"""Operators between devices, on a runtime that has one."""

from __future__ import annotations

from ._kernel import KernelInputError


def check_one_rank(rank_size: int) -> None:
    """Raises KernelInputError unless ``rank_size`` is 1, or 0, which is what a file that says nothing holds.

    NOTE: MindSpore Lite infers no shape for a ``rank_size`` of 0 (all_gather_infer.c, reduce_scatter_infer.c).
    """
    if rank_size not in (0, 1):
        raise KernelInputError(f"rank_size must be 1, or 0 for the same, as this runtime has one rank; got {rank_size}")
