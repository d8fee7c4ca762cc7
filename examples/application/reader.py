"""Readings of pictures: a model that is compiled once, and a queue of requests that run side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from lite_delegate import Core, RequestQueue

SIZE = 8
"""Height of a picture, and width of a digit in it, in pixels."""


@dataclass(frozen=True)
class Reading:
    """The text of a picture.

    Attributes:
        picture: the file.
        text: a digit for each 8 pixels of the width.
        certainty: of the least certain digit, 0 to 1.
    """

    picture: Path
    text: str
    certainty: float


class MeterReader:
    """Reads pictures on a device, with as many requests as the device likes best."""

    def __init__(self, device: str, cache: Path | None = None) -> None:
        properties = {} if cache is None else {"CACHE_DIR": str(cache)}
        model = files("lite_delegate.demo") / "digits.ms"
        self._compiled = Core().compile_model(str(model), device, properties)

    def read(self, pictures: Iterable[Path]) -> Iterator[Reading]:
        """The readings of pictures, in their order. Digits of the next pictures run while a reading is used."""
        wanted = list(pictures)
        digits = [digits_of(picture) for picture in wanted]
        with RequestQueue(self._compiled) as queue:
            results = queue.map([digit[None]] for each in digits for digit in each)
            for picture, each in zip(wanted, digits, strict=True):
                scores = np.stack([next(results)[0][0] for _ in each])
                text = "".join(str(digit) for digit in scores.argmax(axis=1))
                yield Reading(picture, text, float(scores.max(axis=1).min()))


def digits_of(picture: Path) -> np.ndarray[Any, Any]:
    """The digits ``(N, 8, 8, 1)`` of a picture, 0 (paper) to 1 (ink)."""
    gray = 1 - np.asarray(Image.open(picture).convert("L"), np.float32) / 255
    return np.stack(np.split(gray, gray.shape[1] // SIZE, axis=1))[..., None]
