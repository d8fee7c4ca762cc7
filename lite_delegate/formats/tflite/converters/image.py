"""Pooling, local normalization, resizing: operators over images."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....flatbuffer.problem import FormatProblem
from ....ir import Format
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from ..tensors.buffers import Array
from .activation import followed_node, fused_node
from .convolution import padding_name, strides

_MOST_PIXELS = 1 << 16
"""Rows and columns that positions are worked out for."""
_LEAST_LENGTH = 1e-6
"""By which L2_NORMALIZATION divides at least (TensorFlow Lite's ``l2normalization.h``)."""


def pool(op_type: str) -> Converter:
    """A converter to a pooling operator."""

    def convert(c: OperatorConversion) -> None:
        fused_node(c, op_type, [c.x()], c.y(), c.option("Pool2DOptions")["fused_activation_function"], **_window(c))

    convert.__doc__ = f"{op_type}."
    return convert


def l2_pool(c: OperatorConversion) -> None:
    """Square, AvgPoolFusion and Sqrt, on real numbers."""
    squares, mean = c.between(c.x(), "squares"), c.between(c.y(), "mean")
    c.reject_unless(not c.x().quant_params, Why.DTYPE, "L2 pooling takes real numbers only")
    c.node("Square", [c.x()], squares)
    c.node("AvgPoolFusion", [squares], mean, **_window(c))
    followed_node(c, "Sqrt", [mean], c.y(), c.option("Pool2DOptions")["fused_activation_function"])


def _window(c: OperatorConversion) -> dict[str, Any]:
    options = c.option("Pool2DOptions")
    window = [options["filter_height"], options["filter_width"]]
    if min(window) < 1:
        raise FormatProblem(f"expected a window of at least 1, found {window}", "filter")
    return {
        "kernel_size": window,
        "strides": strides(options),
        "pad_mode": padding_name(options["padding"]),
        "format": Format.NHWC,
    }


def local_response_normalization(c: OperatorConversion) -> None:
    """LRN."""
    options = c.option("LocalResponseNormalizationOptions")
    c.node(
        "LRN",
        [c.x()],
        c.y(),
        depth_radius=options["radius"],
        bias=options["bias"],
        alpha=options["alpha"],
        beta=options["beta"],
    )


def l2_normalization(c: OperatorConversion) -> None:
    """L2NormalizeFusion along the last dimension."""
    activation = c.option("L2NormOptions")["fused_activation_function"]
    fused_node(c, "L2NormalizeFusion", [c.x()], c.y(), activation, axis=[-1], epsilon=_LEAST_LENGTH**2)


def resize_bilinear(c: OperatorConversion) -> None:
    """Resize LINEAR."""
    options = c.option("ResizeBilinearOptions")
    _resize(c, "LINEAR", options["align_corners"], options["half_pixel_centers"])


def resize_nearest_neighbor(c: OperatorConversion) -> None:
    """Resize NEAREST; two Gathers for half-pixel centers with other than whole factors, where sizes must be known.

    With half-pixel centers TensorFlow Lite rounds ``(o + 0.5) * in / out`` down, which no mode of Resize does. For
    whole factors ``out / in`` that is ``o * in / out`` rounded down.
    """
    options = c.option("ResizeNearestNeighborOptions")
    if not options["half_pixel_centers"] or options["align_corners"]:
        _resize(c, "NEAREST", options["align_corners"], options["half_pixel_centers"])
        return
    sizes = list(zip([c.dim(c.x(), 1), c.dim(c.x(), 2)], _new_size(c), strict=True))
    known = all(0 < before <= _MOST_PIXELS and 0 < after <= _MOST_PIXELS for before, after in sizes)
    c.reject_unless(known, Why.SHAPE, f"half-pixel centers need known sizes up to {_MOST_PIXELS}, found {sizes}")
    if all(after % before == 0 for before, after in sizes):
        _resize(c, "NEAREST", False, False)
        return
    rows, columns = (_half_pixel_positions(before, after) for before, after in sizes)
    tall = c.between(c.y(), "rows", same_shape=False)
    c.node("Gather", [c.x(), c.constant("rows", rows), c.constant("first", [1])], tall)
    c.node("Gather", [tall, c.constant("columns", columns), c.constant("second", [2])], c.y())


def _half_pixel_positions(before: int, after: int) -> Array:
    """``floor((o + 0.5) * before / after)``, exactly."""
    o = np.arange(after, dtype=np.int64)
    return np.minimum((2 * o + 1) * before // (2 * after), before - 1).astype(np.int32)


def _new_size(c: OperatorConversion) -> list[int]:
    """Height and width, which must be constant.

    Raises:
        FormatProblem: other than two numbers.
    """
    size = c.integers(1, "the new size")
    if len(size) != 2:
        raise FormatProblem(f"the new size must be height and width, found {size}", "inputs[1]")
    return size


def _resize(c: OperatorConversion, method: str, align_corners: bool, half_pixel: bool) -> None:
    c.reject_unless(not (align_corners and half_pixel), Why.ATTRIBUTE, "align_corners together with half_pixel_centers")
    mode = "ALIGN_CORNERS" if align_corners else "HALF_PIXEL" if half_pixel else "ASYMMETRIC"
    attributes: dict[str, Any] = {"method": method, "coordinate_transform_mode": mode, "format": Format.NHWC}
    if c.x(1).data is not None:
        height, width = _new_size(c)
        attributes.update(new_height=height, new_width=width)
    c.node("Resize", [c.x(), c.x(1)], c.y(), **attributes)


def depth_to_space(c: OperatorConversion) -> None:
    """DepthToSpace."""
    c.node("DepthToSpace", [c.x()], c.y(), block_size=_block(c, "DepthToSpaceOptions"), mode="DCR", format=Format.NHWC)


def space_to_depth(c: OperatorConversion) -> None:
    """SpaceToDepth."""
    c.node("SpaceToDepth", [c.x()], c.y(), block_size=_block(c, "SpaceToDepthOptions"), format=Format.NHWC)


def _block(c: OperatorConversion, table: str) -> int:
    return int(c.option(table)["block_size"])


CONVERTERS: dict[str, Converter] = {
    "AVERAGE_POOL_2D": pool("AvgPoolFusion"),
    "MAX_POOL_2D": pool("MaxPoolFusion"),
    "L2_POOL_2D": l2_pool,
    "LOCAL_RESPONSE_NORMALIZATION": local_response_normalization,
    "L2_NORMALIZATION": l2_normalization,
    "RESIZE_BILINEAR": resize_bilinear,
    "RESIZE_NEAREST_NEIGHBOR": resize_nearest_neighbor,
    "DEPTH_TO_SPACE": depth_to_space,
    "SPACE_TO_DEPTH": space_to_depth,
}
"""Converters of this file by the schema's names."""
