"""Conformance cases of EmbeddingLookupFusion, expected values by a direct loop over every id."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact, ints, sample


def _loop(tables: Sequence[Array], ids: Array, max_norm: float) -> Array:
    rows = [row for table in tables for row in table]
    out = np.empty(ids.shape + tables[0].shape[1:], dtype=tables[0].dtype)
    for place in np.ndindex(*ids.shape):
        row = rows[int(ids[place])]
        norm = math.sqrt(math.fsum(v * v for v in np.ravel(row).tolist())) if max_norm else 0.0
        factor = max_norm / norm if norm > max_norm else 1.0
        for inner in np.ndindex(*tables[0].shape[1:]):
            out[place + inner] = row[inner].item() * factor if factor != 1.0 else row[inner]
    return out


def cases() -> Iterator[ConformanceCase]:
    """One to three tables, ids of every rank, norms above and below, rows of every rank, empty arrays, dtypes."""
    rng = np.random.default_rng(54)
    for name, counts, row, id_shape in [
        ("one_table", (5,), (8,), (3,)),
        ("two_tables", (3, 4), (7,), (6,)),
        ("three_tables", (2, 1, 3), (3,), (4,)),
        ("ids_of_rank_0", (5,), (4,), ()),
        ("ids_of_rank_2", (6,), (16,), (2, 3)),
        ("ids_of_rank_3", (4, 2), (2,), (2, 1, 2)),
        ("rows_of_rank_0", (9,), (), (5,)),
        ("rows_of_rank_2", (4,), (2, 3), (3,)),
        ("rows_of_17", (4,), (17,), (2,)),
        ("one_row", (1,), (1,), (2,)),
        ("no_ids", (4,), (3,), (0,)),
        ("empty_rows", (4,), (0,), (2,)),
    ]:
        tables = [sample(rng, (count, *row)) for count in counts]
        ids = rng.integers(0, sum(counts), size=id_shape).astype(np.int32)
        constants = frozenset(range(len(tables)))
        plain = (_loop(tables, ids, 0.0),)
        yield exact("EmbeddingLookupFusion", name, (*tables, ids), plain, {"max_norm": 0.0}, constants)
        scaled = (_loop(tables, ids, 1.0),)
        attributes = {"max_norm": 1.0}
        case = f"{name}_norm_1"
        yield ConformanceCase(case, "EmbeddingLookupFusion", (*tables, ids), scaled, attributes, constants)
    table = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0], [-6.0, 8.0]], dtype=np.float32)
    for max_norm, rows in [
        (5.0, [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0], [-3.0, 4.0]]),
        (2.5, [[1.5, 2.0], [0.3, 0.4], [0.0, 0.0], [-1.5, 2.0]]),
        (100.0, table.tolist()),
    ]:
        expected = np.array(rows, dtype=np.float32)
        attributes = {"max_norm": max_norm}
        inputs = (table, ints(0, 1, 2, 3))
        name = f"norm_{max_norm:g}"
        yield ConformanceCase(name, "EmbeddingLookupFusion", inputs, (expected,), attributes, source="hand")
    wide = ints(2, 0, 2, dtype="int64")
    expected = table[[2, 0, 2]]
    yield exact("EmbeddingLookupFusion", "int64_ids", (table, wide), (expected,), constants={0}, source="hand")
    yield exact("EmbeddingLookupFusion", "everything_constant", (table, wide), (expected,), {}, {0, 1}, "hand")
    for dtype, rtol in [("float16", 1e-3), ("float64", 1e-12)]:
        table = sample(rng, (4, 3), dtype)
        attributes = {"max_norm": 0.5}
        expected = _loop([table], wide, 0.5)
        inputs = (table, wide)
        name = f"dtype_{dtype}_norm"
        yield ConformanceCase(name, "EmbeddingLookupFusion", inputs, (expected,), attributes, rtol=rtol)
    for dtype in ("int8", "int32", "int64", "uint8", "float16", "float64"):
        table = sample(rng, (4, 3), dtype)
        yield exact("EmbeddingLookupFusion", f"dtype_{dtype}", (table, wide), (_loop([table], wide, 0.0),))
