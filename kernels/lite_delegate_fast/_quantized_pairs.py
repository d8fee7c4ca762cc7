"""Sums, differences and products of integers of 8 bits in a few passes of float32, proven for each pair of integers.

A formula is tried on every pair that there can be, at most 65,536, against what the reference kernel gives. Its factors
are those of float32 nearest to the real ones, its offset the middle of all that fit. Where none fits, a table of the
pairs takes its place: results that lie halfway between two integers are away from zero, which no such formula has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Protocol, TypeAlias

import numpy as np
from lite_delegate_kernels import Array, ReferenceKernel, as_tuple
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._quantization import BYTES, NodeQuantization

from ._quantized_tables import EVERY, bound_pair_table
from ._requantization import SHORT, Clamp, limits_of
from ._row_blocks import FINISH_SIZE
from .fast_kernel import BindFunction, Inputs

CLOSE = 2.0**-14
"""What rounding errors of float32 may come to."""


class Formula(Protocol):
    """Real numbers of pairs of integers; their floors, from the least result on, are the results."""

    @property
    def offset(self) -> np.float32:
        """What is added last."""

    def beside(self) -> Iterator[Formula]:
        """This one, and those with factors of float32 next to it."""

    def first(self, a: Array) -> Array:
        """What becomes of the first operand alone, float32."""

    def second(self, b: Array) -> Array:
        """What becomes of the second operand alone, float32."""

    def combined(self, first: Array, second: Array) -> Array:
        """The real numbers."""


@dataclass(frozen=True, slots=True)
class SumFormula:
    """``a * left + (b * right + offset)``."""

    left: np.float32
    right: np.float32
    offset: np.float32

    def beside(self) -> Iterator[SumFormula]:
        """As ``Formula``."""
        for left, right in product(_beside(self.left), _beside(self.right)):
            yield replace(self, left=left, right=right)

    def first(self, a: Array) -> Array:
        """As ``Formula``."""
        return np.asarray(np.multiply(a, self.left, dtype=np.float32))

    def second(self, b: Array) -> Array:
        """As ``Formula``."""
        scaled = np.asarray(np.multiply(b, self.right, dtype=np.float32))
        np.add(scaled, self.offset, out=scaled)
        return scaled

    def combined(self, first: Array, second: Array) -> Array:
        """As ``Formula``."""
        return np.asarray(np.add(first, second))


@dataclass(frozen=True, slots=True)
class ProductFormula:
    """``(a - a_zero) * (b - b_zero) * factor + offset``."""

    a_zero: np.float32
    b_zero: np.float32
    factor: np.float32
    offset: np.float32

    def beside(self) -> Iterator[ProductFormula]:
        """As ``Formula``."""
        for factor in _beside(self.factor):
            yield replace(self, factor=factor)

    def first(self, a: Array) -> Array:
        """As ``Formula``."""
        return np.asarray(np.subtract(a, self.a_zero, dtype=np.float32))

    def second(self, b: Array) -> Array:
        """As ``Formula``."""
        return np.asarray(np.subtract(b, self.b_zero, dtype=np.float32))

    def combined(self, first: Array, second: Array) -> Array:
        """As ``Formula``."""
        real = np.asarray(np.multiply(first, second))
        np.multiply(real, self.factor, out=real)
        np.add(real, self.offset, out=real)
        return real


def _beside(factor: np.float32) -> list[np.float32]:
    up = np.nextafter(factor, np.float32(np.inf))
    down = np.nextafter(factor, np.float32(-np.inf))
    return [factor, up, down]


MakeFormula: TypeAlias = Callable[[NodeQuantization], Formula]
"""The formula of a node, without an offset."""


def sum_formula(sign: int, quantization: NodeQuantization) -> SumFormula:
    """Of a sum, or of a difference, whose second operand has the sign -1."""
    (a_scale, _), (b_scale, _) = quantization.input_per_tensor(0), quantization.input_per_tensor(1)
    scale = quantization.output_per_tensor(0)[0]
    return SumFormula(np.float32(a_scale / scale), np.float32(sign * b_scale / scale), np.float32(0))


def product_formula(quantization: NodeQuantization) -> ProductFormula:
    """Of a product."""
    (a_scale, a_zero), (b_scale, b_zero) = quantization.input_per_tensor(0), quantization.input_per_tensor(1)
    factor = a_scale * b_scale / quantization.output_per_tensor(0)[0]
    return ProductFormula(np.float32(a_zero), np.float32(b_zero), np.float32(factor), np.float32(0))


FORMULAS: Mapping[str, MakeFormula] = {
    "AddFusion": partial(sum_formula, 1),
    "SubFusion": partial(sum_formula, -1),
    "MulFusion": product_formula,
}


def bind_pairs(form: ReferenceKernel) -> BindFunction:
    """The bound functions of nodes that are a function of pairs of integers.

    Args:
        form: the quantized kernel of an operator of ``FORMULAS``.
    """
    return partial(_bound, form)


def _bound(form: ReferenceKernel, inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    a, b = inputs if len(inputs) == 2 else (None, None)
    if a is None or b is None or not {a.dtype_name, b.dtype_name} <= set(BYTES):
        return None
    every = [EVERY.view(each.dtype) if each.value is None else np.unique(each.value) for each in (a, b)]
    if not all(len(each) for each in every):
        return None
    quantization: NodeQuantization = attributes["quantization"]
    (table,) = as_tuple(form.run(every[0][:, None], every[1][None], **attributes))
    low, high = limits_of(attributes, a.dtype)
    if low > high:
        return None
    formula = fitted(
        FORMULAS[form.op_type](quantization), every[0], every[1], table.astype(np.float64) - low, high - low
    )
    if formula is None:
        return bound_pair_table(form, inputs, attributes)
    first, second = formula.first(every[0]), formula.second(every[1])
    furthest = np.abs(formula.combined(first[:, None], second[None])).max()
    return BytePairs(formula, Clamp(low, high - low, 0, bool(furthest < SHORT - 1)), a.value, b.value)


def fitted(formula: Formula, a: Array, b: Array, results: Array, most: int) -> Formula | None:
    """A formula that gives these results, from 0 to ``most``, for all pairs; None where none was found."""
    has_least, has_most = results > 0, results < most
    for each in formula.beside():
        distance = results - each.combined(each.first(a)[:, None], each.second(b)[None])
        least = np.where(has_least, distance, -np.inf).max()
        beyond = np.where(has_most, distance, np.inf).min() + 1
        if not np.isfinite(least) or not np.isfinite(beyond) or least > beyond + CLOSE:
            return None
        made = replace(each, offset=np.float32((least + beyond) / 2))  # type: ignore[type-var]
        got = made.combined(made.first(a)[:, None], made.second(b)[None])
        if (np.floor(np.clip(got, 0, most)) == results).all():
            return made
    return None


class BytePairs:
    """A function of pairs of integers by a formula. Safe for several threads.

    Args:
        formula: one that fits.
        clamp: makes integers.
        a, b: the operand that is constant; None for others.
    """

    def __init__(self, formula: Formula, clamp: Clamp, a: Array | None, b: Array | None) -> None:
        self._formula, self._clamp = formula, clamp
        self._a = None if a is None else formula.first(a)
        self._b = None if b is None else formula.second(b)

    def __call__(self, a: Array, b: Array) -> Array:
        if a.shape != b.shape or self._a is not None or self._b is not None:
            first = self._formula.first(a) if self._a is None else self._a
            second = self._formula.second(b) if self._b is None else self._b
            real = self._formula.combined(first, second)
            results = np.empty(real.shape, a.dtype)
            self._clamp(real, results)
            return results
        results = np.empty(a.shape, a.dtype)
        left, right, target = (np.ascontiguousarray(each).reshape(-1) for each in (a, b, results))
        for start in range(0, target.size, FINISH_SIZE):
            part = slice(start, start + FINISH_SIZE)
            real = self._formula.combined(self._formula.first(left[part]), self._formula.second(right[part]))
            self._clamp(real, target[part])
        return results
