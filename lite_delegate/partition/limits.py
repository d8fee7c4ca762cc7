"""Limits: which subgraphs are too small, too large or too many, with the reason for each node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..basics.counted import counted
from ..delegate import RejectCode, Rejected
from .options import PartitionOptions

Worth: TypeAlias = Callable[[Sequence[int]], float]
"""The worth of a subgraph of these nodes, where only some subgraphs may stay."""


def over_limits(subgraphs: Sequence[Sequence[int]], options: PartitionOptions, worth: Worth) -> dict[int, Rejected]:
    """The nodes of subgraphs that are too small, and of surplus subgraphs, the least worth first.

    Args:
        subgraphs: the nodes of each subgraph.
        options: give ``min_kernels`` and ``max_subgraphs``.
        worth: is asked where subgraphs are surplus; of two with equal worth the earlier subgraph stays.
    """
    least, most = options.min_kernels or 0, options.max_subgraphs
    small = {v: _too_small(len(nodes), least) for nodes in subgraphs if len(nodes) < least for v in nodes}
    large = [nodes for nodes in subgraphs if len(nodes) >= least]
    if most is None or len(large) <= most:
        return small
    ranked = sorted(large, key=worth, reverse=True)
    return small | {v: _too_many(len(nodes), most, len(large)) for nodes in ranked[most:] for v in nodes}


def over_size(groups: Sequence[Sequence[int]], options: PartitionOptions) -> dict[int, Rejected]:
    """The nodes of groups that no subgraph may hold; single nodes count as groups of one."""
    most = options.max_kernels_per_subgraph
    if most is None:
        return {}
    return {v: _too_large(len(nodes), most) for nodes in groups if len(nodes) > most for v in nodes}


def _too_small(size: int, least: int) -> Rejected:
    reason = f"its subgraph would have {_kernels(size)}, fewer than min_kernels={least}, in the best order found"
    return Rejected(RejectCode.TOO_SMALL, reason)


def _too_many(size: int, most: int, found: int) -> Rejected:
    if most == 0:
        return Rejected(RejectCode.LIMIT, "max_subgraphs=0 allows no subgraph")
    reason = f"its subgraph of {_kernels(size)} is not one of the {most} of {found} that max_subgraphs={most} keeps"
    return Rejected(RejectCode.LIMIT, reason)


def _too_large(size: int, most: int) -> Rejected:
    option = f"max_kernels_per_subgraph={most}"
    if most == 0:
        return Rejected(RejectCode.LIMIT, f"{option} allows no subgraph")
    return Rejected(
        RejectCode.LIMIT, f"its group of {counted(size, 'kernel')}, which stays whole, is larger than {option}"
    )


def _kernels(count: int) -> str:
    return counted(count, "kernel")
