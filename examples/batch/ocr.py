"""What ddddocr's recognizer takes and gives: pixels of a line of text, and scores of characters."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from PIL import Image

HEIGHT = 64
"""The height of the lines that the model reads; their width is free."""


def pixels(row: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The gray pixels ``(1, 1, 64, W)`` of an image, from -1 to 1."""
    image = Image.fromarray(row["image"])
    width = int(image.width * HEIGHT / image.height)
    gray = image.resize((width, HEIGHT), Image.Resampling.LANCZOS).convert("L")
    return ((np.asarray(gray, np.float32) / 255 - 0.5) / 0.5)[None, None]


def text(outputs: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, str]:
    """The text of the scores ``(T, 1, C)``: the best character of each step, repetitions and blanks left out."""
    best = next(iter(outputs.values()))[:, 0].argmax(-1)
    is_new = np.diff(best, prepend=0) != 0
    return {"text": "".join(_characters()[index] for index in best[is_new & (best != 0)])}


text.columns = {"text": "str"}  # type: ignore[attr-defined]


@cache
def _characters() -> list[str]:
    found: list[str] = runpy.run_path("images/charsets.py")["CHARSET_OLD"]
    return found
