"""FarmHash's Fingerprint64 of many keys of one length at once (Google's FarmHash, the function "na")."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._kernel import Array

_K0 = np.uint64(0xC3A5C85C97CB3127)
_K1 = np.uint64(0xB492B66FBE98F273)
_K2 = np.uint64(0x9AE16A3B2F90404F)
_BLOCK = 64


class _Pair(NamedTuple):
    first: Array
    second: Array


@np.errstate(over="ignore")
def fingerprint64(keys: Array) -> Array:
    """The hash of every key.

    Args:
        keys: uint8 (K, length).

    Returns:
        uint64 (K,).
    """
    length = keys.shape[1]
    if length <= 16:
        return _up_to_16(keys, length)
    if length <= 32:
        return _up_to_32(keys, length)
    return _up_to_64(keys, length) if length <= _BLOCK else _longer(keys, length)


def _up_to_16(keys: Array, length: int) -> Array:
    if length >= 8:
        mul = _multiplier(length)
        a, b = _word(keys, 0) + _K2, _word(keys, length - 8)
        return _mixed(_rotated(b, 37) * mul + a, (_rotated(a, 25) + b) * mul, mul)
    if length >= 4:
        a, b = (_word(keys, start, 4) for start in (0, length - 4))
        return _mixed(np.uint64(length) + (a << np.uint64(3)), b, _multiplier(length))
    if length == 0:
        return np.full(len(keys), _K2)
    first, middle, last = (keys[:, i].astype(np.uint64) for i in (0, length >> 1, length - 1))
    y, z = first + (middle << np.uint64(8)), np.uint64(length) + (last << np.uint64(2))
    return _shift_mixed(y * _K2 ^ z * _K0) * _K2


def _up_to_32(keys: Array, length: int) -> Array:
    mul = _multiplier(length)
    return _mixed(*_ends(keys, length, _K1, mul), mul)


def _up_to_64(keys: Array, length: int) -> Array:
    mul = _multiplier(length)
    y, rest = _ends(keys, length, _K2, mul)
    z = _mixed(y, rest, mul)
    e, f = _word(keys, 16) * mul, _word(keys, 24)
    g = (y + _word(keys, length - 32)) * mul
    h = (z + _word(keys, length - 24)) * mul
    return _mixed(_rotated(e + f, 43) + _rotated(g, 30) + h, e + _rotated(f + _word(keys, 0) * _K2, 18) + g, mul)


def _ends(keys: Array, length: int, factor: np.uint64, mul: np.uint64) -> tuple[Array, Array]:
    """The hash of the first and the last 16 bytes."""
    a, b = _word(keys, 0) * factor, _word(keys, 8)
    c, d = _word(keys, length - 8) * mul, _word(keys, length - 16) * _K2
    return _rotated(a + b, 43) + _rotated(c, 30) + d, a + _rotated(b + _K2, 18) + c


def _longer(keys: Array, length: int) -> Array:
    """Whole blocks but for the last, then the last 64 bytes, which may overlap them."""
    seed = np.full(len(keys), 81, dtype=np.uint64)
    y = seed * _K1 + np.uint64(113)
    z = _shift_mixed(y * _K2 + np.uint64(113)) * _K2
    v = w = _Pair(np.zeros_like(seed), np.zeros_like(seed))
    state = (seed * _K2 + _word(keys, 0), y, z, v, w)
    for start in range(0, (length - 1) // _BLOCK * _BLOCK, _BLOCK):
        state = _block(keys, start, state, _K1, np.uint64(1))
    x, y, z, v, w = state
    mul = _K1 + ((z & np.uint64(0xFF)) << np.uint64(1))
    w = _Pair(w.first + np.uint64((length - 1) & 63), w.second)
    v = _Pair(v.first + w.first, v.second)
    w = _Pair(w.first + v.first, w.second)
    x, y, z, v, w = _block(keys, length - _BLOCK, (x, y, z, v, w), mul, np.uint64(9))
    left = _mixed(v.first, w.first, mul) + _shift_mixed(y) * _K0 + z
    return _mixed(left, _mixed(v.second, w.second, mul) + x, mul)


_State = tuple[Array, Array, Array, _Pair, _Pair]


def _block(keys: Array, start: int, state: _State, mul: Array | np.uint64, weight: np.uint64) -> _State:
    """One round over 64 bytes; the last round has another multiplier and weight."""
    x, y, z, v, w = state
    x = _rotated(x + y + v.first + _word(keys, start + 8), 37) * mul
    y = _rotated(y + v.second + _word(keys, start + 48), 42) * mul
    x = x ^ w.second * weight
    y = y + v.first * weight + _word(keys, start + 40)
    z = _rotated(z + w.first, 33) * mul
    v = _seeded(keys, start, v.second * mul, x + w.first)
    w = _seeded(keys, start + 32, z + w.second, y + _word(keys, start + 16))
    return z, y, x, v, w


def _seeded(keys: Array, start: int, a: Array, b: Array) -> _Pair:
    """A weak hash of 32 bytes."""
    first, second, third, fourth = (_word(keys, start + 8 * i) for i in range(4))
    a = a + first
    b = _rotated(b + a + fourth, 21)
    total = a + second + third
    return _Pair(total + fourth, b + _rotated(total, 44) + a)


def _word(keys: Array, start: int, size: int = 8) -> Array:
    """The little-endian number in ``size`` bytes of every key."""
    part = np.ascontiguousarray(keys[:, start : start + size])
    words: Array = part.view(f"<u{size}")[:, 0].astype(np.uint64)
    return words


def _rotated(value: Array, bits: int) -> Array:
    """Rotated to the right."""
    rotated: Array = value >> np.uint64(bits) | value << np.uint64(64 - bits)
    return rotated


def _shift_mixed(value: Array) -> Array:
    mixed: Array = value ^ value >> np.uint64(47)
    return mixed


def _mixed(u: Array, v: Array, mul: Array | np.uint64) -> Array:
    a = _shift_mixed((u ^ v) * mul)
    return _shift_mixed((v ^ a) * mul) * mul


def _multiplier(length: int) -> np.uint64:
    return _K2 + np.uint64(2 * length)
