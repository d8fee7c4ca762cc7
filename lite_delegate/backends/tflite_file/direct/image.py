"""Normalizations and sizes of images."""

from __future__ import annotations

from typing import Any

from ....delegate import RejectCode
from ....ir.types.enums import CoordinateTransformMode, ResizeMethod
from ....semantics.operands import normalized
from ..node import DirectNode
from ..table import Direct
from .activations import check_meaning

_LEAST_LENGTH = 1e-6
"""By which L2_NORMALIZATION divides at least."""


def l2_normalization(node: DirectNode) -> None:
    """L2_NORMALIZATION along the last dimension."""
    x = node.x()
    axes = [normalized(axis, x.rank) for axis in node.attribute("axis") or ()]
    least = abs(node.attribute("epsilon") - _LEAST_LENGTH**2) < _LEAST_LENGTH**2 / 1e3
    fits = axes == [x.rank - 1] and x.rank <= 4 and least
    node.wanted(fits, RejectCode.ATTRIBUTE, "the last dimension, with LiteRT's least length")
    check_meaning(node, "L2_NORMALIZATION")
    node.write("L2_NORMALIZATION", [x], "L2NormOptions", **node.fused())


def local_response_normalization(node: DirectNode) -> None:
    """LOCAL_RESPONSE_NORMALIZATION over channels."""
    x, region = node.x(), node.attribute("norm_region") or "ACROSS_CHANNELS"
    fits = x.rank == 4 and region == "ACROSS_CHANNELS" and not node.is_quantized
    node.wanted(fits, RejectCode.ATTRIBUTE, "channels of images of real numbers", f"{region}")
    options: dict[str, Any] = {name: float(node.attribute(name)) for name in ("bias", "alpha", "beta")}
    node.write(
        "LOCAL_RESPONSE_NORMALIZATION",
        [x],
        "LocalResponseNormalizationOptions",
        radius=node.attribute("depth_radius"),
        **options,
    )


def resize(node: DirectNode) -> None:
    """RESIZE_BILINEAR, or RESIZE_NEAREST_NEIGHBOR of whole factors or aligned corners."""
    x, how = node.x(), node.attribute("coordinate_transform_mode")
    node.wanted(x.rank == 4 and node.shape[3] == x.shape[3], RejectCode.RANK, "images of 4 dimensions")
    plain = not node.attribute("preserve_aspect_ratio") and not node.attribute("exclude_outside")
    known = how in (
        CoordinateTransformMode.ASYMMETRIC,
        CoordinateTransformMode.ALIGN_CORNERS,
        CoordinateTransformMode.HALF_PIXEL,
    )
    node.wanted(plain and known, RejectCode.ATTRIBUTE, "a way of resizing that LiteRT has", f"is {how.name}")
    options = {
        "align_corners": how == CoordinateTransformMode.ALIGN_CORNERS,
        "half_pixel_centers": how == CoordinateTransformMode.HALF_PIXEL,
    }
    size = node.builtins.ints(node.shape[1:3])
    method = node.attribute("method")
    if method == ResizeMethod.LINEAR:
        single = options["align_corners"] and 1 in node.shape[1:3]
        node.wanted(not single, RejectCode.SHAPE, "corners apart from each other")
        node.one_meaning_of_first()
        node.write("RESIZE_BILINEAR", [x, size], "ResizeBilinearOptions", **options)
        return
    node.wanted(method == ResizeMethod.NEAREST, RejectCode.ATTRIBUTE, "lines or nearest elements", f"is {method.name}")
    simple = how == CoordinateTransformMode.ASYMMETRIC and node.attribute("nearest_mode").name in ("NORMAL", "FLOOR")
    whole = all(after % before == 0 for before, after in zip(x.shape[1:3], node.shape[1:3], strict=True))
    node.wanted(simple and whole, RejectCode.ATTRIBUTE, "nearest elements of whole factors")
    node.move("RESIZE_NEAREST_NEIGHBOR", [x, size], "ResizeNearestNeighborOptions", **options)


WRITERS: dict[str, Direct] = {
    "L2NormalizeFusion": l2_normalization,
    "LRN": local_response_normalization,
    "Resize": resize,
}
"""Writers of this file by our names of operators."""
