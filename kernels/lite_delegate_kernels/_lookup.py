"""Tables by key: where numbers stand among sorted keys."""

from __future__ import annotations

import numpy as np

from ._kernel import Array, KernelInputError


def find_keys(x: Array, keys: Array) -> tuple[Array, Array]:
    """The place of each element of ``x`` among the keys; of equal keys the first counts.

    Args:
        x: (N,), of the dtype of ``keys``.
        keys: (K,), sorted in ascending order.

    Returns:
        The places (N,), which mean something only where the second, bool (N,), is true.

    Raises:
        KernelInputError: the keys are not sorted.
    """
    check_sorted(keys)
    if not keys.size:
        return np.zeros(x.size, dtype=np.intp), np.zeros(x.size, dtype=np.bool_)
    places = np.searchsorted(keys, x).clip(max=keys.size - 1)
    return places, keys[places] == x


def check_sorted(keys: Array) -> None:
    """Raises KernelInputError unless ``keys`` are in ascending order."""
    if np.any(keys[1:] < keys[:-1]):
        raise KernelInputError("keys must be sorted in ascending order")
