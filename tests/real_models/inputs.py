"""Inputs of models: pictures that a package ships, and sounds, texts and features that are made here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .png import read_png

Array = np.ndarray[Any, Any]
PICTURES = "skimage/data/{}.png"


def made(recipe: Sequence[Any], shape: Sequence[int], pictures: Path) -> Array:
    """The array that a recipe of the list stands for: ``[function, arguments...]``.

    Args:
        recipe: of the list.
        shape: that the model wants; dimensions of -1 are what the recipe gives.
        pictures: the folder of the package with pictures.
    """
    name, *arguments = recipe
    if name == "picture":
        return picture(pictures, tuple(shape), *arguments)
    return MAKERS[name](tuple(shape), *arguments)


def picture(
    folder: Path,
    shape: tuple[int, ...],
    name: str,
    box: Sequence[int],
    low: float = 0.0,
    high: float = 1.0,
    mean: Sequence[float] = (0.0, 0.0, 0.0),
    deviation: Sequence[float] = (1.0, 1.0, 1.0),
) -> Array:
    """A part of a picture, in the size and the order of axes of the shape, float32.

    Args:
        folder: of the package.
        shape: (1, H, W, C) or (1, C, H, W) with 3 channels or 1.
        name: of the picture.
        box: top, left, height, width of the part.
        low, high: what 0 and 255 become, before ``mean`` is taken off and ``deviation`` divides.
        mean, deviation: by channel.
    """
    is_first = shape[1] in (1, 3)
    channels, (height, width) = (shape[1], shape[2:4]) if is_first else (shape[3], shape[1:3])
    pixels = scaled(_opened(folder / PICTURES.format(name)), box, height, width)
    numbers = (pixels / 255 * (high - low) + low - np.array(mean)) / np.array(deviation)
    numbers = numbers if channels == 3 else numbers.mean(axis=2, keepdims=True)
    return np.ascontiguousarray((numbers.transpose(2, 0, 1) if is_first else numbers)[None], np.float32)


def scaled(image: Array, box: Sequence[int], height: int, width: int) -> Array:
    """A part of an image in another size, rounded to whole numbers: each element between the four around its place."""
    top, left, tall, wide = box
    part = image[top : top + tall, left : left + wide].astype(np.float64)
    lines, columns = (
        np.clip((np.arange(count) + 0.5) * size / count - 0.5, 0, size - 1)
        for count, size in ((height, tall), (width, wide))
    )
    upper, before = np.floor(lines).astype(int), np.floor(columns).astype(int)
    lower, after = np.minimum(upper + 1, tall - 1), np.minimum(before + 1, wide - 1)
    down, across = (lines - upper)[:, None, None], (columns - before)[None, :, None]
    above = part[upper][:, before] * (1 - across) + part[upper][:, after] * across
    below = part[lower][:, before] * (1 - across) + part[lower][:, after] * across
    return np.asarray(np.round(above * (1 - down) + below * down))


@cache
def _opened(path: Path) -> Array:
    return read_png(path.read_bytes())


def tone(shape: tuple[int, ...], frequency: float, rate: float, loudness: float = 0.5) -> Array:
    """A note with four overtones, as long as the shape; made here."""
    time = np.arange(int(np.prod(shape))) / rate
    wave = np.sum([np.sin(2 * np.pi * frequency * n * time) / n for n in range(1, 6)], axis=0)
    return np.asarray((loudness * wave / 2).reshape(shape), np.float32)


def vowel(shape: tuple[int, ...], rate: float = 16000.0) -> Array:
    """The sound of a vowel: pulses of 120 Hz through three formants of an "a"; made here."""
    count = int(np.prod(shape))
    pulses = (np.arange(count) % int(rate / 120) == 0).astype(np.float64)
    for middle, band in ((730.0, 90.0), (1090.0, 110.0), (2440.0, 170.0)):
        decay, angle = np.exp(-np.pi * band / rate), 2 * np.pi * middle / rate
        heard = np.zeros(count)
        for i in range(count):
            heard[i] = pulses[i] + 2 * decay * np.cos(angle) * heard[i - 1] - decay**2 * heard[i - 2]
        pulses = heard
    return np.asarray((0.3 * pulses / np.abs(pulses).max()).reshape(shape), np.float32)


def text(shape: tuple[int, ...], content: str, padding: int = 256) -> Array:
    """The first and the last 1024 bytes of a text, filled up, as int32; the text is in the list."""
    data = content.encode()
    halves = [list(data[:1024]) + [padding] * max(0, 1024 - len(data)), [padding] * max(0, 1024 - len(data))]
    return np.array([halves[0] + halves[1] + list(data[-1024:])], np.int32).reshape(shape)


def noise(shape: tuple[int, ...], low: float = -1.0, high: float = 1.0, dtype: str = "float32", seed: int = 7) -> Array:
    """Evenly distributed numbers: stands for features of which no real ones are at hand; made here."""
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def fill(shape: tuple[int, ...], value: float, dtype: str = "float32") -> Array:
    """One number everywhere: states at their beginning, rates."""
    return np.full(shape, value, dtype)


MAKERS: dict[str, Callable[..., Array]] = {
    "tone": tone,
    "vowel": vowel,
    "text": text,
    "noise": noise,
    "fill": fill,
}
"""Recipes by name, beside ``picture``."""
