"""Conformance cases of ai.onnx.Einsum, expected values by going through all values of all labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import store
from .samples import sample

OP = "ai.onnx.Einsum"
ROWS: list[tuple[str, str, str, list[tuple[int, ...]]]] = [
    ("transpose", "ij->ji", "ij->ji", [(3, 4)]),
    ("sum", "ij->i", "ij->i", [(3, 4)]),
    ("sum_of_all", "ij->", "ij->", [(3, 4)]),
    ("diagonal", "ii->i", "ii->i", [(4, 4)]),
    ("trace", "ii", "ii->", [(4, 4)]),
    ("inner", "i,i", "i,i->", [(5,), (5,)]),
    ("outer", "i,j->ij", "i,j->ij", [(3,), (4,)]),
    ("product", "ij, jk -> ik", "ij,jk->ik", [(2, 3), (3, 4)]),
    ("product_without_arrow", "ij,jk", "ij,jk->ik", [(2, 3), (3, 4)]),
    ("batches", "bij,bjk->bik", "bij,bjk->bik", [(2, 3, 2), (2, 2, 4)]),
    ("dots", "...ij,...jk->...ik", "bij,bjk->bik", [(2, 3, 2), (2, 2, 4)]),
    ("dots_in_the_middle", "i...j->j...", "iaj->ja", [(3, 2, 4)]),
    ("three_operands", "ij,jk,kl->il", "ij,jk,kl->il", [(2, 3), (3, 2), (2, 3)]),
    ("attention", "bhqd,bhkd->bhqk", "bhqd,bhkd->bhqk", [(1, 2, 3, 4), (1, 2, 3, 4)]),
]
"""Name, equation, the same with all labels and an arrow, shapes."""


def cases() -> Iterator[ConformanceCase]:
    """Equations of one to three operands, with and without an arrow, dots, integers that wrap, a constant."""
    rng = np.random.default_rng(410)
    for name, equation, full, shapes in ROWS:
        yield _case(name, equation, full, [sample(rng, shape) for shape in shapes])
    for dtype in ("int8", "int32", "int64", "uint8", "float64"):
        yield _case(dtype, "ij,jk->ik", "ij,jk->ik", [sample(rng, (2, 3), dtype), sample(rng, (3, 2), dtype)])
    pair = [sample(rng, (2, 3)), sample(rng, (3, 2))]
    yield _case("constant", "ij,jk->ik", "ij,jk->ik", pair, constants=frozenset({1}))


def _case(
    name: str, equation: str, full: str, operands: list[Array], constants: frozenset[int] = frozenset()
) -> ConformanceCase:
    left, right = full.split("->")
    each = left.split(",")
    labels = sorted(set(left) - {","})
    sizes = {c: n for names, x in zip(each, operands, strict=True) for c, n in zip(names, x.shape, strict=True)}
    sums: dict[tuple[int, ...], Any] = dict.fromkeys(np.ndindex(*(sizes[c] for c in right)), 0)
    for place in np.ndindex(*(sizes[c] for c in labels)):
        values = dict(zip(labels, place, strict=True))
        term = 1
        for names, x in zip(each, operands, strict=True):
            term *= x[tuple(values[c] for c in names)].item()
        sums[tuple(values[c] for c in right)] += term
    y = np.empty([sizes[c] for c in right], operands[0].dtype)
    for place, total in sums.items():
        y[place] = store(total, y.dtype)
    tolerance = 0.0 if y.dtype.kind in "iu" else 1e-5
    given = {"equation": equation}
    return ConformanceCase(name, OP, tuple(operands), (y,), given, constants, tolerance, tolerance)
