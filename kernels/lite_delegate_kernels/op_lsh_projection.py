"""LshProjection: items projected to bits by locality-sensitive hashing."""

from __future__ import annotations

import math

import numpy as np

from ._dtypes import ALL_DTYPES, check_dtype
from ._expect import expect_shape
from ._fingerprint import fingerprint64
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel

_DTYPE = np.dtype(np.int32)
_MOST_BITS = 32


def lsh_projection(hash_seeds: Array, items: Array, weight: Array | None = None, *, type: str = "UNKNOWN") -> Array:
    """One bit per seed: whether the weighted sum of the items' hashes is above 0, as TensorFlow Lite defines it.

    An item's hash is FarmHash's Fingerprint64 of the seed's bytes and the item's bytes, read as a signed number.

    Args:
        hash_seeds: float32 (H, B), B at most 32.
        items: (N, ...), any dtype.
        weight: float32 (N,); absent means 1 each.
        type: DENSE gives the bits, SPARSE one number per row of seeds.

    Returns:
        int32: DENSE (H * B,), the bits; SPARSE (H,), row h's bits as a binary number, the first the highest, plus
        ``h * 2 ** B`` (which wraps around).
    """
    seeds = np.ascontiguousarray(hash_seeds, dtype="<f4").ravel()
    item_size = math.prod(items.shape[1:]) * items.itemsize
    item_bytes = np.frombuffer(items.tobytes(), dtype=np.uint8).reshape(items.shape[0], item_size)
    scale = np.ones(len(item_bytes)) if weight is None else weight.astype(np.float64)
    bits = np.array([_bit(seed, item_bytes, scale) for seed in seeds], dtype=np.int64).reshape(hash_seeds.shape)
    if type == "DENSE":
        return bits.ravel().astype(_DTYPE)
    count = hash_seeds.shape[1]
    signatures = bits @ (1 << np.arange(count - 1, -1, -1))
    return np.asarray(signatures + (np.arange(len(bits)) << count)).astype(_DTYPE)


def infer_lsh_projection(
    hash_seeds: ArraySpec, items: ArraySpec, weight: ArraySpec | None = None, *, type: str
) -> ArraySpec:
    """int32 (H * B,) or (H,); raises KernelInputError for dtypes, shapes or a type that do not fit."""
    check_dtype(hash_seeds, ("float32",))
    check_dtype(items, ALL_DTYPES, "items")
    if type not in ("DENSE", "SPARSE"):
        raise KernelInputError(f"type must be DENSE or SPARSE, got {type}")
    rows, bits = expect_shape("hash", hash_seeds, (UNKNOWN, UNKNOWN))
    if bits > _MOST_BITS:
        raise KernelInputError(f"hash must have at most {_MOST_BITS} columns, got {bits}")
    if items.rank == 0:
        raise KernelInputError("items must have at least one dim, got rank 0")
    if weight is not None:
        check_dtype(weight, ("float32",), "weight")
        expect_shape("weight", weight, (UNKNOWN if items.shape is None else items.shape[0],))
    if type == "SPARSE":
        return ArraySpec(_DTYPE, (rows,))
    return ArraySpec(_DTYPE, (UNKNOWN if UNKNOWN in (rows, bits) else rows * bits,))


def _bit(seed: Array, item_bytes: Array, scale: Array) -> bool:
    prefix = np.frombuffer(seed.tobytes(), dtype=np.uint8)
    keys = np.concatenate([np.broadcast_to(prefix, (len(item_bytes), prefix.size)), item_bytes], axis=1)
    hashes = fingerprint64(keys).view(np.int64).astype(np.float64)
    return bool(np.sum(hashes * scale) > 0)


KERNEL = ReferenceKernel("LshProjection", lsh_projection, infer_lsh_projection, ("float32",))
