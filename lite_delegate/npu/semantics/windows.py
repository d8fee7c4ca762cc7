"""The windows of sliding operators on the device."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.primitives import Conv2dTransposeFusion
from ...semantics.geometry import Sliding, WindowPlaces, places_of
from ...semantics.spreading import spread_places
from ..device.programs.window import Window


def window_of(sliding: Sliding, x_shape: Sequence[int]) -> Window:
    """The windows over x (N, H, W, C). The number of windows may come out below 1: the caller rejects that."""
    return _window(places_of(sliding, x_shape))


def spread_window(primitive: Conv2dTransposeFusion, weight_shape: Sequence[int], x_shape: Sequence[int]) -> Window:
    """The window of a transposed convolution. The output's size may come out below 1: the caller rejects that."""
    return _window(spread_places(primitive, weight_shape, x_shape))


def _window(places: WindowPlaces) -> Window:
    return Window(places.size, places.strides, places.dilations, places.before, places.output)
