"""A resize as the operator Resize, where one of its coordinate modes reads the input at the same positions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

import numpy as np
from lite_delegate_kernels import UNKNOWN

from ....basics.data_class import dataclass
from ....ir import Value
from ..conversion import OnnxNode
from ..windows.spatial import from_nhwc, to_nhwc
from .plan import Plan

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Axis:
    """One axis: its size before and after, and the factor that ONNX reckons with."""

    size: int
    out: int
    scale: Fraction

    @property
    def exact(self) -> bool:
        """True where the factor is the ratio of the sizes, which the operator Resize computes with."""
        return self.size * self.scale == self.out


def as_operator(node: OnnxNode, plan: Plan) -> Value | None:
    """The resized input; None where Resize reads other positions, or sizes are not known before the model runs."""
    x = node.x()
    spatial = {a.axis for a in plan.axes} <= {2, 3}
    if node.rank(x) != 4 or not spatial or plan.antialias or plan.exclude_outside:
        return None
    axes = _known(node, plan)
    if axes is None or any(a.out < 1 or a.size < 1 for a in axes) or plan.coordinates == "tf_crop_and_resize":
        return None
    mode = _nearest(plan, axes) if plan.mode == "nearest" else _interpolated(plan, axes, node.dtype(x).kind)
    if mode is None:
        return None
    y = node.emit(
        "Resize",
        to_nhwc(node, x),
        format="NHWC",
        method=plan.mode.upper(),
        coordinate_transform_mode=mode,
        cubic_coeff=plan.cubic_coefficient,
        new_height=axes[0].out,
        new_width=axes[1].out,
    )
    return from_nhwc(node, y, 4)


def _known(node: OnnxNode, plan: Plan) -> list[Axis] | None:
    """Rows and columns with numbers, None where some are not known."""
    dims = node.dims(node.x())
    found = {a.axis: (node.known(a.scale), node.known(a.length), a.size) for a in plan.axes}
    axes = []
    for position in (2, 3):
        scale, length, size = found.get(position, (np.float64(1), np.int32(dims[position]), dims[position]))
        if scale is None or length is None or size == UNKNOWN:
            return None
        axes.append(Axis(size, int(length), Fraction(float(scale))))
    return [_as_ratio(a) for a in axes]


def _as_ratio(axis: Axis) -> Axis:
    """Factors that are ratios of the sizes but for rounding, like 1/3, are these ratios."""
    ratio = Fraction(axis.out, axis.size)
    same = float(axis.scale) in (float(ratio), float(np.float32(float(ratio))))
    return Axis(axis.size, axis.out, ratio) if same else axis


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


def _nearest(plan: Plan, axes: list[Axis]) -> str | None:
    """Our mode that copies the same pixels; ours rounds down, with ALIGN_CORNERS to the nearest, halves up."""
    if plan.coordinates not in _COORDINATES:
        return None
    wanted = [_places(axis, plan.coordinates, plan.rounding) for axis in axes]
    ratios = [Axis(axis.size, axis.out, Fraction(axis.out, axis.size)) for axis in axes]
    for ours in _COORDINATES:
        own = "round_prefer_ceil" if ours == "align_corners" else "floor"
        if [_places(axis, ours, own) for axis in ratios] == wanted:
            return ours.upper()
    return None


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


def _interpolated(plan: Plan, axes: list[Axis], kind: str) -> str | None:
    mode = _SAME_IF_EXACT.get(plan.coordinates)
    single = plan.coordinates == "pytorch_half_pixel" and any(a.out == 1 for a in axes)
    # With CUBIC ours cuts half-pixel coordinates off at 0.
    cut_off = plan.mode == "cubic" and mode == "HALF_PIXEL"
    fits = kind == "f" and all(a.exact for a in axes) and not single and not cut_off
    return mode if fits else None
