"""Strings in tensors: any number of them, as UTF-8, packed into one array of bytes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from lite_delegate_kernels import STRING_DTYPE, Array, pack_strings, unpack_strings


def packed(strings: Iterable[str | bytes]) -> Array:
    """The contents of a STRING tensor.

    Args:
        strings: str, which are stored as UTF-8, or bytes.

    Raises:
        TypeError: one is neither.
    """
    return pack_strings([_encoded(each) for each in strings])


def unpacked(array: Array) -> list[str]:
    """The strings in the contents of a STRING tensor.

    Bytes that are not UTF-8 come as lone surrogates, as ``os.fsdecode`` gives them; ``packed`` turns them back into the
    same bytes.

    Raises:
        KernelInputError: the contents are no packed strings.
    """
    return [each.decode("utf-8", "surrogateescape") for each in unpack_strings(array)]


def as_numpy(array: Array) -> Array:
    """An array as the command line reads and writes it: strings as numpy has them."""
    return np.array(unpacked(array), dtype=np.str_) if array.dtype == STRING_DTYPE else array


def _encoded(string: str | bytes) -> bytes:
    if isinstance(string, str):
        return string.encode("utf-8", "surrogateescape")
    if not isinstance(string, bytes):
        raise TypeError(f"strings element must be str or bytes, but got {type(string).__name__}.")
    return string
