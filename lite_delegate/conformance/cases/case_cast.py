"""Conformance cases of Cast, expected values written down or converted one Python number at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import store

NAN, INF = float("nan"), float("inf")
TYPE_IDS = {
    "bool": 30,
    "int8": 32,
    "int16": 33,
    "int32": 34,
    "int64": 35,
    "uint8": 37,
    "uint16": 38,
    "uint32": 39,
    "uint64": 40,
    "float16": 42,
    "float32": 43,
    "float64": 44,
}
GENERIC_IDS = {31: "int32", 36: "uint32", 41: "float32"}


def _case(name: str, x: Array, type_id: Array, y: Array, source: str = "hand") -> ConformanceCase:
    return ConformanceCase(name, "Cast", (x, type_id), (y,), constants=frozenset({1}), source=source)


def _id(number: int) -> Array:
    return np.array(number, dtype=np.int32)


def _convert(x: Array, dtype: str) -> Array:
    """Each number by Python: int() drops the fraction, bool() asks for "not 0"."""
    out = np.empty(x.shape, dtype=dtype)
    for index in np.ndindex(x.shape):
        value: Any = x[index].item()
        out[index] = bool(value) if dtype == "bool" else store(value, out.dtype)
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every pair of dtypes; fractions, wrapping, overflow, NaN; forms of the type id; ranks and empty arrays."""
    for source in TYPE_IDS:
        x = _convert(np.array([[0.0, 1.0, 2.75], [100.5, 7.0, 0.0]]), source)
        for wanted, number in TYPE_IDS.items():
            yield _case(f"{source}_to_{wanted}", x, _id(number), _convert(x, wanted), "loop")
    for number, wanted in GENERIC_IDS.items():
        x = np.array([1.5, 2.0], dtype=np.float32)
        yield _case(f"generic_id_{number}", x, _id(number), _convert(x, wanted), "loop")
    fractions = np.array([-2.9, -0.5, 0.5, 2.9, -0.0], dtype=np.float32)
    yield _case("fractions_are_dropped", fractions, _id(34), np.array([-2, 0, 0, 2, 0], dtype=np.int32))
    big = np.array([300, -1, 128, 65536], dtype=np.int32)
    yield _case("wider_integers_wrap_int8", big, _id(32), np.array([44, -1, -128, 0], dtype=np.int8))
    yield _case("wider_integers_wrap_uint8", big, _id(37), np.array([44, 255, 128, 0], dtype=np.uint8))
    special = np.array([NAN, INF, -INF, 1e6, 1e-9, 2049.0], dtype=np.float32)
    half = np.array([NAN, INF, -INF, INF, 0.0, 2048.0], dtype=np.float16)
    yield _case("special_values_to_float16", special, _id(42), half)
    yield _case("special_values_to_bool", special, _id(30), np.array([True] * 6))
    yield _case("rank_0", np.array(3, dtype=np.int32), _id(43), np.array(3, dtype=np.float32))
    yield _case("empty", np.zeros((2, 0), dtype=np.int64), _id(43), np.zeros((2, 0), dtype=np.float32))
    x = np.arange(24, dtype=np.int32).reshape(1, 2, 3, 4)
    yield _case("rank_4", x, _id(43), _convert(x, "float32"), "loop")
    yield _case("type_id_of_rank_1", x, np.array([35], dtype=np.int32), _convert(x, "int64"), "loop")
    yield _case("type_id_int64", x, np.array(37, dtype=np.int64), _convert(x, "uint8"), "loop")
