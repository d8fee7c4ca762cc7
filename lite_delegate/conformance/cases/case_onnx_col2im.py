"""Conformance cases of ai.onnx.Col2Im, expected values by adding element after element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import store
from .samples import exact, ints, sample

OP = "ai.onnx.Col2Im"


def cases() -> Iterator[ConformanceCase]:
    """One to three spatial axes, windows that overlap or leave gaps, pads, dilations, channels, dtypes."""
    rng = np.random.default_rng(405)

    def case(
        name: str,
        image: tuple[int, ...],
        block: tuple[int, ...],
        dtype: str = "int32",
        constant: bool = True,
        **given: Any,
    ) -> ConformanceCase:
        count = int(np.prod(_counts(image, block, **given)))
        x = sample(rng, (2, 3 * int(np.prod(block)), count), dtype)
        operands = (x, ints(*image, dtype="int64"), ints(*block, dtype="int64"))
        outputs = (_loop(x, image, block, **given),)
        return exact(OP, name, operands, outputs, given, constants=(1, 2) if constant else ())

    yield case("line", (7,), (3,))
    yield case("image", (5, 5), (1, 5))
    yield case("overlap", (4, 5), (2, 3))
    yield case("strides", (6, 7), (2, 2), strides=[2, 3])
    yield case("pads", (4, 4), (3, 3), pads=[1, 0, 1, 2])
    yield case("dilations", (6, 6), (2, 2), dilations=[2, 3])
    yield case("volume", (3, 4, 2), (2, 2, 1))
    yield case("not_constant", (4, 4), (2, 2), constant=False)
    for dtype in ("int8", "uint8", "int64"):
        yield case(f"{dtype}_wraps", (4, 4), (2, 2), dtype)
    x = sample(rng, (1, 4, 9), "float32")
    operands = (x, ints(4, 4, dtype="int64"), ints(2, 2, dtype="int64"))
    yield ConformanceCase("float32", OP, operands, (_loop(x, (4, 4), (2, 2)),), {}, frozenset({1, 2}), 1e-6, 1e-6)


def _counts(
    image: tuple[int, ...], block: tuple[int, ...], *, pads: Any = None, strides: Any = None, dilations: Any = None
) -> list[int]:
    """The windows along each axis."""
    axes = len(image)
    ends, steps, gaps = pads or [0] * 2 * axes, strides or [1] * axes, dilations or [1] * axes
    return [(image[i] + ends[i] + ends[axes + i] - gaps[i] * (block[i] - 1) - 1) // steps[i] + 1 for i in range(axes)]


def _loop(
    x: Array,
    image: tuple[int, ...],
    block: tuple[int, ...],
    *,
    pads: Any = None,
    strides: Any = None,
    dilations: Any = None,
) -> Array:
    axes = len(image)
    ends, steps, gaps = pads or [0] * 2 * axes, strides or [1] * axes, dilations or [1] * axes
    counts = _counts(image, block, pads=pads, strides=strides, dilations=dilations)
    channels = x.shape[1] // int(np.prod(block))
    sums: dict[tuple[int, ...], Any] = dict.fromkeys(np.ndindex(x.shape[0], channels, *image), 0)
    for n, channel in np.ndindex(x.shape[0], channels):
        rows = enumerate(np.ndindex(*block), channel * int(np.prod(block)))
        for row, offset in rows:
            for column, window in enumerate(np.ndindex(*counts)):
                at = (n, channel, *(window[i] * steps[i] + offset[i] * gaps[i] - ends[i] for i in range(axes)))
                if at in sums:
                    sums[at] += x[n, row, column].item()
    y = np.empty((x.shape[0], channels, *image), x.dtype)
    for at, total in sums.items():
        y[at] = store(total, x.dtype)
    return y
