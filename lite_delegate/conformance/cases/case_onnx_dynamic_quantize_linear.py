"""Conformance cases of ai.onnx.DynamicQuantizeLinear, one number after another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.DynamicQuantizeLinear"


def _case(name: str, x: Array) -> ConformanceCase:
    values = [float(v) for v in x.reshape(-1)]
    low, high = min(0.0, *values), max(0.0, *values)
    scale = np.float32((high - low) / 255) if high > low else np.float32(1)
    zero = min(max(round(-low / float(scale)), 0), 255)
    y = [min(max(round(v / float(scale)) + zero, 0), 255) for v in values]
    outputs = np.array(y, np.uint8).reshape(x.shape), np.array(scale, np.float32), np.array(zero, np.uint8)
    return ConformanceCase(name, OP, (x,), outputs, {}, frozenset(), 1e-6, 0)


def cases() -> Iterator[ConformanceCase]:
    """Ranges on both sides of 0 and on one, halves, shapes of any rank, nothing but zeros."""
    rng = np.random.default_rng(415)
    yield _case("both_signs", rng.normal(size=(3, 4)).astype(np.float32))
    yield _case("positive", rng.uniform(1, 3, (2, 3, 4)).astype(np.float32))
    yield _case("negative", rng.uniform(-3, -1, (5,)).astype(np.float32))
    yield _case("halves_go_to_even", np.array([0, 0.5, 1.5, 2.5, 3.5, 255], np.float32))
    yield _case("zero_point_between", np.array([-127.5, 0, 1, 127.5], np.float32))
    yield _case("large", (rng.normal(size=(4, 5)) * 1e6).astype(np.float32))
    yield _case("small", (rng.normal(size=(4, 5)) * 1e-6).astype(np.float32))
    yield _case("one_number", np.array([2.5], np.float32))
    yield _case("zeros", np.zeros((2, 3), np.float32))
    yield _case("many", rng.normal(size=(7, 33, 5)).astype(np.float32))
