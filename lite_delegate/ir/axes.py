"""Permutations of axes, as ``numpy.transpose`` takes them. A search asks for few of them, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

Axes = tuple[int, ...]


@lru_cache
def identity(rank: int) -> Axes:
    """The permutation that changes nothing."""
    return tuple(range(rank))


@lru_cache
def inverse(axes: Axes) -> Axes:
    """The inverse of a permutation."""
    return tuple(map(axes.index, range(len(axes))))


@lru_cache
def compose(first: Axes, then: Axes) -> Axes:
    """One permutation that equals permuting by ``first`` and then by ``then``."""
    return tuple(map(first.__getitem__, then))


def permute_shape(shape: Sequence[int], axes: Axes) -> Axes:
    """The dimensions after a permutation: result axis i is operand axis ``axes[i]``."""
    return tuple(map(shape.__getitem__, axes))


def moves_nothing(shape: Sequence[int], axes: Axes) -> bool:
    """True when permuting a tensor of ``shape`` by ``axes`` leaves every element where it is in memory."""
    kept = [axis for axis in axes if shape[axis] != 1]
    return kept == sorted(kept)


def renumber(axes: Sequence[int]) -> Axes:
    """A permutation from distinct numbers: the smallest becomes 0, the next 1, and so on. (5, 2) is (1, 0)."""
    ordered = sorted(axes)
    return tuple(ordered.index(axis) for axis in axes)
