"""Conformance cases of ai.onnx.TfIdfVectorizer, expected values by looking at every place of every n-gram."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import ConformanceCase

OP = "ai.onnx.TfIdfVectorizer"
SINGLES, PAIRS = [2, 3, 5, 4], [(5, 6), (7, 8), (6, 7)]
POOL: dict[str, Any] = {
    "ngram_counts": [0, 4],
    "ngram_indexes": [0, 1, 2, 3, 4, 5, 6],
    "pool_int64s": [*SINGLES, *(n for pair in PAIRS for n in pair)],
}
LINE, LINES = [1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8], [[1, 1, 3, 3, 3, 7], [8, 6, 7, 5, 6, 8]]


def cases() -> Iterator[ConformanceCase]:
    """Every mode, single numbers and pairs, numbers left out between them, weights, columns in another order."""
    weights = [0.5, 1.5, 2.0, 3.0, 0.25, 4.0, 1.25]
    for mode in ("TF", "IDF", "TFIDF"):
        for most_skipped in (0, 2):
            for name, x in (("line", LINE), ("lines", LINES)):
                yield _case(f"{name}_{mode.lower()}_skip_{most_skipped}", x, mode, 1, 2, most_skipped, weights)
    yield _case("only_pairs", LINE, "TF", 2, 2, 0)
    yield _case("only_single_numbers", LINE, "TF", 1, 1, 3)
    yield _case("without_weights", LINES, "TFIDF", 1, 2, 1)
    yield _case("int32", LINE, "TF", 1, 2, 0, dtype="int32")
    yield _case("too_short", [[5]], "TF", 1, 2, 0)
    columns = [6, 5, 4, 3, 2, 1, 0]
    yield _case("columns_in_another_order", LINES, "IDF", 1, 2, 0, weights, columns=columns)


def _case(
    name: str,
    x: Any,
    mode: str,
    shortest: int,
    longest: int,
    most_skipped: int,
    weights: list[float] | None = None,
    columns: list[int] | None = None,
    dtype: str = "int64",
) -> ConformanceCase:
    array = np.array(x, dtype)
    given = {"mode": mode, "min_gram_length": shortest, "max_gram_length": longest, "max_skip_count": most_skipped}
    pool = {**POOL, "ngram_indexes": columns or POOL["ngram_indexes"]}
    rows = []
    for row in array.reshape(-1, array.shape[-1]).tolist():
        out = [0.0] * 7
        grams = [((n,), 1) for n in SINGLES] + [(pair, most_skipped + 1) for pair in PAIRS]
        for number, (gram, steps) in enumerate(grams):
            found = sum(_count(row, gram, step) for step in range(1, steps + 1))
            found = found if shortest <= len(gram) <= longest else 0
            weight = 1.0 if weights is None or mode == "TF" else weights[number]
            out[pool["ngram_indexes"][number]] = weight * (min(found, 1) if mode == "IDF" else found)
        rows.append(out)
    y = np.array(rows if array.ndim == 2 else rows[0], np.float32)
    attributes = {**given, **pool, **({} if weights is None else {"weights": weights})}
    return ConformanceCase(name, OP, (array,), (y,), attributes, rtol=1e-6, atol=0)


def _count(row: list[int], gram: tuple[int, ...], step: int) -> int:
    """The number of places where a row has the numbers of a gram, ``step`` apart."""
    reach = (len(gram) - 1) * step
    return sum(all(row[i + j * step] == n for j, n in enumerate(gram)) for i in range(len(row) - reach))
