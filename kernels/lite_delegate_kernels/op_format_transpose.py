"""FormatTranspose: the dimensions of one format in the order of another."""

from __future__ import annotations

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import unknown_shape


def format_transpose(x: Array, *, src_format: str = "NHWC", dst_format: str = "NHWC") -> Array:
    """``x`` with its dimensions moved from where ``src_format`` has them to where ``dst_format`` has them.

    Args:
        x: any dtype; one dimension per letter of the formats.
        src_format, dst_format: two names with the same letters, without packed channels (such as NC4HW4).

    Returns:
        A view of ``x``.

    NOTE: MindSpore Lite converts between NHWC, NCHW and the packed forms of NCHW, which are storage and have no
    meaning for an array; any two unpacked names are taken here.
    """
    return x.transpose(_perm(src_format, dst_format))


def infer_format_transpose(x: ArraySpec, *, src_format: str, dst_format: str) -> ArraySpec:
    """The dimensions in their new order.

    Raises:
        KernelInputError: formats without the same letters, packed ones, or another rank than they have letters.
    """
    perm = _perm(src_format, dst_format)
    if x.shape is None:
        return ArraySpec(x.dtype, unknown_shape(len(perm)))
    if len(x.shape) != len(perm):
        raise KernelInputError(f"input must have one dimension per letter of {src_format}, got shape {x.shape}")
    return ArraySpec(x.dtype, tuple(x.shape[i] for i in perm))


def _perm(source: str, target: str) -> tuple[int, ...]:
    if not (source.isalpha() and sorted(source) == sorted(target)):
        raise KernelInputError(f"formats must have the same letters and no packed channels, got {source}, {target}")
    return tuple(source.index(letter) for letter in target)


KERNEL = ReferenceKernel("FormatTranspose", format_transpose, infer_format_transpose, ALL_DTYPES)
