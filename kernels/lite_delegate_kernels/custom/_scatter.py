"""Shared by ScatterElements and ScatterND: what becomes of an element and its update."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._kernel import Array, KernelInputError


def _replace(y: Array, where: tuple[Array, ...], updates: Array) -> None:
    y[where] = updates


REDUCTIONS: dict[str, Callable[[Array, tuple[Array, ...], Array], None]] = {
    "none": _replace,
    "add": np.add.at,
    "mul": np.multiply.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}
"""By the attribute ``reduction``: changes the elements ``where`` of an array."""


def check_reduction(reduction: str) -> None:
    """Raises KernelInputError for one that there is not."""
    if reduction not in REDUCTIONS:
        raise KernelInputError(f"reduction must be one of {list(REDUCTIONS)}, got '{reduction}'")
