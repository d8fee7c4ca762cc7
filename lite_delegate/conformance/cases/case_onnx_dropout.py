"""Conformance cases of ai.onnx.Dropout, written down: nothing is dropped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact, sample

OP = "ai.onnx.Dropout"


def cases() -> Iterator[ConformanceCase]:
    """Modes that are no constants: it does not train, or drops a share of 0; shapes, dtypes."""
    rng = np.random.default_rng(409)
    for name, shape in (("rank_0", ()), ("rank_1", (7,)), ("rank_4", (2, 3, 3, 8)), ("empty", (0, 2))):
        yield _case(name, sample(rng, shape), 0.5, trains=False)
    for dtype in ("float16", "float64"):
        yield _case(dtype, sample(rng, (3, 5), dtype), 0.25, trains=False)
    yield _case("share_of_0", sample(rng, (3, 5)), 0.0, trains=True)
    yield _case("all_of_it", sample(rng, (3, 5)), 1.0, trains=False)
    x = sample(rng, (2, 3))
    yield exact(OP, "neither_given", (x,), (x, np.ones(x.shape, bool)), source="hand")


def _case(name: str, x: Array, ratio: float, *, trains: bool) -> ConformanceCase:
    operands = (x, np.array(ratio, np.float32), np.array(trains))
    return exact(OP, name, operands, (x, np.ones(x.shape, bool)), {"seed": 7}, constants={1}, source="hand")
