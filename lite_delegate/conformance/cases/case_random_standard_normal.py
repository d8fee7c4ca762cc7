"""Conformance cases of RandomStandardNormal: the numbers that Philox gives for the seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..judging.case import ConformanceCase
from .loops.philox import normals


def _case(
    name: str,
    shape: Sequence[int],
    seed: int,
    seed2: int,
    constants: frozenset[int] = frozenset({0}),
    dtype: str = "int32",
) -> ConformanceCase:
    count = int(np.prod(shape))
    expected = np.array(normals(count, seed, seed2), dtype=np.float32).reshape(tuple(shape))
    attributes = {"seed": seed, "seed2": seed2}
    inputs = (np.array(shape, dtype=dtype),)
    return ConformanceCase(
        name, "RandomStandardNormal", inputs, (expected,), attributes, constants, rtol=1e-5, atol=3e-6
    )


def cases() -> Iterator[ConformanceCase]:
    """Seeds small, large, equal and 0, shapes of rank 0 to 5, counts that fill no block, the shape not constant."""
    yield _case("seeds_1_and_2", (3, 4), 1, 2)
    yield _case("seeds_swapped", (3, 4), 2, 1)
    yield _case("only_the_first_seed", (8,), 87654321, 0)
    yield _case("only_the_second_seed", (8,), 0, 87654321)
    yield _case("no_seeds", (8,), 0, 0)
    yield _case("seeds_beyond_32_bits", (6,), 2**40 + 7, 2**35 + 9)
    for count in (1, 2, 3, 5, 17):
        yield _case(f"count_{count}", (count,), 5, 6)
    yield _case("rank_0", (), 3, 4)
    yield _case("rank_4", (2, 3, 1, 5), 3, 4)
    yield _case("rank_5", (1, 2, 1, 2, 3), 3, 4)
    yield _case("empty", (2, 0, 3), 3, 4)
    yield _case("shape_int64", (2, 5), 3, 4, dtype="int64")
    yield _case("shape_not_constant", (2, 5), 3, 4, frozenset())
    yield _case("many", (30, 40), 123, 456)
