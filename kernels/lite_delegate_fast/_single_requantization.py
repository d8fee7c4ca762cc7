"""Requantization in two passes of float32: a factor and an offset that are proven to give the same integers.

The integers of a rule grow with the whole sum, and so do ``x * factor + offset`` and its roundings in float32. Both are
the same function if they are at the sums where an integer begins, and one below: at most 510 sums for each channel,
which are tried with the two ends. Of the factors beside the nearest of float32, the first that has a fitting offset is
taken. Channels without one, a few of a hundred, are done in float64.
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
NEIGHBORS = (0, 1, -1, 2, -2, 3, -3)
"""Which of the numbers of float32 beside a factor are tried."""
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
    could_fit = rule.offset is not None and rule.clamp.is_short and largest.max(initial=0) < EXACT_IN_SINGLE
    if not could_fit or rule.factor.min(initial=1) < SMALLEST_FACTOR:
        return DoubleRequantization(rule)
    factor, offset, fits = fitted(rule, largest)
    apart = np.flatnonzero(~fits)
    if len(apart) > MOST_APART * len(fits):
        return DoubleRequantization(rule)
    return SingleRequantization(rule, factor, offset, apart)


def channels_of(rule: FactorRule, channels: Array) -> FactorRule:
    """The rule of some channels."""
    bias, offset, half = (None if each is None else each[channels] for each in (rule.bias, rule.offset, rule.half))
    return replace(rule, factor=rule.factor[channels], bias=bias, offset=offset, half=half)


def fitted(rule: FactorRule, largest: Array) -> tuple[Array, Array, Array]:
    """Factors and offsets ``(C,)`` of float32, and for which channels their integers are proven to be the rule's.

    Args:
        rule: one with an offset.
        largest: ``(C,)``, what no sum without its bias exceeds.
    """
    sums, results, has_sum, fits = borders(rule, largest)
    nearest = rule.factor.astype(np.float32)
    factor, offset = nearest.copy(), np.zeros_like(nearest)
    found = np.zeros(len(nearest), bool)
    for beside in NEIGHBORS:
        left = np.flatnonzero(~found)
        if not len(left):
            break
        tried = (nearest[left].view(np.int32) + np.int32(beside)).view(np.float32)
        products, wanted, has = sums[:, left] * tried, results[:, left], has_sum[:, left]
        added, is_right = _offsets(products, wanted, has, rule.clamp.most)
        factor[left[is_right]], offset[left[is_right]] = tried[is_right], added[is_right]
        found[left[is_right]] = True
    return factor, offset, found & fits


def borders(rule: FactorRule, largest: Array) -> tuple[Array, Array, Array, Array]:
    """The sums at which each integer begins, and those one below; the largest and the smallest.

    Returns:
        The sums ``(2 * most + 2, C)``, float32; their integers; which of the sums there can be; and for which channels
        ``(C,)`` the sums were found.
    """
    begins = np.arange(1.0, rule.clamp.most + 1)[:, None]
    bias, offset = 0.0 if rule.bias is None else rule.bias, np.asarray(rule.offset)

    def real(x: Array) -> Array:
        return np.asarray((x + bias) * rule.factor + offset)

    first = np.ceil((begins - offset) / rule.factor) - bias
    first += real(first) < begins
    first -= real(first - 1) >= begins
    fits = np.asarray(((real(first) >= begins) & (real(first - 1) < begins)).all(axis=0))
    sums = np.concatenate([first, first - 1, [largest, -largest]])
    wanted = np.empty_like(sums)
    wanted[: rule.clamp.most], wanted[rule.clamp.most : -2] = begins, begins - 1
    wanted[-2:] = np.clip(np.floor(real(sums[-2:])), 0, rule.clamp.most)
    return sums.astype(np.float32), wanted, np.asarray(np.abs(sums) <= largest), fits


def _offsets(products: Array, wanted: Array, has: Array, most: int) -> tuple[Array, Array]:
    """For each channel the middle of all offsets that give the wanted integers, and whether it does in float32."""
    distance = wanted - products.astype(np.float64)
    least = np.max(distance, axis=0, where=has & (wanted > 0), initial=-np.inf)
    beyond = np.min(distance, axis=0, where=has & (wanted < most), initial=np.inf) + 1
    least = np.where(np.isfinite(least), least, np.where(np.isfinite(beyond), beyond - 1, 0))
    offsets = ((least + np.where(np.isfinite(beyond), beyond, least + 1)) / 2).astype(np.float32)
    got = np.floor(np.clip(products + offsets, 0, most))
    return offsets, ((got == wanted) | ~has).all(axis=0)
