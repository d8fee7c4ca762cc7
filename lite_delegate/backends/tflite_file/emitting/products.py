"""Matrix products."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from .call import LoweredCall, Write

_MOST = 5


def write_matmul(call: LoweredCall) -> list[TfliteTensor]:
    """Products over the last two axes; the other axes are broadcast."""
    return [product(call, call.x(0), call.x(1), False, False)]


def product(call: LoweredCall, a: TfliteTensor, b: TfliteTensor, turned_a: bool, turned_b: bool) -> TfliteTensor:
    """A product of matrices of real numbers, or of stacks of them."""
    call.wanted(a.dtype in ("float32", "float16"), RejectCode.DTYPE, "products of real numbers", f"of {a.dtype}")
    builtins, vector = call.builtins, a.rank == 1
    a = builtins.reshape(a, (1, *a.shape)) if vector else a
    column = b.rank == 1
    b = builtins.reshape(b, (*b.shape, 1)) if column else b
    rows, columns = a.shape[-1 if turned_a else -2], b.shape[-2 if turned_b else -1]
    depth = a.shape[-2 if turned_a else -1]
    outer = _stacked(a.shape[:-2], b.shape[:-2])
    if max(a.rank, b.rank) > _MOST:
        call.wanted(a.shape[:-2] == b.shape[:-2], RejectCode.RANK, "stacks of at most 5 dimensions")
        a, b = (builtins.reshape(x, (math.prod(outer), *x.shape[-2:])) for x in (a, b))
    if not depth:
        call.wanted(False, RejectCode.SHAPE, "products of factors with elements")
    shape = (*_stacked(a.shape[:-2], b.shape[:-2]), rows, columns)
    options = {"adj_x": turned_a, "adj_y": turned_b}
    made = builtins.op("BATCH_MATMUL", [a, b], shape, None, "BatchMatMulOptions", **options)
    return builtins.reshape(made, call.shape)


def _stacked(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(np.broadcast_shapes(first, second))


def write_gemm(call: LoweredCall) -> list[TfliteTensor]:
    """A product of two matrices, with a bias that is broadcast."""
    a, b = call.x(0), call.x(1)
    plain = call.number("alpha", 1.0) == call.number("beta", 1.0) == 1.0
    call.wanted(plain, RejectCode.ATTRIBUTE, "products without factors")
    turned_a, turned_b = bool(call.integer("transA", 0)), bool(call.integer("transB", 0))
    y = product(call, a, b, turned_a, turned_b)
    return [call.pair("ADD", y, call.x(2), "AddOptions") if call.has(2) else y]


OPERATORS: dict[str, Write] = {"MatMul": write_matmul, "Gemm": write_gemm}
"""Writers of this file by ONNX's names."""
