"""Random numbers that depend on nothing but their seeds, the same as TensorFlow's for the same seeds.

Philox4x32-10: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

import math

import numpy as np

from ._kernel import Array, ArraySpec, KernelInputError, Shape
from ._movement import constant_ints, int_list, unknown_shape, vector_length

_ROUNDS = 10
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_LEAST_UNIFORM = np.float32(1e-7)


def uniform(count: int, seed: int, seed2: int) -> Array:
    """``count`` float32 numbers evenly distributed over [0, 1): 23 random bits each."""
    bits = (_words(count, seed, seed2) & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)
    return bits.view(np.float32) - np.float32(1)


def standard_normal(count: int, seed: int, seed2: int) -> Array:
    """``count`` normally distributed float32 numbers, mean 0 and deviation 1, by the transform of Box and Muller."""
    pairs = uniform(count + count % 2, seed, seed2).reshape(-1, 2)
    radius = np.sqrt(-2 * np.log(np.maximum(pairs[:, 0], _LEAST_UNIFORM)))
    angle = np.float32(2 * math.pi) * pairs[:, 1]
    return np.stack([np.sin(angle) * radius, np.cos(angle) * radius], axis=1).ravel()[:count]


def _words(count: int, seed: int, seed2: int) -> Array:
    """``count`` random 32-bit words: the key is ``seed``, the counter starts at ``seed2 * 2 ** 64``."""
    blocks = np.arange(-(-count // 4), dtype=np.uint64)
    key = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    counter = [blocks & _LOW, blocks >> _HALF]
    counter += [np.full_like(blocks, seed2 & 0xFFFFFFFF), np.full_like(blocks, seed2 >> 32 & 0xFFFFFFFF)]
    for _ in range(_ROUNDS):
        products = [counter[2 * i] * np.uint64(_MULTIPLIERS[i]) for i in (0, 1)]
        counter = [
            products[1] >> _HALF ^ counter[1] ^ np.uint64(key[0]),
            products[1] & _LOW,
            products[0] >> _HALF ^ counter[3] ^ np.uint64(key[1]),
            products[0] & _LOW,
        ]
        key = [(k + step) & 0xFFFFFFFF for k, step in zip(key, _KEY_STEPS, strict=True)]
    return np.stack(counter, axis=1).ravel()[:count].astype(np.uint32)


def drawn_shape(shape: Array) -> Shape:
    """The shape that an input asks for.

    Raises:
        KernelInputError: not integers, or a negative one.
    """
    dims = tuple(int_list(shape, "shape"))
    if any(d < 0 for d in dims):
        raise KernelInputError(f"shape must not be negative, got {list(dims)}")
    return dims


def infer_drawn(shape: ArraySpec) -> ArraySpec:
    """The spec of float32 numbers of the shape that an input asks for, as far as it is known.

    Raises:
        KernelInputError: as ``drawn_shape``, or an input of more than one dim.
    """
    dtype = np.dtype(np.float32)
    if shape.rank not in (None, 0, 1):
        raise KernelInputError(f"shape must be 1-D, got shape {shape.shape}")
    if constant_ints(shape, "shape") is None or shape.value is None:
        return ArraySpec(dtype, unknown_shape(vector_length(shape)))
    return ArraySpec(dtype, drawn_shape(shape.value))
