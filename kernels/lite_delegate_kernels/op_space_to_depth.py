"""SpaceToDepth: blocks of rows and columns gathered into channels."""

from __future__ import annotations

from ._blocks import check_image, divide, times
from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel


def space_to_depth(x: Array, *, block_size: int = 0, format: str = "NCHW") -> Array:
    """Every block of b * b positions becomes one, row i and column j of it being channels ``(i * b + j) * C + c``.

    Args:
        x: (N, H, W, C), any dtype, H and W multiples of b.
        block_size: b, at least 2.
        format: must be "NHWC", which is not the default.

    Returns:
        (N, H / b, W / b, C * b * b).
    """
    n, h, w, c = x.shape
    b = block_size
    blocks = x.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    return blocks.reshape(n, h // b, w // b, c * b * b)


def infer_space_to_depth(x: ArraySpec, *, block_size: int, format: str) -> ArraySpec:
    """The spec of ``space_to_depth``.

    Raises:
        KernelInputError: another format, rank other than 4, a block below 2, rows or columns that are not a
            multiple of it.
    """
    if format != "NHWC":
        raise KernelInputError(f"format must be NHWC, got {format}")
    check_image(x, block_size)
    n, h, w, c = x.shape or (UNKNOWN,) * 4
    rows, columns = divide(h, block_size, "a height"), divide(w, block_size, "a width")
    return ArraySpec(x.dtype, (n, rows, columns, times(c, block_size * block_size)))


KERNEL = ReferenceKernel("SpaceToDepth", space_to_depth, infer_space_to_depth, ALL_DTYPES)
