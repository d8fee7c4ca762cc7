"""Reference kernels: the plain numpy meaning of every operator, one small file each.

``ALL_KERNELS`` lists them; a kernel that is not in the list does not exist for anyone.
"""

from __future__ import annotations

from . import op_softmax
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, KernelRegistry, ReferenceKernel, Shape, spec_of

ALL_KERNELS: tuple[ReferenceKernel, ...] = (op_softmax.KERNEL,)

__all__ = [
    "ALL_KERNELS",
    "UNKNOWN",
    "Array",
    "ArraySpec",
    "KernelInputError",
    "KernelRegistry",
    "ReferenceKernel",
    "Shape",
    "spec_of",
]
