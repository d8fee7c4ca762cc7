"""The table by which a node runs on a fast kernel or on its reference kernel."""

from __future__ import annotations

from functools import cache

from .all_kernels import fast_kernel
from .fast_kernel import FastKernel, FastKernels


@cache
def fast_kernels() -> FastKernels:
    """The table of all fast kernels; those of quantized nodes are imported when the first such node is looked up."""
    return FastKernels(fast_kernel, _quantized)


def _quantized(op_type: str) -> FastKernel | None:
    from .all_quantized_kernels import fast_quantized_kernel

    return fast_quantized_kernel(op_type)
