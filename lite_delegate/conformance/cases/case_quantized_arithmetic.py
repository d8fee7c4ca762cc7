"""Conformance cases of sums, differences, products and pooling on integers, element by element in whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from ..judging.case import Array, ConformanceCase
from .case_max_pool_fusion import GEOMETRY, windows
from .loops.quantized import Params, clamped, half_away, integers, quantization, quantized_case, times
from .loops.scalars import SHAPE_PAIRS, element

OPERATORS = frozenset({"AddFusion", "AvgPoolFusion", "MaxPoolFusion", "MulFusion", "SubFusion"})
Combine = Callable[[int, int], int]
PARAMS: tuple[tuple[Params, Params, Params], ...] = (
    ((0.05, -7), (0.02, 31), (0.06, -20)),
    ((0.1, -128), (0.1, 127), (0.15, 0)),
    ((0.003, 5), (1.5, 0), (1.5, 3)),
    ((2.0, 0), (0.5, 0), (0.01, 0)),
)


def _sum(a: Array, b: Array, params: tuple[Params, Params, Params], combine: Combine, activation: str) -> Array:
    (a_scale, a_zero), (b_scale, b_zero), out = params
    common = 2 * max(a_scale, b_scale)
    y = np.empty(np.broadcast_shapes(a.shape, b.shape), np.int8)
    for index in np.ndindex(y.shape):
        left = times((element(a, index) - a_zero) * 2**20, a_scale / common)
        right = times((element(b, index) - b_zero) * 2**20, b_scale / common)
        total = times(combine(left, right), common / (2**20 * out[0]))
        y[index] = clamped(total + out[1], out, activation)
    return y


def _product(a: Array, b: Array, params: tuple[Params, Params, Params], combine: Combine, activation: str) -> Array:
    (a_scale, a_zero), (b_scale, b_zero), out = params
    y = np.empty(np.broadcast_shapes(a.shape, b.shape), np.int8)
    for index in np.ndindex(y.shape):
        product = combine(element(a, index) - a_zero, element(b, index) - b_zero)
        y[index] = clamped(times(product, a_scale * b_scale / out[0]) + out[1], out, activation)
    return y


def _two_inputs() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(20)
    for op_type, rule, combine in [
        ("AddFusion", _sum, lambda a, b: a + b),
        ("SubFusion", _sum, lambda a, b: a - b),
        ("MulFusion", _product, lambda a, b: a * b),
    ]:
        for i, (name, left, right) in enumerate(SHAPE_PAIRS):
            params = PARAMS[i % len(PARAMS)]
            a, b = integers(rng, left), integers(rng, right)
            activation = ("NO_ACTIVATION", "RELU", "RELU6")[i % 3]
            y = rule(a, b, params, combine, activation)
            known = [quantization(p) for p in params]
            attributes = {"activation_type": activation}
            constants = frozenset({1}) if i % 5 == 4 else frozenset[int]()
            yield quantized_case(name, op_type, (a, b), (y,), known[:2], known[2:], attributes, constants)


def _pooling() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(17)
    for i, (name, shape, out, start, attributes) in enumerate(GEOMETRY):
        x = integers(rng, shape)
        source: Params = (0.05, -7)
        target = (source, (0.03, 20))[i % 2]
        activation = attributes.get("activation_type", "NO_ACTIVATION")
        largest = np.empty((x.shape[0], *out, *x.shape[3:]), np.int8)
        mean = np.empty_like(largest)
        for index, elements in windows(x, out, start, attributes):
            numbers = [int(e) for e in elements]
            largest[index] = _anew(max(numbers), source, target, activation)
            mean[index] = _anew(half_away(Fraction(sum(numbers), len(numbers))), source, target, activation)
        for op_type, y in [("MaxPoolFusion", largest), ("AvgPoolFusion", mean)]:
            yield quantized_case(name, op_type, (x,), (y,), [quantization(source)], [quantization(target)], attributes)


def _anew(q: int, source: Params, target: Params, activation: str) -> int:
    if source != target:
        q = clamped(half_away((q - source[1]) * (source[0] / target[0])) + target[1], target)
    return clamped(q, target, activation)


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, scales far apart, zero points at the ends of the range, activations; every pooling geometry."""
    yield from _two_inputs()
    yield from _pooling()
