"""String tensors: the strings of a tensor packed into one vector of bytes, as TensorFlow Lite and MindSpore Lite do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError

STRING_DTYPE = np.dtype("V1")
"""The dtype of string tensors: a byte without a meaning of its own, so that no kernel takes it for a number."""
STRING = STRING_DTYPE.name

_INT = np.dtype("<i4")


def pack_strings(strings: Sequence[bytes]) -> Array:
    """A string tensor.

    Returns:
        ``STRING_DTYPE`` (size,): the count, where each string starts, counted in bytes from the start of the
        tensor, where the last one ends, all little-endian int32; then the strings one after the other.
    """
    lengths = [len(s) for s in strings]
    starts = np.cumsum([_INT.itemsize * (len(strings) + 2), *lengths])
    head = np.array([len(strings), *starts], dtype=_INT)
    return np.frombuffer(b"".join([head.tobytes(), *strings]), dtype=STRING_DTYPE)


def unpack_strings(tensor: Array) -> list[bytes]:
    """The strings of a string tensor.

    Raises:
        KernelInputError: the bytes are no string tensor.
    """
    content = tensor.tobytes()
    return [content[start:end] for start, end in pairwise(string_places(tensor).tolist())]


def string_places(tensor: Array) -> Array:
    """The start of each string of a string tensor, and the end of the last one; raises as ``unpack_strings`` does."""
    count = count_strings(tensor)
    places = np.frombuffer(tensor[_INT.itemsize : _INT.itemsize * (count + 2)].tobytes(), dtype=_INT)
    if count and (places[0] < _INT.itemsize * (count + 2) or places[-1] > tensor.size or np.any(np.diff(places) < 0)):
        raise KernelInputError(f"a string tensor of {tensor.size} bytes has strings that lie outside of it")
    return places


def count_strings(tensor: Array) -> int:
    """Number of strings of a string tensor.

    Raises:
        KernelInputError: it is no vector of ``STRING_DTYPE``, or ends before the places of its strings do.
    """
    if tensor.dtype != STRING_DTYPE or tensor.ndim != 1:
        raise KernelInputError(f"expected packed strings, got {tensor.dtype} of shape {tensor.shape}")
    count = int.from_bytes(tensor[: _INT.itemsize].tobytes(), "little", signed=True)
    if count < 0 or tensor.size < _INT.itemsize * (count + 2):
        raise KernelInputError(f"a string tensor of {tensor.size} bytes cannot hold the places of {count} strings")
    return count


def string_count(spec: ArraySpec) -> int:
    """Number of strings of a tensor, ``UNKNOWN`` where it is no constant; raises as ``count_strings`` does."""
    return UNKNOWN if spec.value is None else count_strings(spec.value)


def string_spec() -> ArraySpec:
    """A string tensor of any size: how many bytes it takes is known only when the strings are."""
    return ArraySpec(STRING_DTYPE, (UNKNOWN,))
