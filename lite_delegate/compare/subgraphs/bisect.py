"""Bisection of a bad stretch: a pure search, which knows nothing of kernels."""

from __future__ import annotations

from collections.abc import Callable

IsBad = Callable[[int, int], bool]
"""True when the half-open stretch ``[start, stop)`` is bad by itself."""


def smallest_bad(count: int, is_bad: IsBad) -> tuple[int, int]:
    """A bad stretch of ``[0, count)`` that cannot be split into a half that is bad.

    Halves are tried, the front one first, at most two for each halving: ``2 log2(count)`` in all, over stretches that
    add up to about ``2 count``. Where neither half is bad, the stretch is made shorter at both ends instead, which
    takes as many tries again.

    Args:
        count: how many there are; the whole is known to be bad.
        is_bad: asked about shorter stretches only. It need not be monotonic: what is returned was found to be bad.
    """
    start, stop = 0, count
    while stop - start > 1:
        middle = (start + stop) // 2
        if is_bad(start, middle):
            stop = middle
        elif is_bad(middle, stop):
            start = middle
        else:
            return _shortened(start, middle, stop, is_bad)
    return start, stop


def _shortened(start: int, middle: int, stop: int, is_bad: IsBad) -> tuple[int, int]:
    """A bad stretch around ``middle``, of which neither ``[start, middle)`` nor ``[middle, stop)`` is bad."""
    high = middle
    while high - start > 1:
        probe = (start + high) // 2
        start, high = (probe, high) if is_bad(probe, stop) else (start, probe)
    low = middle
    while stop - low > 1:
        probe = (low + stop) // 2
        low, stop = (low, probe) if is_bad(start, probe) else (probe, stop)
    return start, stop
