"""Conformance cases of ReduceFusion, expected values by a direct loop over every reduced group."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import INTEGERS, store
from .samples import ints

NAN, INF = float("nan"), float("inf")
Values = list[Any]


def _mean(values: Values) -> float:
    total = sum(values)
    if isinstance(total, float):
        return total / len(values)
    return total // len(values) if total >= 0 else -(-total // len(values))


RULES: dict[str, Callable[[Values], float]] = {
    "ReduceMean": _mean,
    "ReduceMax": max,
    "ReduceMin": min,
    "ReduceProd": math.prod,
    "ReduceSum": sum,
    "ReduceSumSquare": lambda values: sum(v * v for v in values),
    "ReduceASum": lambda values: sum(abs(v) for v in values),
    "ReduceAll": all,
    "ReduceL2": lambda values: math.sqrt(sum(v * v for v in values)),
}


def loop(x: Array, axes: Sequence[int], keep: bool, mode: str, factor: float) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    over = {a % x.ndim for a in axes}
    groups: dict[tuple[int, ...], Values] = {}
    for index in np.ndindex(x.shape):
        group = tuple(0 if i in over else k for i, k in enumerate(index))
        groups.setdefault(group, []).append(x[index].item())
    out = np.empty(tuple(1 if i in over else d for i, d in enumerate(x.shape)), dtype=x.dtype)
    for group, values in groups.items():
        value = RULES[mode](values)
        out[group] = value if x.dtype == bool else store(value if factor == 1 else value * factor, x.dtype)
    return out if keep else out.reshape([d for i, d in enumerate(x.shape) if i not in over])


def _case(
    name: str,
    x: Array,
    axes: Array | None,
    *,
    over: Sequence[int] | None = None,
    factor: float = 1,
    constants: frozenset[int] = frozenset({1}),
    **attributes: Any,
) -> ConformanceCase:
    """``over`` and ``factor`` say what is reduced and scaled where ``axes`` alone does not."""
    named = over if over is not None else [] if axes is None else [int(a) for a in axes.reshape(-1)]
    keep = attributes.get("keep_dims", False) and not attributes.get("reduce_to_end", False)
    y = loop(x, named, keep, attributes.get("mode", "ReduceMean"), factor)
    inputs = (x,) if axes is None else (x, axes)
    known = frozenset[int]() if axes is None else constants
    tolerance = {"float32": 1e-5, "float16": 2e-3, "float64": 1e-12}.get(x.dtype.name, 0)
    return ConformanceCase(name, "ReduceFusion", inputs, (y,), attributes, known, tolerance, tolerance / 10)


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], mode: str) -> Array:
    return rng.random(size=shape) > 0.4 if mode == "ReduceAll" else rng.normal(size=shape).astype(np.float32)


def _every_mode() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(118)
    for mode in RULES:
        x = _numbers(rng, (2, 3, 2, 7), mode)
        for name, axes in [
            ("last", (3,)),
            ("middle", (1, 2)),
            ("minus_1", (-1,)),
            ("axis_0", (0,)),
            ("mixed", (-1, 0)),
        ]:
            for keep in (False, True):
                yield _case(f"{mode}_{name}_keep_{keep}", x, ints(*axes), mode=mode, keep_dims=keep)
        yield _case(f"{mode}_no_axes_input", x, None, over=range(4), mode=mode)
        yield _case(f"{mode}_empty_axes_keep", x, ints(), over=range(4), mode=mode, keep_dims=True)
        yield _case(f"{mode}_to_end", x, ints(1), over=(1, 2, 3), mode=mode, reduce_to_end=True)
        yield _case(f"{mode}_rank_1", _numbers(rng, (5,), mode), ints(0), mode=mode)
        yield _case(f"{mode}_rank_0", _numbers(rng, (1,), mode).reshape(()), None, over=(), mode=mode)
        yield _case(f"{mode}_one_element", _numbers(rng, (1, 1), mode), ints(1), mode=mode, keep_dims=True)


def _axes_forms() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(119)
    x = rng.normal(size=(2, 3, 4)).astype(np.float32)
    yield _case("scalar_axes", x, np.array(1, dtype=np.int32))
    yield _case("scalar_negative_axes", x, np.array(-3, dtype=np.int32), keep_dims=True)
    yield _case("int64_axes", x, ints(0, 2, dtype="int64"))
    yield _case("axes_not_constant", x, ints(0, -1), constants=frozenset())
    yield _case("axes_not_constant_keep", x, ints(1), constants=frozenset(), keep_dims=True)
    yield _case("axes_empty_not_constant", x, ints(), over=range(3), constants=frozenset())
    yield _case("everything_constant", x, ints(1), constants=frozenset({0, 1}))
    yield _case("default_mode_is_the_mean", x, ints(2))
    yield _case("channels_17", rng.normal(size=(2, 5, 5, 17)).astype(np.float32), ints(1, 2), mode="ReduceMean")


def _to_end() -> Iterator[ConformanceCase]:
    x = np.random.default_rng(120).normal(size=(2, 3, 4)).astype(np.float32)
    rest: dict[str, Any] = {"reduce_to_end": True}
    yield _case("to_end_scales_by_coeff", x, ints(1), over=(1, 2), factor=2.5, mode="ReduceSum", coeff=2.5, **rest)
    yield _case("to_end_negative_coeff", x, ints(-1), factor=-3, mode="ReduceMax", coeff=-3.0, **rest)
    yield _case("to_end_tiny_coeff_is_ignored", x, ints(1), over=(1, 2), mode="ReduceSum", coeff=1e-5, **rest)
    yield _case("to_end_axis_0", x, ints(0), over=(0, 1, 2), mode="ReduceMean", **rest)
    yield _case("to_end_drops_keep_dims", x, ints(1), over=(1, 2), mode="ReduceSum", keep_dims=True, **rest)
    yield _case("coeff_without_to_end_is_ignored", x, ints(1), mode="ReduceSum", coeff=2.0)
    half = x.astype(np.float16)
    yield _case("to_end_float16", half, ints(1), over=(1, 2), factor=0.5, mode="ReduceSum", coeff=0.5, **rest)
    whole = np.arange(12, dtype=np.int32).reshape(2, 2, 3)
    yield _case("to_end_int32", whole, ints(1), over=(1, 2), mode="ReduceSum", **rest)


def _dtypes() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(121)
    for mode in RULES:
        if mode == "ReduceAll":
            continue
        for dtype in ("float16", "float64"):
            x = rng.normal(size=(3, 5)).astype(dtype)
            yield _case(f"{mode}_{dtype}", x, ints(1), mode=mode)
        for dtype in () if mode == "ReduceL2" else INTEGERS:
            low = 0 if dtype.startswith("u") else -50
            yield _case(f"{mode}_{dtype}", rng.integers(low, 120, size=(4, 9), dtype=dtype), ints(1), mode=mode)
    wide = np.full((2, 200), 1000, dtype=np.float16)
    for mode in ("ReduceMean", "ReduceL2"):
        yield _case(f"{mode}_float16_beyond_its_range", wide, ints(1), mode=mode)
    x = np.array([[-7, 2], [7, -2], [1, 2], [-1, -2]], dtype=np.int32)
    y = np.array([-2, 2, 1, -1], dtype=np.int32)
    yield ConformanceCase(
        "integer_mean_truncates", "ReduceFusion", (x, ints(1)), (y,), {}, frozenset({1}), source="hand"
    )


def _special_values() -> Iterator[ConformanceCase]:
    x = np.array([[1.0, NAN, 2.0], [INF, 1.0, -INF], [INF, 1.0, 2.0]], dtype=np.float32)
    for mode, values in {
        "ReduceMean": [NAN, NAN, INF],
        "ReduceMax": [NAN, INF, INF],
        "ReduceMin": [NAN, -INF, 1],
        "ReduceProd": [NAN, -INF, INF],
        "ReduceASum": [NAN, INF, INF],
        "ReduceL2": [NAN, INF, INF],
    }.items():
        y = np.array(values, dtype=np.float32)
        attributes = {"mode": mode}
        inputs = (x, ints(1))
        yield ConformanceCase(
            f"{mode}_special_values", "ReduceFusion", inputs, (y,), attributes, frozenset({1}), source="hand"
        )
    for mode, value in {
        "ReduceMean": NAN,
        "ReduceMax": -INF,
        "ReduceMin": INF,
        "ReduceProd": 1,
        "ReduceSum": 0,
        "ReduceSumSquare": 0,
        "ReduceL2": 0,
    }.items():
        y = np.full(2, value, dtype=np.float32)
        inputs = (np.zeros((2, 0), dtype=np.float32), ints(1))
        yield ConformanceCase(
            f"{mode}_over_no_elements", "ReduceFusion", inputs, (y,), {"mode": mode}, frozenset({1}), source="hand"
        )
    inputs = (np.zeros((0, 3), dtype=np.float32), ints(1))
    y = np.zeros(0, dtype=np.float32)
    yield ConformanceCase("empty_result", "ReduceFusion", inputs, (y,), {}, frozenset({1}), source="hand")


def cases() -> Iterator[ConformanceCase]:
    """Every mode over axes and ranks; forms of the axes; reduce_to_end and coeff; dtypes; NaN and no elements."""
    yield from _every_mode()
    yield from _axes_forms()
    yield from _to_end()
    yield from _dtypes()
    yield from _special_values()
