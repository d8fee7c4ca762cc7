"""Conformance cases of operators that quantized nodes run on real numbers: the loops of the float cases, rounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from lite_delegate_kernels import NodeQuantization

from ..judging.case import Array, ConformanceCase
from . import (
    case_arg_max_fusion,
    case_arg_min_fusion,
    case_batch_norm,
    case_batch_to_space,
    case_batch_to_space_nd,
    case_bias_add,
    case_crop,
    case_fused_batch_norm,
    case_instance_norm,
    case_l2_normalize_fusion,
    case_layer_norm_fusion,
    case_log_softmax,
    case_lrn,
    case_pad_fusion,
    case_prelu_fusion,
    case_reduce_fusion,
    case_resize,
    case_scale_fusion,
    case_softmax,
    case_space_to_batch,
    case_space_to_batch_nd,
    case_space_to_depth,
    case_top_k_fusion,
)
from .loops.quantized import Params, integers, quantization, quantized_case, real, stored_array

X: Params = (0.05, -7)
CENTERED: Params = (0.5, 0)
TWICE: Params = (1.0, 0)
UNIT: Params = (1 / 256, -128)
AROUND_0: Params = (1 / 32, 4)

Loop = Callable[[Array], Array]
Row = tuple[str, str, tuple[int, ...], Loop, Params, dict[str, Any]]
"""Name, operator, shape, the operator on real numbers, the output's parameters, attributes."""


def _resizes() -> Iterator[Row]:
    for method, params in [("NEAREST", X), ("LINEAR", (0.04, 9))]:
        mode = "ASYMMETRIC"
        attributes = {"method": method, "coordinate_transform_mode": mode, "new_height": 6, "new_width": 8}

        def resized(x: Array, method: str = method, mode: str = mode) -> Array:
            return case_resize.loop(x, (6, 8), method, mode)

        yield method.lower(), "Resize", (1, 3, 4, 2), resized, params, attributes


def _lines() -> Iterator[Row]:
    """Operators that look at whole lines."""
    for axis, shape in [(1, (3, 17)), (0, (5, 3))]:
        name = f"axis_{axis}"

        def softmax(x: Array, axis: int = axis) -> Array:
            return case_softmax.loop(x, axis)

        def log_softmax(x: Array, axis: int = axis) -> Array:
            return case_log_softmax.loop(x, axis)

        def unit(x: Array, axis: int = axis) -> Array:
            return case_l2_normalize_fusion.loop(x, [axis], 0.0, "NO_ACTIVATION")

        yield name, "Softmax", shape, softmax, UNIT, {"axis": (axis,)}
        yield name, "LogSoftmax", shape, log_softmax, (1 / 16, 127), {"axis": axis}
        yield name, "L2NormalizeFusion", shape, unit, (1 / 128, 4), {"axis": (axis,)}
    for radius in (1, 2):

        def near(x: Array, radius: int = radius) -> Array:
            return case_lrn.loop(x, radius, 1.0, 0.125, 0.75)

        attributes = {"depth_radius": radius, "bias": 1.0, "alpha": 0.125, "beta": 0.75}
        yield f"radius_{radius}", "LRN", (1, 2, 3, 7), near, AROUND_0, attributes


def _clips() -> Iterator[Row]:
    for low, high in [(-1.0, 2.0), (0.5, 6.0)]:

        def clipped(x: Array, low: float = low, high: float = high) -> Array:
            return np.array([min(max(float(v), low), high) for v in x.reshape(-1)]).reshape(x.shape)

        yield f"{low}_to_{high}", "Clip", (3, 40), clipped, (0.05, -100), {"min": low, "max": high}


def _reductions(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    modes: list[tuple[str, Params]] = [("Mean", (0.03, 5)), ("Max", X), ("Min", X), ("Sum", (0.5, 0))]
    for mode, params in modes:
        for axes, keep in [((1, 2), True), ((-1,), False)]:
            q = integers(rng, (2, 3, 4, 5))
            y = stored_array(case_reduce_fusion.loop(real(q, X), axes, keep, f"Reduce{mode}", 1), params)
            inputs = (q, np.array(axes, np.int32))
            attributes = {"mode": f"Reduce{mode}", "keep_dims": keep}
            known = [quantization(X), None], [quantization(params)]
            name = f"{mode.lower()}_of_{len(axes)}_axes"
            yield quantized_case(name, "ReduceFusion", inputs, (y,), *known, attributes, frozenset({1}), quanta=1)


def _pads(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    q, pairs = integers(rng, (2, 3)), ((1, 2), (0, 3))
    inputs = (q, np.array(pairs, np.int32))
    for fill, params in [(0.0, X), (1.5, X), (-0.5, (0.03, 20))]:
        y = stored_array(case_pad_fusion.loop(real(q, X), pairs, "CONSTANT", fill), params)
        known = [quantization(X), None], [quantization(params)]
        attributes = {"constant_value": fill}
        yield quantized_case(f"fill_{fill}", "PadFusion", inputs, (y,), *known, attributes, frozenset({1}), quanta=1)


def _per_channel(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    """Operators with further inputs, which are float constants, or integers with parameters of their own."""
    for name, shape in [("rank_2", (6, 4)), ("rank_3", (2, 5, 3)), ("rank_4", (2, 2, 3, 4))]:
        q = integers(rng, shape)
        x, channels = real(q, X), shape[-1]
        a, b = rng.normal(size=channels).astype(np.float32), rng.normal(size=channels).astype(np.float32)
        positive = rng.uniform(0.5, 2, channels).astype(np.float32)
        bias = rng.integers(-3000, 3000, channels).astype(np.int32)
        scale = integers(rng, (channels,))
        rows: list[tuple[str, tuple[Array, ...], Array, dict[str, Any]]] = [
            ("BatchNorm", (a, positive), case_batch_norm.loop(x, a, positive, 1e-3), {"epsilon": 1e-3}),
            (
                "FusedBatchNorm",
                (positive, a, b, positive),
                case_fused_batch_norm.loop((x, positive, a, b, positive), 1e-3),
                {"epsilon": 1e-3},
            ),
            ("PReLUFusion", (positive,), case_prelu_fusion.loop(x, positive.tolist()), {}),
            (
                "LayerNormFusion",
                (a, b),
                case_layer_norm_fusion.loop(x, a, b, -1, -1, 1e-3)[0],
                {"begin_norm_axis": -1, "begin_params_axis": -1, "epsilon": 1e-3},
            ),
        ]
        if len(shape) > 2:
            rows.append(("InstanceNorm", (a, b), case_instance_norm.loop(x, a, b, 1e-3), {"epsilon": 1e-3}))
        for op_type, more, y, attributes in rows:
            yield _with_constants(name, op_type, q, more, [None] * len(more), y, attributes)
        bias_real = real(bias, (0.001, 0))
        added = case_bias_add.loop(x, bias_real)
        yield _with_constants(name, "BiasAdd", q, (bias,), [(0.001, 0)], added, {})
        yield _normalized(f"{name}_with_parameters_as_integers", q, scale, bias)
        scaled = case_scale_fusion.loop(x, real(scale, (0.02, 3)), None, -1, "NO_ACTIVATION")
        yield _with_constants(name, "ScaleFusion", q, (scale,), [(0.02, 3)], scaled, {"axis": -1})


def _normalized(name: str, q: Array, scale: Array, shift: Array) -> ConformanceCase:
    """Scale and shift of int8 and int32, as models that are quantized tensor by tensor have them."""
    params: list[Params] = [(0.02, 3), (0.001, 0)]
    y = case_layer_norm_fusion.loop(real(q, X), real(scale, params[0]), real(shift, params[1]), -1, -1, 1e-3)[0]
    attributes = {"begin_norm_axis": -1, "begin_params_axis": -1, "epsilon": 1e-3}
    return _with_constants(name, "LayerNormFusion", q, (scale, shift), params, y, attributes)


def _with_constants(
    name: str,
    op_type: str,
    q: Array,
    more: tuple[Array, ...],
    params: list[Params] | list[None],
    y: Array,
    attributes: dict[str, Any],
) -> ConformanceCase:
    out: Params = (0.08, 3)
    known = [quantization(X), *[None if p is None else quantization(p) for p in params]], [quantization(out)]
    constants = frozenset(range(1, 1 + len(more)))
    stored = stored_array(y, out)
    return quantized_case(name, op_type, (q, *more), (stored,), *known, attributes, constants, quanta=1)


def _eltwise(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    modes: list[tuple[str, Callable[[float, float], float]]] = [
        ("PROD", lambda u, v: u * v),
        ("SUM", lambda u, v: u + v),
        ("MAXIMUM", max),
    ]
    for mode, function in modes:
        a, b = integers(rng, (3, 8)), integers(rng, (3, 8))
        pairs = zip(real(a, X).reshape(-1).tolist(), real(b, CENTERED).reshape(-1).tolist(), strict=True)
        y = stored_array(np.array([function(u, v) for u, v in pairs]).reshape(3, 8), (0.6, -5))
        known = [quantization(X), quantization(CENTERED)], [quantization((0.6, -5))]
        yield quantized_case(mode.lower(), "Eltwise", (a, b), (y,), *known, {"mode": mode}, quanta=1)


def _of_plain_integers() -> Iterator[ConformanceCase]:
    """Cases of plain integers, where 0 stands for 0: the same ones at the same scale, halves at twice the scale."""
    for module in (
        *(case_arg_max_fusion, case_arg_min_fusion, case_top_k_fusion, case_crop, case_space_to_depth),
        *(case_batch_to_space, case_batch_to_space_nd, case_space_to_batch, case_space_to_batch_nd),
    ):
        for case in module.cases():
            if case.inputs[0] is not None and case.inputs[0].dtype == np.int8:
                yield _quantized(case, "same", CENTERED, case.outputs)
                outputs = tuple(stored_array(real(y, CENTERED), TWICE) if _is_int8(y) else y for y in case.outputs)
                yield _quantized(case, "twice_the", TWICE, outputs)


def _quantized(case: ConformanceCase, kind: str, params: Params, outputs: tuple[Array, ...]) -> ConformanceCase:
    known = tuple(quantization(CENTERED) if x is not None and _is_int8(x) else None for x in case.inputs)
    given = tuple(quantization(params) if _is_int8(y) else None for y in outputs)
    name = f"int8_{kind}_scale_{case.name}"
    return replace(case, name=name, outputs=outputs, quantization=NodeQuantization(known, given))


def _is_int8(array: Array) -> bool:
    return bool(array.dtype == np.int8)


def cases() -> Iterator[ConformanceCase]:
    """Lines, windows, reductions, padding, further inputs with and without parameters, indices that stay indices."""
    rng = np.random.default_rng(138)
    for name, op_type, shape, loop, params, attributes in (*_resizes(), *_lines(), *_clips()):
        q = integers(rng, shape)
        y = stored_array(loop(real(q, X)), params)
        known = [quantization(X)], [quantization(params)]
        yield quantized_case(name, op_type, (q,), (y,), *known, attributes, quanta=1)
    yield from _reductions(rng)
    yield from _pads(rng)
    yield from _per_channel(rng)
    yield from _eltwise(rng)
    yield from _of_plain_integers()
