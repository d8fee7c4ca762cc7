"""Rows times a matrix in blocks that stay in a core's second-level cache: each block becomes results at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from lite_delegate_kernels import Array

Finish: TypeAlias = Callable[[Array, Array], None]
"""Makes results ``(R, C)`` of sums ``(R, C)``, which it may write over. Results of the sums' dtype take their place:
both arrays are one.
"""
Sums: TypeAlias = Callable[[Array, np.dtype[Any], Finish], Array]
"""Makes results of a dtype of the sums of an array and a weight."""

BLOCK_BYTES = 1 << 17
"""The sums that are made at a time."""
FEWEST_ROWS = 256
"""The rows of a block, where there are so many: the math library lays the matrix out anew for each block."""
FINISH_SIZE = 1 << 16
"""The sums that become results at a time."""
SPREAD = 8192
"""The elements of a vector that is repeated: from this length of an inner loop on, numpy takes half as long."""


class MatrixProduct:
    """The product of rows ``(..., R, K)`` and a matrix ``(..., K, C)``.

    Args:
        matrix: of the dtype in which products are summed up.
        parts: ranges of terms whose sums are exact in that dtype; sums of several parts are added up in float64.
    """

    def __init__(self, matrix: Array, parts: Sequence[slice] = ()) -> None:
        self.matrix = matrix
        self._parts = parts if len(parts) > 1 else ()
        self.terms, self.channels = matrix.shape[-2:]
        self.dtype: np.dtype[Any] = np.dtype(np.float64) if self._parts else matrix.dtype

    def into(self, rows: Array, sums: Array) -> None:
        """Writes the product of ``rows`` into ``sums``, an array of ``dtype``."""
        if not self._parts:
            np.matmul(rows, self.matrix, out=sums)
            return
        sums[...] = 0
        for part in self._parts:
            np.add(sums, np.matmul(rows[..., part], self.matrix[..., part, :]), out=sums)


def multiply_rows(rows: Array, product: MatrixProduct, results: Array, finish: Finish) -> None:
    """Writes results ``(R, C)`` of rows ``(R, K)`` of any dtype."""
    step = block_rows(len(rows), product.channels)
    block = None if rows.dtype == product.matrix.dtype else np.empty((step, product.terms), product.matrix.dtype)
    for part, sums in blocks_of(results, step, product.dtype):
        given = rows[part]
        if block is not None:
            given = block[: len(given)]
            np.copyto(given, rows[part], casting="unsafe")
        product.into(given, sums)
        finish_rows(sums, results[part], finish)


def finish_rows(sums: Array, results: Array, finish: Finish) -> None:
    """Gives a finish a part of the rows at a time, so that what it writes in between stays in the cache."""
    channels = max(1, sums.shape[1])
    step = max(1, FINISH_SIZE // channels)
    step -= step % repeats(channels) if step > repeats(channels) else 0
    for first in range(0, len(sums), step):
        part = slice(first, first + step)
        finish(sums[part], results[part])


def block_rows(count: int, channels: int) -> int:
    """The rows of a block, of ``count`` rows of sums in all."""
    return max(1, min(count, max(FEWEST_ROWS, BLOCK_BYTES // (4 * max(1, channels)))))


def blocks_of(results: Array, step: int, dtype: np.dtype[Any]) -> Iterator[tuple[slice, Array]]:
    """Ranges of ``step`` rows of the results ``(R, ...)``, each with an array for its sums: the results themselves
    where they are of that dtype.
    """
    apart = None if results.dtype == dtype else np.empty((step, *results.shape[1:]), dtype)
    for first in range(0, len(results), step):
        part = slice(first, min(first + step, len(results)))
        yield part, results[part] if apart is None else apart[: part.stop - first]


def repeats(channels: int) -> int:
    """How often a row of so many channels is repeated."""
    return -(-SPREAD // max(1, channels))


class Row:
    """A vector for each row of a block, repeated so that numpy takes many rows at a time.

    Args:
        vector: ``(C,)``.
    """

    def __init__(self, vector: Array) -> None:
        self._count = repeats(len(vector))
        self._tile = np.tile(vector, self._count)

    def apply(self, function: np.ufunc, x: Array) -> None:
        """Writes ``function(x, vector)`` over ``x``, a contiguous array ``(R, C)``."""
        whole = len(x) - len(x) % self._count
        if whole:
            many = x[:whole].reshape(whole // self._count, -1)
            function(many, self._tile, out=many)
        if whole < len(x):
            rest = x[whole:].reshape(-1)
            function(rest, self._tile[: rest.size], out=rest)


@cache
def row_of(number: int, dtype: np.dtype[Any]) -> Row:
    """A number for each element of a block ``(R, 1)``: numpy takes twice as long against a single one."""
    return Row(np.full(1, number, dtype))
