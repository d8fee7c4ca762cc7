"""Grids of places that affine maps take images and volumes to."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel
from ....semantics.operands import required
from ....tensors.tensor import Array
from ..lowering import Lowering
from ..term import Lowered
from .elementwise import cast
from .movement import known
from .onnx_operators import attributes_of
from .reshaping import reshaped
from .results import as_model, given_shape


def lower_affine_grid(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The positions of all elements, which are known, times the matrix of each image; float16 in float32."""
    theta, sizes = lowering.value(required(kernel, 0)), known(kernel, 1, "the size")[2:]
    own = theta.dtype
    wide = np.dtype(np.float32) if own == np.float16 else own
    places = _places(sizes, is_aligned=bool(attributes_of(kernel).get("align_corners", 0)))
    factors = [lowering.array(places.astype(wide)), cast(lowering, lowering.in_order(theta, (0, 2, 1)), wide)]
    shape = (theta.shape[0], math.prod(sizes), len(sizes))
    y = cast(lowering, lowering.emit("MatMul", factors, wide, shape), own)
    return reshaped(lowering, as_model(y), given_shape(kernel))


def _places(sizes: tuple[int, ...], *, is_aligned: bool) -> Array:
    """The places of elements (count, axes + 1) from -1 to 1, the last axis first, and 1 for the shift of the map.

    Args:
        sizes: along each axis.
        is_aligned: whether -1 and 1 are the middles of the outermost elements; otherwise their outer edges.
    """
    lines = [np.linspace(-1, 1, n) if is_aligned else (2 * np.arange(n) + 1) / n - 1 for n in sizes]
    mesh = np.meshgrid(*lines, indexing="ij")
    return np.stack([*reversed(mesh), np.ones(sizes)], axis=-1).reshape(-1, len(sizes) + 1)


LOWERINGS = {"ai.onnx.AffineGrid": lower_affine_grid}
