"""Requantization in two passes of float32: a factor and an offset that are proven to give the same integers.

The integers of a rule grow with the whole sum, and so do ``x * factor + offset`` and its roundings in float32. Both are
the same function if they are at the sums where an integer begins, and one below: at most 510 sums for each channel,
all tried; a sum that there cannot be is replaced by the largest or the smallest. Of the factors beside the nearest of
float32, the first that has a fitting offset is taken. Channels without one, a few of a hundred, are done in float64.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._quantized_dense import EXACT_IN_SINGLE

from ._requantization import DoubleRequantization, FactorRule
from ._row_blocks import Finish, Row

SMALLEST_FACTOR = 2.0**-10
"""Of a layer: below, float32 seldom tells neighboring sums apart at all of its borders."""
NEIGHBORS = (0, 1, -1)
"""Which of the numbers of float32 beside a factor are tried."""
CHANNELS = 64
"""That are fitted at a time, so that what is tried stays in the cache."""
MOST_APART = 1 / 8
"""The share of channels that may be done in float64."""


class SingleRequantization:
    """A rule as passes of float32 over a block: a ``Finish``.

    Args:
        rule: what it computes.
        factor, offset: ``(C,)``, float32.
        apart: the channels that float64 computes, in ascending order.
    """

    def __init__(self, rule: FactorRule, factor: Array, offset: Array, apart: Array) -> None:
        self._rule, self._factor, self._offset, self._apart = rule, Row(factor), Row(offset), apart
        self._exactly = DoubleRequantization(channels_of(rule, apart)) if len(apart) else None

    def __call__(self, sums: Array, results: Array) -> None:
        """As ``Finish``."""
        exact = None
        if self._exactly is not None:
            exact = np.empty((len(sums), len(self._apart)), results.dtype)
            self._exactly(np.take(sums, self._apart, axis=1), exact)
        self._factor.apply(np.multiply, sums)
        self._offset.apply(np.add, sums)
        self._rule.clamp(sums, results)
        if exact is not None:
            results[:, self._apart] = exact


def requantization_of(rule: FactorRule, largest_sums: Array) -> Finish:
    """The quickest finish that computes a rule.

    Args:
        rule: what it computes.
        largest_sums: ``(C,)``, what no sum without its bias exceeds.
    """
    largest = np.broadcast_to(np.asarray(largest_sums, np.float64), rule.factor.shape)
    could_fit = (
        rule.offset is not None
        and rule.clamp.most > 0
        and rule.clamp.is_short
        and largest.max(initial=0) < EXACT_IN_SINGLE
    )
    if not could_fit or rule.factor.min(initial=1) < SMALLEST_FACTOR:
        return DoubleRequantization(rule)
    factor, offset, fits = fitted(rule, largest)
    apart = np.flatnonzero(~fits)
    if len(apart) > MOST_APART * len(fits):
        return DoubleRequantization(rule)
    return SingleRequantization(rule, factor, offset, apart)


def channels_of(rule: FactorRule, channels: Array | slice) -> FactorRule:
    """The rule of some channels."""
    bias, offset, half = (None if each is None else each[channels] for each in (rule.bias, rule.offset, rule.half))
    return replace(rule, factor=rule.factor[channels], bias=bias, offset=offset, half=half)


def fitted(rule: FactorRule, largest: Array) -> tuple[Array, Array, Array]:
    """Factors and offsets ``(C,)`` of float32, and for which channels their integers are proven to be the rule's.

    Args:
        rule: one with an offset.
        largest: ``(C,)``, what no sum without its bias exceeds.
    """
    parts = [slice(first, first + CHANNELS) for first in range(0, len(largest), CHANNELS)]
    found = [_fitted(channels_of(rule, part), largest[part]) for part in parts]
    factor, offset, fits = (np.concatenate(each) for each in zip(*found, strict=True))
    return factor, offset, fits


def _fitted(rule: FactorRule, largest: Array) -> tuple[Array, Array, Array]:
    begins = np.arange(1.0, rule.clamp.most + 1)[:, None]
    first, is_found = borders(rule, begins)
    at, below = np.clip(first, -largest, EXACT_IN_SINGLE), np.clip(first - 1, -EXACT_IN_SINGLE, largest)
    sums = np.concatenate([at, below]).astype(np.float32)
    nearest = rule.factor.astype(np.float32)
    factor, offset, fits = nearest.copy(), np.zeros_like(nearest), np.zeros(len(nearest), bool)
    for beside in NEIGHBORS:
        left = np.flatnonzero(~fits)
        if not len(left):
            break
        tried = (nearest[left].view(np.int32) + np.int32(beside)).view(np.float32)
        factor[left] = tried
        offset[left], fits[left] = _offsets((sums if len(left) == len(fits) else sums[:, left]) * tried, begins)
    return factor, offset, fits & is_found


def borders(rule: FactorRule, begins: Array) -> tuple[Array, Array]:
    """The sums ``(most, C)`` at which each integer begins, and for which channels ``(C,)`` all were found.

    Args:
        rule: one with an offset.
        begins: the integers ``(most, 1)``.
    """
    bias, offset = 0.0 if rule.bias is None else rule.bias, np.asarray(rule.offset)

    def reaches(x: Array) -> Array:
        return np.asarray((x + bias) * rule.factor + offset >= begins)

    first = np.ceil((begins - offset) / rule.factor) - bias
    late, early = reaches(first - 1), ~reaches(first)
    if late.any() or early.any():
        first += early
        first -= late
        late, early = reaches(first - 1), ~reaches(first)
    return first, np.asarray(~(late | early).any(axis=0))


def _offsets(products: Array, begins: Array) -> tuple[Array, Array]:
    """For each channel the middle of the offsets with which integers begin where they have to, and whether it does in
    float32.

    Args:
        products: ``(2 * most, C)``, of the sums where integers begin, and of those before.
        begins: the integers ``(most, 1)``.
    """
    at, below = products[: len(begins)], products[len(begins) :]
    least, beyond = np.max(begins - at, axis=0), np.min(begins - below, axis=0)
    offsets = ((least + beyond) / 2).astype(np.float32)
    is_right = ((at + offsets >= begins) & (below + offsets < begins)).all(axis=0)
    return offsets, np.asarray(is_right)
