"""Shapes of broadcast operands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Shape = tuple[int, ...]


def broadcast_shape(shapes: Sequence[Shape]) -> Shape | None:
    """The common shape of operands, None when they do not broadcast."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None
