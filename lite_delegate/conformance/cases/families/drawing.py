"""Cases of operators that draw numbers by two seeds: seeds, shapes, counts that fill no block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...judging.case import ConformanceCase

Draw = Callable[[int, int, int], Sequence[float]]
"""The numbers for a count and two seeds."""


def drawn_cases(op_type: str, draw: Draw, *, rtol: float, atol: float) -> Iterator[ConformanceCase]:
    """Seeds small, large, equal and 0, shapes of rank 0 to 5, counts that fill no block, the shape not constant."""

    def case(
        name: str,
        shape: Sequence[int],
        seed: int,
        seed2: int,
        constants: frozenset[int] = frozenset({0}),
        dtype: str = "int32",
    ) -> ConformanceCase:
        expected = np.array(draw(int(np.prod(shape)), seed, seed2), dtype=np.float32).reshape(tuple(shape))
        inputs, attributes = (np.array(shape, dtype=dtype),), {"seed": seed, "seed2": seed2}
        return ConformanceCase(name, op_type, inputs, (expected,), attributes, constants, rtol, atol)

    yield case("seeds_1_and_2", (3, 4), 1, 2)
    yield case("seeds_swapped", (3, 4), 2, 1)
    yield case("only_the_first_seed", (8,), 87654321, 0)
    yield case("only_the_second_seed", (8,), 0, 87654321)
    yield case("no_seeds", (8,), 0, 0)
    yield case("seeds_beyond_32_bits", (6,), 2**40 + 7, 2**35 + 9)
    for count in (1, 2, 3, 5, 17):
        yield case(f"count_{count}", (count,), 5, 6)
    yield case("rank_0", (), 3, 4)
    yield case("rank_4", (2, 3, 1, 5), 3, 4)
    yield case("rank_5", (1, 2, 1, 2, 3), 3, 4)
    yield case("empty", (2, 0, 3), 3, 4)
    yield case("shape_int64", (2, 5), 3, 4, dtype="int64")
    yield case("shape_not_constant", (2, 5), 3, 4, frozenset())
    yield case("many", (30, 40), 123, 456)
