"""Conformance cases of Select, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import FLOATS
from .loops.scalars import INTEGERS


def _chosen(condition: Array, x: Array, y: Array) -> Array:
    if condition.size == 1:
        return x.copy() if condition.reshape(-1)[0] else y.copy()
    out = np.empty(x.shape, dtype=x.dtype)
    for place, index in enumerate(np.ndindex(*x.shape)):
        out[index] = x[index] if condition.reshape(-1)[place] else y[index]
    return out


def _case(name: str, condition: Array, *sides: Array, constants: frozenset[int] = frozenset()) -> ConformanceCase:
    n = len(sides) // 2
    outputs = tuple(_chosen(condition, sides[i], sides[n + i]) for i in range(n))
    return ConformanceCase(name, "Select", (condition, *sides), outputs, constants=constants)


def _floats(rng: np.random.Generator, *shape: int) -> Array:
    return np.asarray(rng.normal(size=shape)).astype(np.float32)


def cases() -> Iterator[ConformanceCase]:
    """One element that picks, one per element; one to three pairs of several shapes and dtypes; ranks, constants."""
    rng = np.random.default_rng(170)
    for flag in (True, False):
        for name, shape in (("scalar", ()), ("rank_1", (1,)), ("rank_2", (1, 1))):
            x, y = _floats(rng, 2, 3), _floats(rng, 2, 3)
            yield _case(f"{name}_{flag}_picks", np.full(shape, flag), x, y)
        x, y, m, n = _floats(rng, 2, 3), _floats(rng, 2, 3), np.array([1, 2]), np.array([3, 4])
        yield _case(f"two_pairs_{flag}", np.array(flag), x, m, y, n)
        yield _case(f"three_pairs_{flag}", np.array([flag]), x, m, np.array(True), y, n, np.array(False))
        yield _case(f"sizes_differ_{flag}", np.array(flag), _floats(rng, 2, 3), _floats(rng, 4, 3))
        yield _case(f"constant_{flag}", np.array(flag), _floats(rng, 5), _floats(rng, 5), constants=frozenset({0}))
        yield _case(f"empty_sides_{flag}", np.array(flag), _floats(rng, 0, 3), _floats(rng, 0, 3))
    for name, dims in [
        ("rank_1", (7,)),
        ("rank_2", (3, 5)),
        ("rank_4", (2, 3, 2, 8)),
        ("rank_5", (1, 2, 1, 3, 2)),
        ("empty", (2, 0)),
    ]:
        condition = np.asarray(rng.uniform(size=dims) < 0.5)
        yield _case(f"elements_{name}", condition, _floats(rng, *dims), _floats(rng, *dims))
    flat = np.array([True, False, False, True, False, True])
    yield _case("condition_in_another_shape", flat, _floats(rng, 2, 3), _floats(rng, 2, 3))
    condition = flat.reshape(2, 3)
    pairs = [_floats(rng, 2, 3) for _ in range(4)]
    yield _case("elements_of_two_pairs", condition, *pairs)
    yield _case("elements_constant", condition, *pairs, constants=frozenset({0, 1, 2, 3, 4}))
    for dtype in ("bool", *FLOATS, *INTEGERS):
        pair = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 2, 3)).astype(dtype)
        yield _case(f"sides_of_{dtype}", condition, pair[0], pair[1])
    special = np.array([[np.nan, np.inf, -np.inf]] * 2, dtype=np.float32)
    yield _case("what_is_not_chosen_leaves_no_trace", condition, special, np.zeros((2, 3), dtype=np.float32))
