"""Conformance cases of MatMulFusion, one output element at a time; ranks equalized by hand in the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import fused

Shape = tuple[int, ...]


def loop(a: Array, b: Array, bias: Array | None, shape: Shape, attributes: dict[str, Any]) -> Array:
    """``a`` and ``b`` have equal ranks of at least 2; ``shape`` is (..., M, N)."""
    y = np.empty(shape, dtype=a.dtype)
    flip_a, flip_b = attributes.get("transpose_a", False), attributes.get("transpose_b", False)
    terms = a.shape[-2] if flip_a else a.shape[-1]
    for *stack, m, n in np.ndindex(*shape):
        left = a[*_clamped(stack, a.shape)].tolist()
        right = b[*_clamped(stack, b.shape)].tolist()
        total = 0 if bias is None else bias.flatten()[n].item()
        for k in range(terms):
            total += (left[k][m] if flip_a else left[m][k]) * (right[n][k] if flip_b else right[k][n])
        y[*stack, m, n] = fused(total, attributes.get("activation_type", "NO_ACTIVATION"))
    return y


def _clamped(stack: list[int], shape: Shape) -> list[int]:
    return [0 if dim == 1 else index for index, dim in zip(stack, shape, strict=False)]


# name, a, b, a and b with equal ranks, output with equal rank, attributes
GEOMETRY: list[tuple[str, Shape, Shape, Shape, Shape, Shape, dict[str, Any]]] = [
    ("matrices", (3, 8), (8, 7), (3, 8), (8, 7), (3, 7), {}),
    ("transpose_a", (8, 3), (8, 7), (8, 3), (8, 7), (3, 7), {"transpose_a": True}),
    ("transpose_b", (3, 8), (7, 8), (3, 8), (7, 8), (3, 7), {"transpose_b": True}),
    ("transpose_both", (8, 3), (7, 8), (8, 3), (7, 8), (3, 7), {"transpose_a": True, "transpose_b": True}),
    ("one_row", (1, 16), (16, 17), (1, 16), (16, 17), (1, 17), {}),
    ("one_column", (5, 3), (3, 1), (5, 3), (3, 1), (5, 1), {}),
    ("outer_product", (3, 1), (1, 4), (3, 1), (1, 4), (3, 4), {}),
    ("stacks", (2, 3, 4), (2, 4, 5), (2, 3, 4), (2, 4, 5), (2, 3, 5), {}),
    ("stacks_transpose_a", (2, 4, 3), (2, 4, 5), (2, 4, 3), (2, 4, 5), (2, 3, 5), {"transpose_a": True}),
    ("stacks_transpose_b", (2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 3, 5), {"transpose_b": True}),
    ("stack_times_matrix", (2, 3, 4), (4, 5), (2, 3, 4), (1, 4, 5), (2, 3, 5), {}),
    ("stack_transposed_times_matrix", (2, 4, 3), (4, 5), (2, 4, 3), (1, 4, 5), (2, 3, 5), {"transpose_a": True}),
    ("matrix_times_stack", (3, 4), (2, 4, 5), (1, 3, 4), (2, 4, 5), (2, 3, 5), {}),
    ("stack_of_one", (2, 3, 4), (1, 4, 5), (2, 3, 4), (1, 4, 5), (2, 3, 5), {}),
    ("stack_of_one_first", (1, 3, 4), (2, 4, 5), (1, 3, 4), (2, 4, 5), (2, 3, 5), {}),
    ("stacks_broadcast_both_ways", (2, 1, 3, 4), (1, 3, 4, 2), (2, 1, 3, 4), (1, 3, 4, 2), (2, 3, 3, 2), {}),
    ("rank_5_times_rank_3", (2, 1, 2, 3, 2), (2, 2, 3), (2, 1, 2, 3, 2), (1, 1, 2, 2, 3), (2, 1, 2, 3, 3), {}),
    ("vector_times_matrix", (4,), (4, 5), (1, 4), (4, 5), (1, 5), {}),
    ("vector_times_stack", (4,), (2, 4, 5), (1, 1, 4), (2, 4, 5), (2, 1, 5), {}),
    ("matrix_times_vector_transposed", (3, 4), (4,), (3, 4), (1, 4), (3, 1), {"transpose_b": True}),
    ("stack_times_vector_transposed", (2, 3, 4), (4,), (2, 3, 4), (1, 1, 4), (2, 3, 1), {"transpose_b": True}),
    ("column_times_vector", (3, 1), (4,), (3, 1), (1, 4), (3, 4), {}),
    ("one_element", (1, 1), (1, 1), (1, 1), (1, 1), (1, 1), {}),
    ("no_rows", (0, 4), (4, 5), (0, 4), (4, 5), (0, 5), {}),
    ("no_terms_leave_the_bias", (2, 0), (0, 3), (2, 0), (0, 3), (2, 3), {}),
    ("empty_stack", (0, 3, 4), (4, 5), (0, 3, 4), (1, 4, 5), (0, 3, 5), {}),
    ("stack_without_terms", (1, 3, 0), (2, 0, 5), (1, 3, 0), (2, 0, 5), (2, 3, 5), {}),
    ("relu", (3, 8), (8, 7), (3, 8), (8, 7), (3, 7), {"activation_type": "RELU"}),
    ("relu6", (3, 8), (8, 7), (3, 8), (8, 7), (3, 7), {"activation_type": "RELU6"}),
    ("stacks_relu6", (2, 3, 4), (2, 4, 5), (2, 3, 4), (2, 4, 5), (2, 3, 5), {"activation_type": "RELU6"}),
]


def cases() -> Iterator[ConformanceCase]:
    """Transposes, unequal ranks, broadcast stacks, biases, activations, every dtype, NaN and infinity, empty."""
    rng = np.random.default_rng(89)
    for index, (name, a_shape, b_shape, left, right, shape, attributes) in enumerate(GEOMETRY):
        a, b = rng.normal(size=a_shape).astype(np.float32), rng.normal(size=b_shape).astype(np.float32)
        bias = rng.normal(size=shape[-1]).astype(np.float32) * 3 if index % 2 == 0 else None
        y = loop(a.reshape(left), b.reshape(right), bias, shape, attributes)
        yield _case(name, a, b, bias, y, attributes)
    a, b = rng.normal(size=(2, 6)).astype(np.float32)
    product = np.array(sum(float(p) * float(q) for p, q in zip(a, b, strict=True)), dtype=np.float32)
    yield _case("two_vectors_give_a_scalar", a, b, None, product, {})
    for dtype, rtol in [(np.float16, 1e-3), (np.float64, 1e-12)]:
        a, b, bias = (rng.normal(size=s).astype(dtype) for s in ((2, 8), (8, 3), (1, 3)))
        yield _case(np.dtype(dtype).name, a, b, bias, loop(a, b, bias, (2, 3), {}), {}, rtol)
    yield from _integers(rng)
    a = np.array([[np.nan, 1], [np.inf, 1], [-np.inf, 1], [2, 1]], dtype=np.float32)
    b = np.ones((2, 3), dtype=np.float32)
    yield _case("nan_and_infinity", a, b, None, loop(a, b, None, (4, 3), {}), {})


def _integers(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    for dtype in (np.int32, np.int64, np.uint32, np.uint64):
        low = -50 if np.issubdtype(dtype, np.signedinteger) else 0
        a, b, bias = (rng.integers(low, 50, size=s).astype(dtype) for s in ((2, 3, 4), (4, 5), (5,)))
        y = loop(a, b[None], bias, (2, 3, 5), {"activation_type": "RELU"})
        yield _case(np.dtype(dtype).name, a, b, bias, y, {"activation_type": "RELU"}, 0)
    a = np.array([[2**30, 2**30, 5]], dtype=np.int32)
    wrapped = np.array([[2**31 + 5 - 2**32]], dtype=np.int32)
    yield _case("int32_wraps_around", a, np.ones((3, 1), dtype=np.int32), None, wrapped, {}, 0)


def _case(
    name: str, a: Array, b: Array, bias: Array | None, y: Array, attributes: dict[str, Any], rtol: float = 1e-5
) -> ConformanceCase:
    inputs = (a, b) if bias is None else (a, b, bias)
    return ConformanceCase(
        name, "MatMulFusion", inputs, (y,), attributes, constants=frozenset({1, 2}), rtol=rtol, atol=rtol
    )
