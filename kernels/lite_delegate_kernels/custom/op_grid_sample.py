"""GridSample: the values of an image or volume at places that a grid says."""

from __future__ import annotations

from itertools import product

import numpy as np

from .._dtypes import FLOATS, NUMBERS, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import at, check_rank

_MODES = {"linear": "linear", "bilinear": "linear", "nearest": "nearest", "cubic": "cubic", "bicubic": "cubic"}
_PADDINGS = ("zeros", "border", "reflection")
_A = -0.75
"""The free coefficient of the cubic weights."""


def grid_sample(
    x: Array, grid: Array, *, align_corners: int = 0, mode: str = "linear", padding_mode: str = "zeros"
) -> Array:
    """``x`` at the places of ``grid``, between elements as ``mode`` says, outside as ``padding_mode`` says.

    Args:
        x: (N, C, ...) with any number of spatial axes.
        grid: (N, ..., axes): places from -1 to 1, the last spatial axis first, for each element of the result.
        align_corners: whether -1 and 1 are the middles of the outermost elements; otherwise their outer edges.

    Returns:
        (N, C, ...) with the grid's spatial axes, in the dtype of ``x``.
    """
    sizes = x.shape[2:]
    places = [_place(grid[..., -1 - i].astype(np.float64), size, align_corners) for i, size in enumerate(sizes)]
    if _MODES[mode] == "nearest":
        places = [np.rint(place) for place in places]
    borders = [(0.0, n - 1.0) if align_corners else (-0.5, n - 0.5) for n in sizes]
    places = [_inside(p, n, b, padding_mode) for p, n, b in zip(places, sizes, borders, strict=True)]
    taps = [_taps(place, _MODES[mode]) for place in places]
    image = x.astype(np.float64) if x.dtype.kind == "f" else x
    y = np.zeros((x.shape[0], x.shape[1], *grid.shape[1:-1]), np.float64)
    batch = np.arange(x.shape[0]).reshape(-1, *[1] * (grid.ndim - 2))
    for chosen in product(*taps):
        weight = np.ones(grid.shape[:-1])
        indices = []
        for (index, factor), size, border in zip(chosen, sizes, borders, strict=True):
            inside = (index >= 0) & (index < size)
            weight = weight * factor * (inside if padding_mode == "zeros" else 1.0)
            indices.append(_pixel(index, size, border, padding_mode))
        # Indexing puts the channels last.
        y += np.moveaxis(image[at(batch, slice(None), *indices)] * weight[..., None], -1, 1)
    return y.astype(x.dtype)


def infer_grid_sample(x: ArraySpec, grid: ArraySpec, *, mode: str, padding_mode: str) -> ArraySpec:
    """(N, C, ...); raises KernelInputError for shapes or modes that do not fit."""
    check_dtype(x, NUMBERS)
    check_dtype(grid, FLOATS, "grid")
    check_rank(x, 3)
    if mode not in _MODES or padding_mode not in _PADDINGS:
        raise KernelInputError(f"mode {mode} must be in {list(_MODES)}, padding_mode {padding_mode} in {_PADDINGS}")
    if x.shape is None or grid.shape is None:
        return ArraySpec(x.dtype, None)
    if len(x.shape) != len(grid.shape) or grid.shape[-1] not in (UNKNOWN, len(x.shape) - 2):
        raise KernelInputError(f"a grid of shape {grid.shape} does not fit an image of shape {x.shape}")
    if UNKNOWN not in (x.shape[0], grid.shape[0]) and x.shape[0] != grid.shape[0]:
        raise KernelInputError(f"{x.shape[0]} images and {grid.shape[0]} grids")
    return ArraySpec(x.dtype, (*x.shape[:2], *grid.shape[1:-1]))


def _place(x: Array, size: int, align_corners: int) -> Array:
    """-1 to 1 as a position among elements."""
    return (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2


def _inside(place: Array, size: int, border: tuple[float, float], padding_mode: str) -> Array:
    if padding_mode == "border":
        return np.where((place < border[0]) | (place > border[1]), np.clip(place, 0, size - 1), place)
    return _reflected(place, *border) if padding_mode == "reflection" else place


def _pixel(index: Array, size: int, border: tuple[float, float], padding_mode: str) -> Array:
    """An element that is there for each index."""
    if padding_mode == "reflection":
        index = _reflected(index.astype(np.float64), *border)
    return np.clip(index, 0, size - 1).astype(np.int64)


def _reflected(place: Array, low: float, high: float) -> Array:
    """Places beyond the borders, mirrored at them as often as it takes."""
    span = high - low
    if span <= 0:
        return np.full_like(place, low)
    over = np.where(place < low, low - place, place - high)
    times, rest = np.floor(over / span), over % span
    even = times % 2 == 0
    from_low, from_high = np.where(even, low + rest, high - rest), np.where(even, high - rest, low + rest)
    return np.where(place < low, from_low, np.where(place > high, from_high, place))


def _taps(place: Array, mode: str) -> list[tuple[Array, Array]]:
    """The elements that count at each place along one axis, and by how much."""
    if mode == "nearest":
        return [(place, np.ones(place.shape))]
    first = np.floor(place)
    t = place - first
    if mode == "linear":
        return [(first, 1 - t), (first + 1, t)]
    return [(first - 1, _far(t + 1)), (first, _near(t)), (first + 1, _near(1 - t)), (first + 2, _far(2 - t))]


def _near(d: Array) -> Array:
    """The cubic weight at a distance up to 1."""
    return np.asarray(((_A + 2) * d - (_A + 3)) * d * d + 1)


def _far(d: Array) -> Array:
    """The cubic weight at a distance of 1 to 2."""
    return np.asarray(((_A * d - 5 * _A) * d + 8 * _A) * d - 4 * _A)


KERNEL = ReferenceKernel("ai.onnx.GridSample", grid_sample, infer_grid_sample, NUMBERS)
