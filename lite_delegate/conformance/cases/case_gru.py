"""Conformance cases of GRU, one gate of one sequence at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.recurrent import Floats, dot, sigmoid


def _step(x: Floats, h: Floats, w: Array, r: Array, b: Array) -> Floats:
    """``w`` and ``r`` hold the rows of z, r and the candidate in this order, ``b`` the same twice."""
    size = len(h)

    def total(row: int, state: Floats) -> float:
        return dot(w[row], x) + float(b[row]) + dot(r[row], state) + float(b[3 * size + row])

    update = [sigmoid(total(k, h)) for k in range(size)]
    reset = [sigmoid(total(size + k, h)) for k in range(size)]
    held = [reset[k] * h[k] for k in range(size)]
    candidate = [math.tanh(total(2 * size + k, held)) for k in range(size)]
    return [update[k] * h[k] + (1 - update[k]) * candidate[k] for k in range(size)]


def _loop(x: Array, w: Array, r: Array, b: Array, h0: Array, lengths: Sequence[int]) -> tuple[Array, Array]:
    y = np.zeros((x.shape[0], *h0.shape))
    last = h0.astype(np.float64)
    for d, n in np.ndindex(*h0.shape[:2]):
        h = [float(v) for v in h0[d, n]]
        for step in range(lengths[n]):
            t = step if d == 0 else lengths[n] - 1 - step
            h = _step([float(v) for v in x[t, n]], h, w[d], r[d], b[d])
            y[t, d, n] = h
        last[d, n] = h
    return y, last


def _case(
    name: str,
    rng: np.random.Generator,
    sizes: tuple[int, int, int, int],
    *,
    directions: int = 1,
    lengths: Sequence[int] | None = None,
    length_dtype: str = "int32",
    dtype: str = "float32",
    outputs: int = 2,
    x: Array | None = None,
) -> ConformanceCase:
    """``sizes`` are T, B, I and H."""
    steps, batch, features, hidden = sizes
    shapes = [(directions, 3 * hidden, features), (directions, 3 * hidden, hidden), (directions, 6 * hidden)]
    w, r, b = ((rng.normal(size=shape) * 0.6).astype(dtype) for shape in shapes)
    h0 = rng.normal(size=(directions, batch, hidden)).astype(dtype)
    given = rng.normal(size=(steps, batch, features)).astype(dtype) if x is None else x
    expected = _loop(given, w, r, b, h0, [steps] * batch if lengths is None else lengths)
    inputs = (given, w, r, b, h0) if lengths is None else (given, w, r, b, h0, np.array(lengths, dtype=length_dtype))
    tolerance = {"float16": 2e-3, "float64": 1e-12}.get(dtype, 1e-5)
    attributes = {"bidirectional": directions == 2}
    results = tuple(y.astype(dtype) for y in expected[:outputs])
    return ConformanceCase(name, "GRU", inputs, results, attributes, frozenset({1, 2, 3}), tolerance, tolerance)


def cases() -> Iterator[ConformanceCase]:
    """Both directions, sequence lengths equal, different, zero and full, dtypes, sequences of 0 and 1 step."""
    rng = np.random.default_rng(172)
    yield _case("plain", rng, (3, 2, 4, 3))
    yield _case("bidirectional", rng, (4, 2, 3, 2), directions=2)
    yield _case("one_step_one_sequence", rng, (1, 1, 1, 1))
    yield _case("channels_17_hidden_8", rng, (2, 3, 17, 8))
    yield _case("hidden_16", rng, (2, 1, 7, 16))
    yield _case("lengths_equal", rng, (4, 2, 3, 2), lengths=[2, 2])
    yield _case("lengths_different", rng, (4, 3, 3, 2), lengths=[1, 4, 2])
    yield _case("lengths_different_bidirectional", rng, (4, 3, 3, 2), lengths=[3, 1, 4], directions=2)
    yield _case("lengths_full", rng, (3, 2, 3, 2), lengths=[3, 3])
    yield _case("lengths_zero_bidirectional", rng, (3, 2, 3, 2), lengths=[0, 2], directions=2)
    yield _case("lengths_int64", rng, (3, 2, 3, 2), lengths=[1, 2], length_dtype="int64")
    yield _case("only_y", rng, (3, 2, 3, 2), outputs=1)
    yield _case("float16", rng, (3, 2, 4, 3), dtype="float16")
    yield _case("float64_bidirectional", rng, (3, 2, 4, 3), dtype="float64", directions=2)
    yield _case("no_steps", rng, (0, 2, 3, 2), directions=2)
    yield _case("empty_batch", rng, (3, 0, 3, 2))
    large = (rng.normal(size=(3, 2, 3)) * 1e4).astype(np.float32)
    yield _case("saturated_gates", rng, (3, 2, 3, 2), x=large)
    holed = rng.normal(size=(4, 2, 3)).astype(np.float32)
    holed[2, 0, 1] = np.nan
    yield _case("nan_in_one_sequence", rng, (4, 2, 3, 2), x=holed)
    yield _case("nan_past_the_end", rng, (4, 2, 3, 2), x=holed, lengths=[2, 3], directions=2)
