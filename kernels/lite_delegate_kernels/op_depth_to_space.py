"""DepthToSpace: channels spread over blocks of rows and columns."""

from __future__ import annotations

from ._blocks import check_image, divide, times
from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel


def depth_to_space(x: Array, *, block_size: int = 0, format: str = "NCHW", mode: str | None = None) -> Array:
    """Every position becomes a block of b * b positions, with a b * b-th of the channels each.

    With "DCR" (depth, column, row) channel ``(i * b + j) * C' + c`` goes to row i, column j of the block as channel
    c; with "CRD" it is channel ``c * b * b + i * b + j``, as ONNX defines both.

    Args:
        x: (N, H, W, C), any dtype, C a multiple of b * b.
        block_size: b, at least 2.
        format: no effect, the array is (N, H, W, C).
        mode: "CRD"; None and anything else means "DCR".

    Returns:
        (N, H * b, W * b, C / (b * b)).
    """
    n, h, w, c = x.shape
    b = block_size
    left = c // (b * b)
    if mode == "CRD":
        blocks = x.reshape(n, h, w, left, b, b).transpose(0, 1, 4, 2, 5, 3)
    else:
        blocks = x.reshape(n, h, w, b, b, left).transpose(0, 1, 3, 2, 4, 5)
    return blocks.reshape(n, h * b, w * b, left)


def infer_depth_to_space(x: ArraySpec, *, block_size: int) -> ArraySpec:
    """The spec of ``depth_to_space``.

    Raises:
        KernelInputError: rank other than 4, a block below 2, channels that are not a multiple of its positions.
    """
    check_image(x, block_size)
    n, h, w, c = x.shape or (UNKNOWN,) * 4
    channels = divide(c, block_size * block_size, "a channel count")
    return ArraySpec(x.dtype, (n, times(h, block_size), times(w, block_size), channels))


KERNEL = ReferenceKernel("DepthToSpace", depth_to_space, infer_depth_to_space, ALL_DTYPES)
