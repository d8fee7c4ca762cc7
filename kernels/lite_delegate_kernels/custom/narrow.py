"""Element types that numpy does not have: their elements are held in a wider type, rounded to what the narrow one has.

Numbers are those of ONNX's ``TensorProto``. The floats are tables: the values that are not negative, in the order of
their codes, which is ascending.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from .._dtypes import DType
from .._kernel import Array, KernelInputError

BFLOAT16, E8M0, E2M1 = 16, 24, 23


@dataclass(frozen=True)
class NarrowFloat:
    """A float of few bits.

    Attributes:
        exponent, mantissa: bits of each.
        bias: of the exponent.
        largest: the largest finite value.
        beyond: what larger ones become that do not saturate: infinity, NaN, or ``largest``.
        negative_zero: whether it is there.
    """

    exponent: int
    mantissa: int
    bias: int
    largest: float
    beyond: float
    negative_zero: bool = True


FLOATS: dict[int, NarrowFloat] = {
    17: NarrowFloat(4, 3, 7, 448.0, np.nan),
    18: NarrowFloat(4, 3, 8, 240.0, np.nan, negative_zero=False),
    19: NarrowFloat(5, 2, 15, 57344.0, np.inf),
    20: NarrowFloat(5, 2, 16, 57344.0, np.nan, negative_zero=False),
    E2M1: NarrowFloat(2, 1, 1, 6.0, 6.0),
}
"""float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float4e2m1."""
INTEGERS: dict[int, tuple[int, bool]] = {21: (4, False), 22: (4, True), 25: (2, False), 26: (2, True)}
"""Bits, and whether there are negative numbers: uint4, int4, uint2, int2."""
NARROW = (BFLOAT16, E8M0, *FLOATS, *INTEGERS)


def wide_dtype(elem_type: int) -> DType:
    """The dtype that holds the elements of a narrow type: float32, int8 or uint8.

    Raises:
        KeyError: it is no narrow type.
    """
    if elem_type in INTEGERS:
        return np.dtype(np.int8 if INTEGERS[elem_type][1] else np.uint8)
    if elem_type not in NARROW:
        raise KeyError(elem_type)
    return np.dtype(np.float32)


def bits_of(elem_type: int) -> int:
    """The bits of an element of a narrow type."""
    if elem_type in INTEGERS:
        return INTEGERS[elem_type][0]
    return {BFLOAT16: 16, E2M1: 4}.get(elem_type, 8)


def limits(elem_type: int) -> tuple[int, int]:
    """The smallest and the largest integer of a narrow type of integers."""
    bits, signed = INTEGERS[elem_type]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


@np.errstate(all="ignore")
def narrowed(x: Array, elem_type: int, *, saturate: bool = True, round_mode: str = "up") -> Array:
    """Every element as the narrow type has it, in the type that holds it.

    Floats are rounded to the nearest, the even one of two that are equally near; integers lose their fraction and then
    their upper bits, and what is not finite becomes 0.

    Args:
        x: numbers of any type.
        elem_type: the narrow type.
        saturate: floats beyond the largest become that; otherwise infinite or NaN, as the type has it.
        round_mode: of float8e8m0, which has powers of two alone: "up", "down" or "nearest".
    """
    if elem_type in INTEGERS:
        return _integers(x, elem_type)
    if elem_type == BFLOAT16:
        return bfloat16(x)
    if elem_type == E8M0:
        return _powers(x, round_mode)
    return _rounded(x, FLOATS[elem_type], saturate)


def bfloat16(x: Array) -> Array:
    """Every element rounded to 8 bits of mantissa, as float32."""
    single = np.ascontiguousarray(x, np.float32)
    bits = single.view(np.uint32)
    rounded = ((bits + (np.uint32(0x7FFF) + ((bits >> 16) & 1))) & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(single), single, rounded).reshape(np.shape(x))


@np.errstate(all="ignore")
def decoded(codes: Array, elem_type: int) -> Array:
    """The elements that codes of a narrow type stand for, in the type that holds them.

    Args:
        codes: uint8, or uint16 for bfloat16: one code each, in the lowest bits.
        elem_type: the narrow type.
    """
    if elem_type == BFLOAT16:
        return (codes.astype(np.uint32) << 16).view(np.float32)
    if elem_type == E8M0:
        return np.where(codes == 255, np.float32(np.nan), np.ldexp(np.float32(1), codes.astype(np.int32) - 127))
    if elem_type in INTEGERS:
        bits, signed = INTEGERS[elem_type]
        whole = codes.astype(np.int16)
        return np.where(signed & (whole >= 1 << bits - 1), whole - (1 << bits), whole).astype(wide_dtype(elem_type))
    kind = FLOATS[elem_type]
    table = _values(kind)
    half = 1 << (kind.exponent + kind.mantissa)
    all_codes = np.full(half, np.float32(kind.beyond if np.isinf(kind.beyond) else np.nan))
    all_codes[: len(table)] = table
    if np.isinf(kind.beyond):
        all_codes[len(table) + 1 :] = np.nan
    both = np.concatenate([all_codes, -all_codes])
    if not kind.negative_zero:
        both[half] = np.nan
    return np.asarray(both[codes])


@cache
def _values(kind: NarrowFloat) -> Array:
    """The finite values that are not negative, ascending."""
    codes = np.arange(1 << (kind.exponent + kind.mantissa))
    exponent, mantissa = codes >> kind.mantissa, codes & ((1 << kind.mantissa) - 1)
    fraction = mantissa / (1 << kind.mantissa) + (exponent > 0)
    found = np.ldexp(fraction, np.maximum(exponent, 1) - kind.bias)
    return np.asarray(found[found <= kind.largest], np.float32)


def _rounded(x: Array, kind: NarrowFloat, saturate: bool) -> Array:
    table = _values(kind).astype(np.float64)
    step = table[-1] - table[-2]
    ends = np.append(table, table[-1] + step)
    middles = (ends[1:] + ends[:-1]) / 2
    size = np.abs(x.astype(np.float64))
    place = np.searchsorted(middles, size)
    # A tie goes to the even code.
    place += (place % 2 == 1) & (size == middles[np.minimum(place, len(middles) - 1)])
    last = len(table) - 1
    beyond = kind.largest if saturate or np.isfinite(kind.beyond) else kind.beyond
    y = np.where(place > last, beyond, table[np.minimum(place, last)])
    y = np.copysign(y, x) if kind.negative_zero else np.where(y == 0, 0.0, np.copysign(y, x))
    unknown = 0.0 if kind.beyond == kind.largest else np.nan
    return np.where(np.isnan(x), unknown, y).astype(np.float32)


def _powers(x: Array, round_mode: str) -> Array:
    powers = np.ldexp(1.0, np.arange(-127, 128))
    size = np.abs(x.astype(np.float64))
    if round_mode == "up":
        place = np.searchsorted(powers, size)
    elif round_mode == "down":
        place = np.searchsorted(powers, size, side="right") - 1
    elif round_mode == "nearest":
        place = np.searchsorted(1.5 * powers, size, side="right")
    else:
        raise KernelInputError(f"round_mode must be up, down or nearest, got '{round_mode}'")
    return np.where(np.isfinite(size), powers[np.clip(place, 0, 254)], np.nan).astype(np.float32)


def _integers(x: Array, elem_type: int) -> Array:
    bits, signed = INTEGERS[elem_type]
    whole = np.where(np.isfinite(x), np.trunc(x), 0).astype(np.int64) if x.dtype.kind == "f" else x.astype(np.int64)
    low = whole & ((1 << bits) - 1)
    return np.where(signed & (low >= 1 << bits - 1), low - (1 << bits), low).astype(wide_dtype(elem_type))
