"""Means over some axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..lowering import Lowering
from ..term import Shape, Term

PLANES = [2, 3]
FLOAT32 = np.dtype(np.float32)


def mean(lowering: Lowering, x: Term, places: Sequence[int], shape: Shape) -> Term:
    """The mean over axes that stay, ``places`` in order.

    Over planes (N, C, H, W) it is a pool: between convolutions backends keep their own layouts around pools, not
    around reductions.
    """
    if list(places) == PLANES and len(x.shape) == 4 and x.dtype == FLOAT32:
        return lowering.emit("GlobalAveragePool", [x], x.dtype, shape)
    return lowering.emit("ReduceMean", [x, lowering.ints(places)], x.dtype, shape, keepdims=1)
