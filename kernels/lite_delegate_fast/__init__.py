"""Fast kernels: numpy code for speed where that of a reference kernel is slow, one small file per operator.

``ALL_FAST_KERNELS`` lists them and says for which nodes each is there; a node that none is for runs on its reference
kernel. Results are those of the reference kernel, floats up to the order of sums and the last bits of functions. The
tables are loaded when they are first asked for, as those of the reference kernels are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .fast_kernel import FastKernel, FastKernels
from .lookup import fast_kernels

if TYPE_CHECKING:
    from .all_kernels import ALL_FAST_KERNELS
    from .all_quantized_kernels import ALL_FAST_QUANTIZED_KERNELS

__all__ = ["ALL_FAST_KERNELS", "ALL_FAST_QUANTIZED_KERNELS", "FastKernel", "FastKernels", "fast_kernels"]


def __getattr__(name: str) -> Any:
    if name == "ALL_FAST_KERNELS":
        from . import all_kernels

        return all_kernels.ALL_FAST_KERNELS
    if name == "ALL_FAST_QUANTIZED_KERNELS":
        from . import all_quantized_kernels

        return all_quantized_kernels.ALL_FAST_QUANTIZED_KERNELS
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
