"""The plan of a resize, axis by axis."""

from __future__ import annotations

from ....basics.data_class import dataclass
from ....ir import Value


@dataclass(frozen=True)
class ResizedAxis:
    """One axis of a resize.

    Attributes:
        axis: the position among the dimensions.
        size: the dimension before.
        scale: the factor, a float64 scalar; known where it is a constant.
        length: the dimension after, an int32 scalar.
        start: where the part that is taken starts, 0 to 1, a float64 scalar; None for the whole axis.
        end: where it ends.
    """

    axis: int
    size: int
    scale: Value
    length: Value
    start: Value | None = None
    end: Value | None = None


@dataclass(frozen=True)
class Plan:
    """A resize, with the attributes of ONNX's Resize."""

    axes: tuple[ResizedAxis, ...]
    mode: str
    coordinates: str
    rounding: str
    cubic_coefficient: float = -0.75
    antialias: bool = False
    exclude_outside: bool = False
    extrapolation: float = 0.0
