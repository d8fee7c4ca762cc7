"""Exactness of products of 8-bit integers on this processor, tried on ONNX Runtime's own kernels."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

DEPTH, WIDTH = 64, 32
ROWS = 1, 8
"""The numbers of rows of the products that are tried: a single row has kernels of its own."""
LARGEST = 255, 127
"""uint8, and int8 that it is multiplied by."""
WITH_INTEGERS = (b"uantize", b"QLinear", b"Integer", b"QGemm")
"""Parts of the names of operators on 8-bit integers."""


def has_integers(model: bytes) -> bool:
    """Whether a model may have operators on 8-bit integers; False is certain, True is not."""
    return any(name in model for name in WITH_INTEGERS)


@cache
def has_exact_products(ort: Any) -> bool:
    """Whether products of the largest integers are right, of uint8 by int8 as ONNX Runtime computes them by itself.

    Processors without instructions for it (VNNI) add two products in 16 bits, which saturates.

    Args:
        ort: the package ``onnxruntime``.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(_products(), options, providers=["CPUExecutionProvider"])
    feeds = {f"x{rows}": np.full((rows, DEPTH), LARGEST[0], np.uint8) for rows in ROWS}
    return all(bool((y == DEPTH * LARGEST[0] * LARGEST[1]).all()) for y in session.run(None, feeds))


def _products() -> bytes:
    from ....formats.onnx.export import ModelWriter
    from ...lowering import OPSET

    integers, sums = np.dtype(np.uint8), np.dtype(np.int32)
    writer = ModelWriter("largest", OPSET)
    writer.initializer("w", np.full((DEPTH, WIDTH), LARGEST[1], np.int8))
    for rows in ROWS:
        writer.input(f"x{rows}", integers, [rows, DEPTH])
        writer.node("MatMulInteger", [f"x{rows}", "w"], [f"y{rows}"], {})
        writer.output(f"y{rows}", sums, [rows, WIDTH])
    return writer.content()
