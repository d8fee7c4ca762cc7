"""Conformance cases of DynamicQuant, channel by channel and element by element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.quantized import half_away


def _loop(x: Array, axes: Sequence[int], symmetric: bool) -> Array:
    named = {axis % x.ndim for axis in axes}
    channels: dict[tuple[int, ...], list[float]] = {}
    for index in np.ndindex(x.shape):
        channel = tuple(i for d, i in enumerate(index) if d in named)
        channels.setdefault(channel, []).append(float(x[index]))
    y = np.empty(x.shape, np.int8)
    for index in np.ndindex(x.shape):
        numbers = channels[tuple(i for d, i in enumerate(index) if d in named)]
        scale, zero_point = _parameters(min(numbers), max(numbers), symmetric)
        y[index] = min(max(half_away(float(x[index]) / scale + zero_point), -128), 127)
    return y


def _parameters(low: float, high: float, symmetric: bool) -> tuple[float, int]:
    if symmetric:
        return max(abs(low), abs(high)) / 127 or 0.01 / 255, 0
    scale = (high - low or 0.01) / 255
    return scale, half_away(-128 - low / scale)


def _case(name: str, x: Array, axes: Sequence[int] = (), **attributes: Any) -> ConformanceCase:
    y = _loop(x, axes, attributes.get("symmetric", False))
    return ConformanceCase(name, "DynamicQuant", (x,), (y,), attributes)


def cases() -> Iterator[ConformanceCase]:
    """Symmetric and not, numbers on one side of 0, one scale and one per channel, all numbers the same."""
    rng = np.random.default_rng(203)
    x = rng.normal(size=(3, 4, 5)).astype(np.float32)
    for symmetric in (False, True):
        kind = "symmetric" if symmetric else "asymmetric"
        yield _case(kind, x, symmetric=symmetric)
        yield _case(f"{kind}_float16", x.astype(np.float16), symmetric=symmetric)
        yield _case(f"{kind}_above_0", np.abs(x) + 3, symmetric=symmetric)
        yield _case(f"{kind}_below_0", -np.abs(x) - 1, symmetric=symmetric)
        yield _case(f"{kind}_zeros", np.zeros((2, 3), np.float32), symmetric=symmetric)
        yield _case(f"{kind}_all_the_same", np.full((2, 3), 0.001, np.float32), symmetric=symmetric)
        yield _case(f"{kind}_rank_0", np.array(0.25, np.float32), symmetric=symmetric)
        yield _case(f"{kind}_prefer_axes", x, (0, -1), symmetric=symmetric, prefer_axes=(0, -1))
        attributes = {"symmetric": symmetric, "activation_channel": True, "prefer_axis": -1}
        yield _case(f"{kind}_activation_channel", x, (-1,), **attributes)
    yield _case("prefer_axis_alone_has_no_effect", x, prefer_axis=1)
    yield _case("prefer_axes_come_first", x, (1,), activation_channel=True, prefer_axis=0, prefer_axes=(1,))
    yield _case("transpose_has_no_effect", x, transpose=True)
    yield _case("empty", np.zeros((0, 3), np.float32))
