"""Einsum: sums of products, as a string of labels says."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._dtypes import NUMBERS, check_dtype, check_same_dtype, widen
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel


def einsum(*operands: Array, equation: str) -> Array:
    """The result of the equation, as ``numpy.einsum`` defines it, in the dtype of the operands."""
    return np.asarray(_called(equation, *map(widen, operands)), operands[0].dtype)


def infer_einsum(*operands: ArraySpec, equation: str) -> ArraySpec:
    """The shape of the result; raises KernelInputError for an equation that does not fit."""
    check_dtype(operands[0], NUMBERS)
    check_same_dtype(*operands)
    shapes = [x.shape for x in operands if x.shape is not None]
    if len(shapes) < len(operands):
        return ArraySpec(operands[0].dtype, None)
    # No elements are touched: all are one, seen under the operands' shapes.
    one = np.ones(())
    seen = [np.broadcast_to(one, [1 if d == UNKNOWN else d for d in shape]) for shape in shapes]
    if any(UNKNOWN in shape for shape in shapes):
        rank = _called(equation, *(s[tuple(slice(0, 1) for _ in s.shape)] for s in seen)).ndim
        return ArraySpec(operands[0].dtype, (UNKNOWN,) * rank)
    return ArraySpec(operands[0].dtype, _result_shape(equation, shapes))


def _result_shape(equation: str, shapes: list[Any]) -> tuple[int, ...]:
    """The sizes of the result's labels, read off the operands."""
    left, _, right = equation.replace(" ", "").partition("->")
    sizes: dict[str, int] = {}
    rest: tuple[int, ...] = ()
    for labels, shape in zip(left.split(","), shapes, strict=True):
        before, dots, after = labels.partition("...")
        middle = len(shape) - len(before) - len(after)
        if middle < 0 or (middle and not dots):
            raise KernelInputError(f"'{labels}' does not fit shape {shape}")
        named = [*zip(before, shape, strict=False), *zip(after, shape[len(shape) - len(after) :], strict=True)]
        for label, size in named:
            sizes[label] = max(size, sizes.get(label, 1)) if 1 in (size, sizes.get(label, 1)) else size
        rest = np.broadcast_shapes(rest, shape[len(before) : len(before) + middle])
    if "->" not in equation:
        counts = left.replace(".", "").replace(",", "")
        right = ("..." if rest else "") + "".join(sorted(c for c in set(counts) if counts.count(c) == 1))
    before, dots, after = right.partition("...")
    if not {*before, *after} <= sizes.keys():
        raise KernelInputError(f"'{right}' has labels that no operand has")
    return (*(sizes[c] for c in before), *(rest if dots else ()), *(sizes[c] for c in after))


def _called(equation: str, *operands: Array) -> Array:
    try:
        return np.asarray(np.einsum(equation, *operands))
    except (ValueError, TypeError) as e:
        raise KernelInputError(f"equation '{equation}': {e}") from e


KERNEL = ReferenceKernel("ai.onnx.Einsum", einsum, infer_einsum, NUMBERS)
