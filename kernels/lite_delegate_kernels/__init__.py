"""Reference kernels: the plain numpy meaning of every operator, one small file each.

``ALL_KERNELS`` lists them, ``ALL_CUSTOM_KERNELS`` those of operators that the format has no number for;
``built_in.built_in_kernels`` finds them by operator type. Importing 200 small files takes two tenths of a second, so
the lists are made when they are asked for, and a model imports the files of its own operators alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._kernel import (
    UNKNOWN,
    Array,
    ArraySpec,
    KernelInputError,
    KernelRegistry,
    ReferenceKernel,
    Shape,
    as_tuple,
    spec_of,
)
from ._quantization import NodeQuantization, Quantization
from ._strings import STRING, STRING_DTYPE, pack_strings, unpack_strings

if TYPE_CHECKING:
    from .all_kernels import ALL_KERNELS, ALL_QUANTIZED_KERNELS
    from .custom.all_kernels import ALL_CUSTOM_KERNELS

__all__ = [
    "ALL_CUSTOM_KERNELS",
    "ALL_KERNELS",
    "ALL_QUANTIZED_KERNELS",
    "STRING",
    "STRING_DTYPE",
    "UNKNOWN",
    "Array",
    "ArraySpec",
    "KernelInputError",
    "KernelRegistry",
    "NodeQuantization",
    "Quantization",
    "ReferenceKernel",
    "Shape",
    "as_tuple",
    "pack_strings",
    "spec_of",
    "unpack_strings",
]


def __getattr__(name: str) -> Any:
    if name in ("ALL_KERNELS", "ALL_QUANTIZED_KERNELS"):
        from . import all_kernels

        return getattr(all_kernels, name)
    if name == "ALL_CUSTOM_KERNELS":
        from .custom.all_kernels import ALL_CUSTOM_KERNELS

        return ALL_CUSTOM_KERNELS
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
