"""Conformance cases of ai.onnx.MatMulInteger, one product after another in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.MatMulInteger"


def _case(
    name: str,
    a: Array,
    b: Array,
    points: tuple[Array | None, Array | None] = (None, None),
    constants: frozenset[int] = frozenset({1, 2, 3}),
) -> ConformanceCase:
    left = a.reshape((1, *a.shape)) if a.ndim == 1 else a
    right = b.reshape((*b.shape, 1)) if b.ndim == 1 else b
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left, right = (np.broadcast_to(x, (*stack, *x.shape[-2:])) for x in (left, right))
    y = np.zeros((*stack, left.shape[-2], right.shape[-1]), np.int32)
    for *at, row, column in np.ndindex(*y.shape):
        total = 0
        for k in range(left.shape[-1]):
            of_a, of_b = (_point(p, place) for p, place in zip(points, (row, column), strict=True))
            total += (int(left[(*at, row, k)]) - of_a) * (int(right[(*at, k, column)]) - of_b)
        y[(*at, row, column)] = total
    shape = (*stack, *(left.shape[-2:-1] if a.ndim > 1 else ()), *(right.shape[-1:] if b.ndim > 1 else ()))
    inputs = [a, b, *points]
    while inputs[-1] is None:
        inputs.pop()
    given = frozenset(place for place in constants if place < len(inputs) and inputs[place] is not None)
    return ConformanceCase(name, OP, tuple(inputs), (y.reshape(shape),), {}, given, 0, 0)


def _point(points: Array | None, place: int) -> int:
    if points is None:
        return 0
    return int(points.reshape(-1)[place if points.size > 1 else 0])


def cases() -> Iterator[ConformanceCase]:
    """Both types on both sides, zero points of all kinds, stacks, vectors, sums beyond 24 bits."""
    rng = np.random.default_rng(414)

    def numbers(dtype: str, *shape: int) -> Array:
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)

    for left in ("uint8", "int8"):
        for right in ("uint8", "int8"):
            a, b = numbers(left, 3, 5), numbers(right, 5, 4)
            yield _case(f"{left}_{right}", a, b)
            points = (np.array(7, left), np.array(100, right))
            yield _case(f"{left}_{right}_points", a, b, points)
    a, b = numbers("uint8", 2, 3, 5), numbers("int8", 5, 4)
    one, columns = np.array([117], np.uint8), np.array([3, -5, 100, 0], np.int8)
    yield _case("stack", a, b, (one, columns))
    yield _case("stack_of_both", a, numbers("int8", 2, 5, 4), (one, None))
    yield _case("only_the_second_point", a, b, (None, columns))
    yield _case("rows", numbers("uint8", 3, 5), b, (np.array([1, 2, 200], np.uint8), columns))
    yield _case("vectors", numbers("uint8", 5), numbers("int8", 5), (one, None))
    yield _case("vector_and_matrix", numbers("uint8", 5), b, (one, None))
    yield _case("points_given", a, b, (one, np.array(3, np.int8)), frozenset({1}))
    yield _case("everything_given", a, b, (one, np.array(3, np.int8)), frozenset())
    extreme = np.where(rng.random((2, 600)) < 0.9, 255, 0).astype(np.uint8)
    weight = np.where(rng.random((600, 3)) < 0.9, 127, -128).astype(np.int8)
    yield _case("sums_beyond_24_bits", extreme, weight)
    yield _case("sums_beyond_24_bits_points", extreme, weight, (np.array(3, np.uint8), np.array(-128, np.int8)))
    yield _case("no_terms", numbers("uint8", 2, 0), numbers("int8", 0, 3))
