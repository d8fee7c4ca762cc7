"""Conformance cases of QuantDTypeCast, one element at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from lite_delegate_kernels import NodeQuantization, Quantization

from ..judging.case import Array, ConformanceCase
from .loops.quantized import Params, half_away, quantization

IDS = {"float32": 43, "float16": 42, "int8": 32, "uint8": 37, "int16": 33, "int32": 34}
LIMITS = {"int8": (-128, 127), "uint8": (0, 255)}


def _quantized(x: Array, dtype: str, params: list[Params], axis: int) -> Array:
    low, high = LIMITS[dtype]
    y = np.empty(x.shape, dtype)
    for index in np.ndindex(x.shape):
        scale, zero_point = params[index[axis] if len(params) > 1 else 0]
        value = float(x[index])
        if math.isinf(value):
            y[index] = high if value > 0 or dtype == "uint8" else low
        elif math.isnan(value):
            y[index] = zero_point
        else:
            y[index] = min(max(half_away(value / scale + zero_point), low), high)
    return y


def _real(q: Array, dtype: str, params: list[Params], axis: int) -> Array:
    y = np.empty(q.shape, dtype)
    for index in np.ndindex(q.shape):
        scale, zero_point = params[index[axis] if len(params) > 1 else 0]
        y[index] = (int(q[index]) - zero_point) * scale
    return y


def _case(
    name: str, x: Array, y: Array, params: tuple[Quantization | None, Quantization | None], axis: int = 0
) -> ConformanceCase:
    attributes = {"src_t": IDS[x.dtype.name], "dst_t": IDS[y.dtype.name], "axis": axis}
    known = NodeQuantization(params[:1], params[1:])
    rtol = 1e-6 if y.dtype.kind == "f" else 0
    return ConformanceCase(name, "QuantDTypeCast", (x,), (y,), attributes, rtol=rtol, atol=0, quantization=known)


def _to_integers(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    for dtype, zero_point in [("int8", -7), ("uint8", 100)]:
        params = [(0.05, zero_point)]
        for source in ("float32", "float16"):
            x = (rng.normal(size=(3, 5, 2)) * 5).astype(source)
            y = _quantized(x, dtype, params, 0)
            yield _case(f"{source}_to_{dtype}", x, y, (None, quantization(*params)))
        halves = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127.4, 300, -128.5, -300], np.float32)
        y = _quantized(halves, dtype, [(1.0, 0)], 0)
        yield _case(f"halves_and_limits_{dtype}", halves, y, (None, quantization((1.0, 0))))
        special = np.array([np.inf, -np.inf, np.nan, 3e38, -3e38, 0.0, -0.0], np.float32)
        y = _quantized(special, dtype, params, 0)
        yield _case(f"special_values_{dtype}", special, y, (None, quantization(*params)))
    x = (rng.normal(size=(2, 3, 4)) * 5).astype(np.float32)
    for axis in (0, 1, 2, -1, -3):
        channels = [(0.01 * (c + 3), 5 * c - 4) for c in range(x.shape[axis])]
        y = _quantized(x, "int8", channels, axis)
        yield _case(f"per_channel_axis_{axis}", x, y, (None, quantization(*channels)), axis)
    both = quantization((0.1, 3)), quantization((0.05, -3))
    yield _case("output_parameters_count_first", x, _quantized(x, "int8", [(0.05, -3)], 0), both)
    yield _case("input_parameters_otherwise", x, _quantized(x, "int8", [(0.1, 3)], 0), (both[0], None))


def _to_reals(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    for source in ("int8", "uint8", "int16", "int32"):
        limits = np.iinfo(source)
        low, high = max(limits.min, -(2**20)), min(limits.max, 2**20)
        q = rng.integers(low, high, (3, 7), endpoint=True).astype(source)
        for target in ("float32", "float16") if source in LIMITS else ("float32",):
            y = _real(q, target, [(0.03125, 17)], 0)
            yield _case(f"{source}_to_{target}", q, y, (quantization((0.03125, 17)), None))
    q = rng.integers(-128, 128, (4, 3)).astype(np.int8)
    channels = [(0.1, 1), (0.2, -1), (0.4, 0)]
    y = _real(q, "float32", channels, 1)
    yield _case("per_channel_to_float32", q, y, (quantization(*channels), None), 1)
    y = _real(q, "float32", [(0.5, 2)], 0)
    yield _case("output_parameters_to_float32", q, y, (quantization((0.1, 3)), quantization((0.5, 2))))


def cases() -> Iterator[ConformanceCase]:
    """Every direction, halves, limits, infinities, NaN, channels along each axis, whose parameters count."""
    rng = np.random.default_rng(113)
    yield from _to_integers(rng)
    yield from _to_reals(rng)
    every = np.arange(256, dtype=np.uint8)
    signed = np.array([int(v) - 128 for v in every], np.int8)
    for name, x, y in [("uint8_to_int8", every, signed), ("int8_to_uint8", signed, every)]:
        yield _case(name, x, y, (None, None))
    for shape in [(), (0, 3)]:
        x = np.full(shape, 2.0, np.float32)
        yield _case(f"rank_{len(shape)}", x, _quantized(x, "int8", [(0.5, 1)], 0), (None, quantization((0.5, 1))))
    same = np.array([1, -2], np.int8)
    yield _case("int8_to_int8", same, same, (None, None))
