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
    count = count_strings(tensor)
    starts = np.frombuffer(content, dtype=_INT, count=count + 1, offset=_INT.itemsize)
    if starts[0] < _INT.itemsize * (count + 2) or np.any(starts[1:] < starts[:-1]) or starts[-1] > len(content):
        raise KernelInputError(f"a string tensor of {len(content)} bytes has strings that lie outside of it")
    places = starts.tolist()
    return [content[start:end] for start, end in pairwise(places)]


def count_strings(tensor: Array) -> int:
    """How many strings a string tensor has.

    Raises:
        KernelInputError: the tensor ends before the strings' places do.
    """
    content = tensor.tobytes()
    count = int.from_bytes(content[: _INT.itemsize], "little", signed=True)
    if count < 0 or len(content) < _INT.itemsize * (count + 2):
        raise KernelInputError(f"a string tensor of {len(content)} bytes cannot hold the places of {count} strings")
    return count


def string_count(spec: ArraySpec) -> int:
    """How many strings a tensor has, ``UNKNOWN`` where it is no constant; raises as ``count_strings`` does."""
    return UNKNOWN if spec.value is None else count_strings(spec.value)


def string_spec() -> ArraySpec:
    """A string tensor of any size: how many bytes it takes is known only when the strings are."""
    return ArraySpec(STRING_DTYPE, (UNKNOWN,))
