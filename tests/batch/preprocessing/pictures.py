"""Encoded pictures."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image


def picture(height: int, width: int, seed: int = 0, channels: int = 3) -> Any:
    """Smooth pixels with noise, ``(H, W, C)`` of uint8; ``(H, W)`` for one channel."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:height, 0:width]
    each = [
        rows * (3 + seed) + columns * (channel + 1) + rng.integers(0, 60, rows.shape) for channel in range(channels)
    ]
    array = np.stack(each, axis=-1).astype(np.uint8)
    return array[..., 0] if channels == 1 else array


def encoded(array: Any, form: str = "PNG", **options: Any) -> bytes:
    """The bytes of a file."""
    file = io.BytesIO()
    Image.fromarray(array).save(file, form, **options)
    return file.getvalue()
