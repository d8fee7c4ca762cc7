"""Fast kernels: numpy code for speed where that of a reference kernel is slow, one small file per operator.

``ALL_FAST_KERNELS`` lists them and says for which nodes each is there; a node that none is for runs on its reference
kernel. Results are those of the reference kernel, floats up to the order of sums and the last bits of functions. The
tables are loaded when they are first asked for, as those of the reference kernels are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .all_kernels import fast_kernels
from .fast_kernel import FastKernel, FastKernels

if TYPE_CHECKING:
    from .all_kernels import ALL_FAST_KERNELS, ALL_FAST_QUANTIZED_KERNELS

__all__ = ["ALL_FAST_KERNELS", "ALL_FAST_QUANTIZED_KERNELS", "FastKernel", "FastKernels", "fast_kernels"]


def __getattr__(name: str) -> Any:
    if name in ("ALL_FAST_KERNELS", "ALL_FAST_QUANTIZED_KERNELS"):
        from . import all_kernels

        return getattr(all_kernels, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
