"""Whether a group of nodes is worth a call of a runtime: what numpy takes longer, by estimates from shapes."""

from __future__ import annotations

from collections.abc import Iterable

from ...delegate import Kernel
from .timing.roofline import VIEWS, host_us

LEAST_US = 200.0
"""What numpy takes for a group that is worth it, at least."""


def pays(kernels: Iterable[Kernel]) -> bool:
    """Whether a runtime is faster for these kernels together than numpy, its call included."""
    return sum(host_us(kernel) for kernel in kernels if kernel.type not in VIEWS) >= LEAST_US
