"""Stand-ins: element types that ONNX Runtime computes in another type, with the same bits as result."""

from __future__ import annotations

from functools import cache

import numpy as np

from ...lowering import Dtype
from .cpu_types import KERNELS
from .signatures import key_of

MODULAR = frozenset({"Add", "Sub", "Mul", "MatMul", "Neg", "CumSum"})
"""Operators that wrap around: the low bits of a result in a wider type are the result."""
ORDERED = """
    Abs ArgMax ArgMin Clip Equal Greater GreaterOrEqual Less LessOrEqual Max MaxPool Min Mod ReduceMax ReduceMin
    Relu Sign TopK
"""
"""What needs numbers in their order: the wider type holds them all."""
MOVING = frozenset({"Where", "Pad", "Trilu", "OneHot", "Resize", "DepthToSpace", "SpaceToDepth"})
"""Operators that move elements without using their values: a type of the same width will do."""
WIDER = {"int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32", "uint32": "int64", "bool": "uint8"}
AS_BITS = {**WIDER, "uint64": "int64"}
IN_PLACE = {
    **dict.fromkeys(MODULAR, AS_BITS),
    **dict.fromkeys(ORDERED.split(), WIDER),
    **dict.fromkeys(MOVING, AS_BITS),
}


@cache
def _types(op: str) -> frozenset[str]:
    return frozenset(KERNELS[op].split())


def computed_in(op: str, found: dict[str, Dtype]) -> Dtype | None:
    """The element type that a node's first type is computed in; None where no type will do.

    Args:
        op: the operator.
        found: what the letters of its signature stand for.
    """
    own = found.get("T", np.dtype(np.float32))
    if key_of(found) in _types(op):
        return own
    wider = IN_PLACE.get(op, {}).get(own.name)
    if wider is None or key_of({**found, "T": np.dtype(wider)}) not in _types(op):
        return None
    return np.dtype(wider)
