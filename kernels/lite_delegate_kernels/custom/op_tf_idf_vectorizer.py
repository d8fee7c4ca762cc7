"""TfIdfVectorizer: how often each of a pool of n-grams is in a row of integers, weighted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._dtypes import check_dtype
from .._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import check_rank

_MODES = ("TF", "IDF", "TFIDF")


def tf_idf_vectorizer(
    x: Array,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int] = (),
    weights: Sequence[float] | None = None,
) -> Array:
    """The counts (TF), the weights of those that are there (IDF), or their products, of each n-gram of the pool.

    Args:
        x: (length,) or (N, length), int32 or int64.
        max_skip_count: numbers between two neighbors of an n-gram that may be left out, at most.
        min_gram_length, max_gram_length: of the n-grams that are looked for.
        ngram_counts: where those of each length begin in ``pool_int64s``.
        ngram_indexes: the column of each n-gram of the pool.
        weights: of each n-gram; ones where absent.

    Returns:
        float32 (columns,) or (N, columns).
    """
    pool = _pool(pool_int64s, ngram_counts)
    factors = [1.0] * len(pool) if weights is None else list(weights)
    rows = x.reshape(1, -1) if x.ndim < 2 else x
    y = np.zeros((len(rows), max(ngram_indexes, default=-1) + 1), np.float32)
    numbers = {gram: i for i, gram in enumerate(pool) if min_gram_length <= len(gram) <= max_gram_length}
    for row, out in zip(rows.tolist(), y, strict=True):
        for number in _found(row, numbers, min_gram_length, max_gram_length, max_skip_count):
            column = ngram_indexes[number]
            step = 1.0 if mode == "TF" else factors[number]
            out[column] = step if mode == "IDF" else out[column] + step
    return y if x.ndim == 2 else y[0]


def infer_tf_idf_vectorizer(
    x: ArraySpec,
    *,
    mode: str,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int],
    weights: Sequence[float] | None,
) -> ArraySpec:
    """(columns,) or (N, columns); raises KernelInputError for a pool that is not whole."""
    check_dtype(x, ("int32", "int64"))
    check_rank(x, 0, 2)
    count = len(_pool(pool_int64s, ngram_counts))
    if mode not in _MODES or count != len(ngram_indexes) or len(weights or ngram_indexes) != count:
        raise KernelInputError(f"mode {mode}, {count} n-grams, {len(ngram_indexes)} indexes do not fit")
    if min(ngram_indexes, default=0) < 0:
        raise KernelInputError("ngram_indexes must be >= 0")
    if x.shape is None:
        return ArraySpec(np.dtype(np.float32), None)
    columns = max(ngram_indexes, default=-1) + 1
    return ArraySpec(np.dtype(np.float32), (x.shape[0], columns) if len(x.shape) == 2 else (columns,))


def _pool(numbers: Sequence[int], starts: Sequence[int]) -> list[tuple[int, ...]]:
    """The n-grams in the pool's order: single ones first, then pairs, and so on."""
    ends = [*starts[1:], len(numbers)]
    grams: list[tuple[int, ...]] = []
    for length, (start, end) in enumerate(zip(starts, ends, strict=True), 1):
        if start > end or (end - start) % length:
            raise KernelInputError(f"ngram_counts {list(starts)} do not fit a pool of {len(numbers)} numbers")
        grams += [tuple(numbers[i : i + length]) for i in range(start, end, length)]
    return grams


def _found(
    row: Sequence[int], numbers: dict[tuple[int, ...], int], shortest: int, longest: int, most_skipped: int
) -> list[int]:
    """Each n-gram of the pool as often as the row has it; a single number counts once, whatever may be skipped."""
    found = []
    for length in range(shortest, longest + 1):
        for step in range(1, most_skipped + 2 if length > 1 else 2):
            for start in range(len(row) - (length - 1) * step):
                gram = tuple(row[start : start + (length - 1) * step + 1 : step])
                found += [numbers[gram]] if gram in numbers else []
    return found


KERNEL = ReferenceKernel("ai.onnx.TfIdfVectorizer", tf_idf_vectorizer, infer_tf_idf_vectorizer, ("int32", "int64"))
