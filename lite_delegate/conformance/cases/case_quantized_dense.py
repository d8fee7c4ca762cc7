"""Conformance cases of convolutions and matrix products on integers: the geometry and the sums of the float cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from lite_delegate_kernels import NodeQuantization, Quantization

from ..judging.case import Array, ConformanceCase
from . import case_conv2d_fusion, case_conv2d_transpose_fusion, case_full_connection, case_matmul_fusion
from .loops.quantized import Params, clamped, half_away, half_up, integers, quantized_case, times

OPERATORS = frozenset({"Conv2DFusion", "Conv2dTransposeFusion", "FullConnection", "MatMulFusion"})
Sums = Callable[[Array, Array, Array | None], Array]
"""Of x, weight and bias as whole numbers in float64, without an activation."""
ROUNDING: dict[int, Callable[[Fraction], int]] = {0: floor, 1: half_away, 2: half_up}
X_PARAMS: tuple[Params, ...] = ((0.05, -7), (0.013, 100), (0.4, -128), (0.02, 0))


class _Maker:
    """Makes the cases of one operator; every third has no bias, every second one scale per output channel."""

    def __init__(self, op_type: str, seed: int) -> None:
        self._op_type = op_type
        self._rng = np.random.default_rng(seed)
        self._made = 0

    def case(
        self,
        name: str,
        shapes: tuple[Sequence[int], Sequence[int]],
        channels: int,
        axis: int,
        sums: Sums,
        attributes: Mapping[str, Any],
        round_type: int = 1,
    ) -> ConformanceCase:
        """``axis``: the weight's dimension of the channels, -1 where they have one scale and any zero point."""
        rng, number = self._rng, self._made
        self._made += 1
        x, weight = integers(rng, shapes[0]), integers(rng, shapes[1], -127)
        bias = rng.integers(-2000, 2000, channels).astype(np.int32) if number % 3 else None
        x_params = X_PARAMS[number % len(X_PARAMS)]
        scales = np.linspace(0.002, 0.02, channels if number % 2 and axis >= 0 else 1).tolist()
        point = 3 if number % 4 == 2 else 0
        total = sums(x.astype(np.float64) - x_params[1], weight.astype(np.float64) - point, _wide(bias))
        largest = max(abs(total).max(initial=1), 1)
        y_params = (float(np.float32(largest * x_params[0] * 0.01 / 90)), 10 - 5 * (number % 5))
        activation = attributes.get("activation_type", "NO_ACTIVATION")
        y = np.empty(total.shape, np.int8)
        for index in np.ndindex(*total.shape):
            scale = scales[index[-1] if index and len(scales) > 1 else 0]
            product = times(int(total[index]), x_params[0] * scale / y_params[0], ROUNDING[round_type])
            y[index] = clamped(product + y_params[1], y_params, activation)
        quantization = NodeQuantization(
            (
                Quantization((x_params[0],), (x_params[1],), round_type),
                Quantization(tuple(scales), (point,) * len(scales)),
                None,
            ),
            (Quantization((y_params[0],), (y_params[1],)),),
        )
        inputs = (x, weight) if bias is None else (x, weight, bias)
        constants = frozenset(range(1, len(inputs)))
        given = dict(attributes)
        if self._op_type == "FullConnection":
            given["has_bias"] = bias is not None
        made = quantized_case(name, self._op_type, inputs, (y,), (), (), given, constants)
        return replace(made, quantization=quantization)


def _wide(bias: Array | None) -> Array | None:
    return None if bias is None else bias.astype(np.float64)


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {**attributes, "activation_type": "NO_ACTIVATION"}


def _convolutions() -> Iterator[ConformanceCase]:
    maker = _Maker("Conv2DFusion", 351)
    for name, x, w, out, start, attributes in case_conv2d_fusion.GEOMETRY:

        def sums(
            a: Array, b: Array, c: Array | None, out: Any = out, start: Any = start, at: Any = attributes
        ) -> Array:
            return case_conv2d_fusion.loop(a, b, c, out, start, _plain(at))

        yield maker.case(name, (x, w), w[0], 0, sums, attributes)
    for round_type in (0, 2):
        yield maker.case(f"round_type_{round_type}", (x, w), w[0], 0, sums, attributes, round_type)


def _transposed_convolutions() -> Iterator[ConformanceCase]:
    maker = _Maker("Conv2dTransposeFusion", 361)
    for name, x, w, out, start, attributes in case_conv2d_transpose_fusion.GEOMETRY:

        def sums(
            a: Array, b: Array, c: Array | None, out: Any = out, start: Any = start, at: Any = attributes
        ) -> Array:
            return case_conv2d_transpose_fusion.loop(a, b, c, out, start, _plain(at))

        channels = w[3] * (attributes.get("group", 0) or w[0])
        yield maker.case(name, (x, w), channels, 3, sums, attributes)


def _full_connections() -> Iterator[ConformanceCase]:
    maker = _Maker("FullConnection", 671)
    for name, x, w, out, attributes in case_full_connection.GEOMETRY:

        def sums(a: Array, b: Array, c: Array | None, out: Any = out) -> Array:
            return case_full_connection.loop(a, b, c, out, "NO_ACTIVATION")

        yield maker.case(name, (x, w), w[0], 0, sums, attributes)


def _matrix_products() -> Iterator[ConformanceCase]:
    maker = _Maker("MatMulFusion", 891)
    for name, a_shape, b_shape, left, right, out, attributes in case_matmul_fusion.GEOMETRY:
        final = () if len(a_shape) == len(b_shape) == 1 else out

        def sums(
            a: Array,
            b: Array,
            c: Array | None,
            shapes: Any = (left, right, out, final),
            at: Any = attributes,
        ) -> Array:
            y = case_matmul_fusion.loop(a.reshape(shapes[0]), b.reshape(shapes[1]), c, shapes[2], _plain(at))
            return y.reshape(shapes[3])

        axis = 1 if len(b_shape) > 1 and final != () else -1
        case = maker.case(name, (a_shape, b_shape), out[-1], axis, sums, attributes)
        yield case
        assert case.quantization is not None
        weight = case.quantization.inputs[1]
        if len(case.inputs) == 2 and weight is not None and len(weight.scales) == 1:
            yield replace(case, name=f"{case.name}_of_computed_integers", constants=frozenset())


def cases() -> Iterator[ConformanceCase]:
    """Every geometry of the float cases, one scale and one per channel, zero points, both ends of the range."""
    yield from _convolutions()
    yield from _transposed_convolutions()
    yield from _full_connections()
    yield from _matrix_products()
