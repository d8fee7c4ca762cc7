"""Long sums: a sum kept in float16 loses small numbers, although each number and the result fit into float16."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..reports.defects import Defect
from .draft import PatternDraft
from .layers import relu
from .pattern import Pattern

TERMS = 4096
"""A float16 sum of ones ends at 2048."""


def long_sums() -> Iterator[Pattern]:
    """Products, convolutions and means over many terms of one sign."""
    for op_type in ("MatMulFusion", "FullConnection"):
        d = PatternDraft("long sum", op_type)
        shape = (TERMS, 3) if op_type == "MatMulFusion" else (3, TERMS)
        x = d.input(2, TERMS, low=0.75, high=1.0)
        yield d.done(relu(d, d.node(op_type, x, d.weight(*shape, low=0.75, high=1.0))), tells=Defect.FLOAT16_SUM)
    d = PatternDraft("long sum", "Conv2DFusion")
    given: dict[str, Any] = {"kernel_size": (1, 1), "group": 1, "in_channel": TERMS, "out_channel": 2}
    x = d.input(1, 1, 2, TERMS, low=0.75, high=1.0)
    yield d.done(
        relu(d, d.node("Conv2DFusion", x, d.weight(2, 1, 1, TERMS, low=0.75, high=1.0), **given)),
        tells=Defect.FLOAT16_SUM,
    )
    for mode in ("ReduceSum", "ReduceMean"):
        d = PatternDraft("long sum", mode)
        x = relu(d, d.given(d.rng.uniform(0.75, 1.0, (2, TERMS)).astype(np.float32)))
        yield d.done(d.node("ReduceFusion", x, d.ints(1), mode=mode, keep_dims=True), tells=Defect.FLOAT16_SUM)
