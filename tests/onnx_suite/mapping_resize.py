"""ONNX's Resize and Upsample, where one of our coordinate modes reads the input at the same places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np
from lite_delegate_kernels import Array

from .node import OnnxNode, Refused, Why, ints
from .spatial import from_nhwc, to_nhwc

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Axis:
    """One resized axis: its size before and after, and the scale that ONNX reckons with."""

    size: int
    out: int
    scale: Fraction

    @property
    def exact(self) -> bool:
        """Whether the scale is the ratio of the sizes, which is what ours reckon with."""
        return self.size * self.scale == self.out


def _resize(node: OnnxNode) -> Array:
    x = node.x()
    node.refuse_unless(x.ndim == 4, Why.RANK, f"rank {x.ndim}")
    for name in ("antialias", "exclude_outside"):
        node.refuse_unless(not node.get(name, 0), Why.ATTRIBUTE, name)
    batch, channels, height, width = _axes(node)
    node.refuse_unless(batch.out == batch.size and channels.out == channels.size, Why.RANK, "resized channels")
    if node.get("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize":
        return _crop(node, height, width)
    if node.get("mode", "nearest") == "nearest":
        return _run(node, height, width, "NEAREST", _nearest_mode(node, height, width))
    return _interpolate(node, height, width)


def _run(node: OnnxNode, height: Axis, width: Axis, method: str, mode: str) -> Array:
    y = node.run(
        "Resize",
        to_nhwc(node.x()),
        method=method,
        coordinate_transform_mode=mode,
        cubic_coeff=node.get("cubic_coeff_a", -0.75),
        new_height=height.out,
        new_width=width.out,
    )
    return from_nhwc(y, 4)


def _axes(node: OnnxNode) -> list[Axis]:
    """All four axes, from the scales or the sizes of those that the node names."""
    shape, scales, sizes = node.x().shape, node.optional(2), node.optional(3)
    named = [a % 4 for a in node.get("axes", range(4))]
    result = [Axis(n, n, Fraction(1)) for n in shape]
    if sizes is None or not sizes.size:
        assert scales is not None
        factors = dict(zip(named, (Fraction(float(s)) for s in scales), strict=True))
        return [Axis(n, floor(n * factors.get(a, 1)), factors.get(a, Fraction(1))) for a, n in enumerate(shape)]
    wanted = dict(zip(named, (int(s) for s in sizes), strict=True))
    policy = node.get("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        ratios = [Fraction(n, shape[a]) for a, n in wanted.items()]
        common = min(ratios) if policy == "not_larger" else max(ratios)
        wanted = {a: floor(shape[a] * common + HALF) for a in wanted}
    for a, n in wanted.items():
        result[a] = Axis(shape[a], n, Fraction(n, shape[a]))
    return result


_COORDINATES: dict[str, Callable[[int, Axis], Fraction]] = {
    "asymmetric": lambda o, axis: o / axis.scale,
    "half_pixel": lambda o, axis: (o + HALF) / axis.scale - HALF,
    "align_corners": lambda o, axis: o * (axis.size - 1) / max(axis.size * axis.scale - 1, Fraction(1)),
}
"""Where in the input output position o lies, as ONNX defines it."""

_ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "round_prefer_floor": lambda place: ceil(place - HALF),
    "round_prefer_ceil": lambda place: floor(place + HALF),
    "floor": floor,
    "ceil": ceil,
}


def _nearest_mode(node: OnnxNode, height: Axis, width: Axis) -> str:
    """Our mode that copies the same pixels; ours rounds down, with ALIGN_CORNERS to the nearest, halves up."""
    name = node.get("coordinate_transformation_mode", "half_pixel")
    rounding = node.get("nearest_mode", "round_prefer_floor")
    node.refuse_unless(name in _COORDINATES, Why.ATTRIBUTE, f"coordinate_transformation_mode {name}")
    wanted = [_places(axis, name, rounding) for axis in (height, width)]
    for ours in _COORDINATES:
        ratios = [Axis(axis.size, axis.out, Fraction(axis.out, axis.size)) for axis in (height, width)]
        own = "round_prefer_ceil" if ours == "align_corners" else "floor"
        if [_places(axis, ours, own) for axis in ratios] == wanted:
            return ours.upper()
    raise Refused(Why.SEMANTICS, f"Resize with nearest_mode {rounding} of {name} coordinates: other pixels")


def _places(axis: Axis, mode: str, rounding: str) -> list[int]:
    places = (_ROUNDINGS[rounding](_COORDINATES[mode](o, axis)) for o in range(axis.out))
    return [min(max(place, 0), axis.size - 1) for place in places]


_SAME_IF_EXACT = {
    "asymmetric": "ASYMMETRIC",
    "align_corners": "ALIGN_CORNERS",
    "half_pixel": "HALF_PIXEL",
    "half_pixel_symmetric": "HALF_PIXEL",
    "pytorch_half_pixel": "HALF_PIXEL",
}


def _interpolate(node: OnnxNode, height: Axis, width: Axis) -> Array:
    name, method = node.get("coordinate_transformation_mode", "half_pixel"), node.get("mode", "nearest").upper()
    node.refuse_unless(height.exact and width.exact, Why.SEMANTICS, "scales that are not the ratio of the sizes")
    single = name == "pytorch_half_pixel" and 1 in (height.out, width.out)
    node.refuse_unless(not single, Why.SEMANTICS, "pytorch_half_pixel and a size of 1")
    mode = _SAME_IF_EXACT[name]
    cut_off = method == "CUBIC" and mode == "HALF_PIXEL"
    node.refuse_unless(not cut_off, Why.SEMANTICS, "cubic half_pixel, where the format cuts coordinates off at 0")
    return _run(node, height, width, method, mode)


def _crop(node: OnnxNode, height: Axis, width: Axis) -> Array:
    """One box over all images: CropAndResize gives every image its own."""
    x = node.x()
    method = node.get("mode", "nearest")
    node.refuse_unless(method == "linear", Why.ATTRIBUTE, f"tf_crop_and_resize and mode {method}")
    named = [a % 4 for a in node.get("axes", range(4))]
    starts, ends = node.x(1).reshape(2, -1)
    box = [part[named.index(a)] for part in (starts, ends) for a in (2, 3)]
    y = node.run(
        "CropAndResize",
        to_nhwc(x),
        np.array([box] * len(x), np.float32),
        ints(range(len(x))),
        ints([height.out, width.out]),
        extrapolation_value=node.get("extrapolation_value", 0.0),
    )
    return from_nhwc(y, 4)


def _upsample(node: OnnxNode) -> Array:
    x = node.x()
    node.refuse_unless(node.get("mode", "nearest") == "nearest", Why.ATTRIBUTE, "mode linear")
    scales = [int(s) for s in node.x(1)]
    sizes = {"new_height": x.shape[2] * scales[2], "new_width": x.shape[3] * scales[3]}
    return from_nhwc(node.run("Resize", to_nhwc(x), method="NEAREST", **sizes), 4)


MAPPINGS: dict[str, Callable[[OnnxNode], Array]] = {"Resize": _resize, "Upsample": _upsample}
