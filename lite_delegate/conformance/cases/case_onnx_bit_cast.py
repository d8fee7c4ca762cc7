"""Conformance cases of ai.onnx.BitCast, expected values by packing and unpacking bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact, sample

OP = "ai.onnx.BitCast"
CODES = {
    "float32": ("f", 1),
    "uint8": ("B", 2),
    "int8": ("b", 3),
    "uint16": ("H", 4),
    "int16": ("h", 5),
    "int32": ("i", 6),
    "int64": ("q", 7),
    "float16": ("e", 10),
    "float64": ("d", 11),
    "uint32": ("I", 12),
    "uint64": ("Q", 13),
}
"""By element type: the letter that ``struct`` has for it, ONNX's number."""
PAIRS = [
    ("float32", "int32"),
    ("float32", "uint32"),
    ("int32", "float32"),
    ("float16", "uint16"),
    ("int16", "float16"),
    ("float64", "int64"),
    ("uint64", "float64"),
    ("int8", "uint8"),
    ("uint8", "int8"),
    ("int64", "uint64"),
]


def cases() -> Iterator[ConformanceCase]:
    """Every size of element, floats to integers and back, ranks, nothing at all."""
    rng = np.random.default_rng(403)
    for source, target in PAIRS:
        yield _case(f"{source}_to_{target}", _finite(sample(rng, (3, 5), source), target), target)
    for name, shape in (("rank_0", ()), ("rank_5", (2, 1, 3, 1, 2)), ("empty", (0, 3))):
        yield _case(name, sample(rng, shape), "int32")
    signs = np.array([0.0, -0.0, np.inf, -np.inf], np.float32)
    words = (np.array([0, 0x80000000, 0x7F800000, 0xFF800000], np.uint32),)
    yield exact(OP, "signs_and_infinities", (signs,), words, {"to": 12}, source="hand")


def _finite(x: Array, target: str) -> Array:
    """Bits without those that are no number as the target, which nobody has to keep."""
    return np.where(np.isnan(x.view(target)), np.zeros_like(x), x) if target.startswith("float") else x


def _case(name: str, x: Array, target: str) -> ConformanceCase:
    read, number = CODES[target]
    write = CODES[x.dtype.name][0]
    found = [struct.unpack(f"<{read}", struct.pack(f"<{write}", v))[0] for v in x.reshape(-1).tolist()]
    return exact(OP, name, (x,), (np.array(found, target).reshape(x.shape),), {"to": number})
