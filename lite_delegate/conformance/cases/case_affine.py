"""Conformance cases of Affine, one output value at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "NO_ACTIVATION": lambda v: v,
    "RELU": lambda v: max(v, 0.0),
    "RELU6": lambda v: min(max(v, 0.0), 6.0),
    "SIGMOID": lambda v: 1 / (1 + math.exp(-v)),
    "TANH": math.tanh,
    "SWISH": lambda v: v / (1 + math.exp(-v)),
    "HSWISH": lambda v: v * min(max(v + 3, 0.0), 6.0) / 6,
    "HSIGMOID": lambda v: min(max(v + 3, 0.0), 6.0) / 6,
    "SOFTPLUS": lambda v: math.log1p(math.exp(v)),
}


def _spliced(x: Array, context: Sequence[int]) -> Array:
    """Frame after frame, the frames that each joins side by side."""
    frames = x.shape[1] - (max(context) - min(context))
    rows = np.empty((x.shape[0], frames, len(context) * x.shape[2]))
    for n, t in np.ndindex(x.shape[0], frames):
        joined: list[float] = []
        for offset in context:
            joined += [float(v) for v in x[n, t - min(context) + offset]]
        rows[n, t] = joined
    return rows


def _loop(x: Array, weight: Array, bias: Array | None, attributes: dict[str, Any]) -> Array:
    rows = _spliced(x, attributes["context"])
    if attributes.get("transpose_a", False):
        rows = rows.transpose(0, 2, 1)
    columns = weight if attributes.get("transpose_b", False) else weight.T
    y = np.empty((*rows.shape[:2], len(columns)), dtype=x.dtype)
    for n, t, m in np.ndindex(*y.shape):
        total = math.fsum(float(a) * float(b) for a, b in zip(rows[n, t], columns[m], strict=True))
        total += 0.0 if bias is None else float(bias[m])
        y[n, t, m] = _FUNCTIONS[attributes.get("activation_type", "NO_ACTIVATION")](total)
    return y


def _case(
    name: str,
    rng: np.random.Generator,
    sizes: tuple[int, int, int, int],
    context: Sequence[int],
    *,
    dtype: str = "float32",
    biased: bool = True,
    **more: Any,
) -> ConformanceCase:
    """``sizes`` are N, T, D and M."""
    batch, steps, features, outputs = sizes
    width = len(context) * features
    inner = steps - (max(context) - min(context)) if more.get("transpose_a", False) else width
    shape = (outputs, inner) if more.get("transpose_b", False) else (inner, outputs)
    x, weight = rng.normal(size=(batch, steps, features)).astype(dtype), rng.normal(size=shape).astype(dtype)
    bias = rng.normal(size=outputs).astype(dtype) if biased else None
    attributes: dict[str, Any] = {"context": context, "output_dim": width, **more}
    inputs = (x, weight) if bias is None else (x, weight, bias)
    expected = (_loop(x, weight, bias, attributes),)
    tolerance = {"float16": 4e-3, "float64": 1e-12}.get(dtype, 2e-5)
    return ConformanceCase(
        name, "Affine", inputs, expected, attributes, frozenset({1, 2}), rtol=tolerance, atol=tolerance
    )


def cases() -> Iterator[ConformanceCase]:
    """Contexts of one and several frames, transposes, every activation, float types, with and without bias."""
    rng = np.random.default_rng(200)
    yield _case("three_frames", rng, (1, 7, 4, 5), (-1, 0, 1))
    yield _case("one_frame", rng, (1, 5, 3, 4), (0,))
    yield _case("frames_apart", rng, (1, 9, 3, 4), (-3, 0, 3))
    yield _case("only_past_frames", rng, (1, 6, 3, 4), (-2, -1))
    yield _case("only_later_frames", rng, (1, 6, 3, 4), (1, 3))
    yield _case("offsets_in_any_order", rng, (1, 6, 3, 4), (1, -1, 0))
    yield _case("an_offset_twice", rng, (1, 4, 3, 2), (0, 0))
    yield _case("no_bias", rng, (1, 6, 4, 5), (-1, 0, 1), biased=False)
    yield _case("batch_3", rng, (3, 5, 2, 4), (-1, 1))
    yield _case("as_many_frames_as_the_context_needs", rng, (1, 3, 2, 4), (-1, 0, 1))
    yield _case("features_17_outputs_16", rng, (1, 4, 17, 16), (0, 1))
    yield _case("one_output", rng, (1, 4, 8, 1), (0, 1))
    yield _case("transpose_b", rng, (1, 6, 4, 5), (-1, 0, 1), transpose_b=True)
    yield _case("transpose_a", rng, (1, 6, 4, 5), (-1, 0, 1), transpose_a=True)
    yield _case("both_transposed", rng, (2, 6, 3, 5), (-1, 0, 1), transpose_a=True, transpose_b=True)
    for name in _FUNCTIONS:
        yield _case(f"activation_{name.lower()}", rng, (1, 5, 3, 6), (-1, 0), activation_type=name)
    yield _case("float16", rng, (1, 5, 3, 4), (-1, 0), dtype="float16", activation_type="TANH")
    yield _case("float64", rng, (1, 5, 3, 4), (-1, 0), dtype="float64", activation_type="SIGMOID")
    yield _case("empty_batch", rng, (0, 5, 3, 4), (-1, 0))
