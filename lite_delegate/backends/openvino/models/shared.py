"""Shared arrays: OpenVINO uses their memory without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....tensors.tensor import Array


class _Writeable:
    """The memory of an array, said to be writeable; it keeps the array.

    OpenVINO shares no read-only array, though it only reads constants and inputs.
    """

    def __init__(self, array: Array) -> None:
        self.array = array
        known = array.__array_interface__
        self.__array_interface__: dict[str, Any] = {**known, "data": (known["data"][0], False)}


def by_width(array: Array) -> Array:
    """The elements of an array with the type that numpy has for their width.

    C has two integers of 64 bits, and numpy a type for each: ONNX Runtime gives the one that OpenVINO does not know.
    """
    return array.view(np.dtype(array.dtype.name)) if array.dtype.char in "qQ" else array


def sharable(array: Array) -> Array:
    """An array that OpenVINO can share: contiguous and not flagged read-only. Elements are copied only to make it
    contiguous.
    """
    flags = array.flags
    if not flags.c_contiguous:
        return by_width(np.ascontiguousarray(array))
    return by_width(array) if flags.writeable else np.asarray(_Writeable(array))
