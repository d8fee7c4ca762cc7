"""Requantization in two passes of float32: a factor and an offset that are proven to give the same integers.

The integers of a rule grow with the whole sum, and so do those of the same formula in float32, with all its roundings.
Both are the same function if they are at the sums where an integer begins, and one below: at most 510 sums for each
channel, all tried; a sum that there cannot be is replaced by the largest or the smallest. Of the factors beside the
nearest of float32, the first that fits is taken. Channels without one are done in float64, if they are few.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._quantized_dense import EXACT_IN_SINGLE

from ._requantization import DoubleRequantization, FactorRule
from ._row_blocks import Finish, Row

SMALLEST_FACTOR = 2.0**-10
"""Below, float32 seldom tells neighboring sums apart at all borders; factors of 0 have none."""
NEIGHBORS = (0, 1, -1)
"""Which of the numbers of float32 beside a factor are tried."""
CHANNELS = 64
"""That are fitted at a time, so that what is tried stays in the cache."""
SIGN = np.int32(-(1 << 31))
"""The bit of a number of float32 that is its sign."""
MOST_APART = 1 / 16
"""The share of channels that may be done in float64: taking one apart costs as much as five passes over it."""


@dataclass(frozen=True, slots=True, eq=False)
class SingleFactors:
    """Numbers of float32 for the rule of each channel: ``r = x * factor + offset``, and then ``floor(r)``, or
    ``trunc(r + copysign(half, r))`` where the rule has halves.

    Attributes:
        factor, offset: ``(C,)``.
        half: ``(C,)``; 0 where the rule has none.
        fits: ``(C,)``, whether the integers are proven to be the rule's.
    """

    factor: Array
    offset: Array
    half: Array
    fits: Array


class SingleRequantization:
    """A rule as passes of float32 over a block: a ``Finish``.

    Args:
        rule: what it computes.
        factors: for its channels; those that do not fit are computed in float64.
    """

    def __init__(self, rule: FactorRule, factors: SingleFactors) -> None:
        self._rule, self._factor, self._offset = rule, Row(factors.factor), Row(factors.offset)
        self._half = None if rule.half is None else Row(factors.half.view(np.int32))
        self.apart = np.flatnonzero(~factors.fits)
        self._exactly = DoubleRequantization(channels_of(rule, self.apart)) if len(self.apart) else None

    def __call__(self, sums: Array, results: Array) -> None:
        """As ``Finish``."""
        exact = None
        if self._exactly is not None:
            exact = np.empty((len(sums), len(self.apart)), results.dtype)
            self._exactly(np.take(sums, self.apart, axis=1), exact)
        self._factor.apply(np.multiply, sums)
        self._offset.apply(np.add, sums)
        if self._half is not None:
            signed = np.bitwise_and(sums.view(np.int32), SIGN)
            self._half.apply(np.bitwise_or, signed)
            np.add(sums, signed.view(np.float32), out=sums)
        self._rule.clamp(sums, results)
        if exact is not None:
            results[:, self.apart] = exact


def requantization_of(rule: FactorRule, largest_sums: Array) -> Finish:
    """The quickest finish that computes a rule.

    Args:
        rule: what it computes.
        largest_sums: ``(C,)``, what no sum without its bias exceeds.
    """
    largest = np.broadcast_to(np.asarray(largest_sums, np.float64), rule.factor.shape)
    is_small = rule.clamp.is_short and largest.max(initial=0) < EXACT_IN_SINGLE
    most = MOST_APART * len(largest)
    if not is_small or rule.clamp.most == 0 or np.count_nonzero(rule.factor < SMALLEST_FACTOR) > most:
        return DoubleRequantization(rule)
    factors = fitted(rule, largest)
    if np.count_nonzero(~factors.fits) > most:
        return DoubleRequantization(rule)
    return SingleRequantization(rule, factors)


def channels_of(rule: FactorRule, channels: Array | slice) -> FactorRule:
    """The rule of some channels."""
    bias, offset, half = (None if each is None else each[channels] for each in (rule.bias, rule.offset, rule.half))
    return replace(rule, factor=rule.factor[channels], bias=bias, offset=offset, half=half)


def fitted(rule: FactorRule, largest: Array) -> SingleFactors:
    """The numbers of float32 for a rule.

    Args:
        rule: what is computed.
        largest: ``(C,)``, what no sum without its bias exceeds.
    """
    parts = [slice(first, first + CHANNELS) for first in range(0, len(largest), CHANNELS)]
    found = [_fitted(channels_of(rule, part), largest[part]) for part in parts]
    names = [each.name for each in fields(SingleFactors)]
    return SingleFactors(*(np.concatenate([getattr(each, name) for each in found]) for name in names))


@np.errstate(divide="ignore", invalid="ignore")
def _fitted(rule: FactorRule, largest: Array) -> SingleFactors:
    begins = np.arange(1.0, rule.clamp.most + 1)[:, None] - rule.clamp.start
    first, is_found = borders(rule, begins)
    at, below = np.clip(first, -largest, EXACT_IN_SINGLE), np.clip(first - 1, -EXACT_IN_SINGLE, largest)
    size, inside, outside, shift = begins, at, below, np.zeros_like(largest)
    if rule.half is not None:  # beyond 0 and below, an integer begins with the same size of a number
        is_up = begins > 0
        size = np.where(is_up, begins, 1 - begins)
        inside, outside = np.where(is_up, at, below), np.where(is_up, below, at)
        shift = np.asarray(rule.bias) * rule.factor
    sums = np.concatenate([inside, outside]).astype(np.float32)
    nearest, offset = rule.factor.astype(np.float32), shift.astype(np.float32)
    factor, added, fits = nearest.copy(), np.zeros_like(nearest), np.zeros(len(nearest), bool)
    for beside in NEIGHBORS:
        left = np.flatnonzero(~fits)
        if not len(left):
            break
        factor[left] = tried = (nearest[left].view(np.int32) + np.int32(beside)).view(np.float32)
        reals = (sums if len(left) == len(fits) else sums[:, left]) * tried
        if rule.half is not None:
            reals = np.abs(reals + offset[left])
        added[left], fits[left] = _added(reals, size)
    fits &= is_found
    if rule.half is None:
        return SingleFactors(factor, added, np.zeros_like(added), fits)
    return SingleFactors(factor, offset, added, fits & (added > 0))


def borders(rule: FactorRule, begins: Array) -> tuple[Array, Array]:
    """The sums ``(most, C)`` at which each integer begins, and for which channels ``(C,)`` all were found.

    Args:
        rule: what is computed.
        begins: the integers ``(most, 1)``, less the start.
    """
    bias, limit = (0.0 if rule.bias is None else rule.bias), begins
    if rule.half is not None:
        limit = np.where(begins > 0, begins - rule.half, begins - 1 + rule.half)
    elif rule.offset is not None:
        limit = begins - rule.offset

    def reaches(x: Array) -> Array:
        real = (x + bias) * rule.factor
        if rule.half is None:
            return np.asarray(real + np.asarray(rule.offset) >= begins)
        return np.where(begins > 0, real + rule.half >= begins, real - rule.half > begins - 1)

    first = np.ceil(limit / rule.factor - bias)
    late, early = reaches(first - 1), ~reaches(first)
    if late.any() or early.any():
        first += early
        first -= late
        late, early = reaches(first - 1), ~reaches(first)
    return first, np.asarray(~(late | early).any(axis=0))


def _added(reals: Array, size: Array) -> tuple[Array, Array]:
    """For each channel the middle of what may be added, so that numbers reach the sizes that they have to and no
    others do, and whether that is so in float32.

    Args:
        reals: ``(2 * most, C)``, those that have to reach a size, and those that must not.
        size: ``(most, 1)``.
    """
    inside, outside = reals[: len(size)], reals[len(size) :]
    least, beyond = np.max(size - inside, axis=0), np.min(size - outside, axis=0)
    added = ((least + beyond) / 2).astype(np.float32)
    is_right = ((inside + added >= size) & (outside + added < size)).all(axis=0)
    return added, np.asarray(is_right)
