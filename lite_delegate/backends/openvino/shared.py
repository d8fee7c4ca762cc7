"""Arrays whose memory OpenVINO uses where it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...tensor import Array


class _Writeable:
    """The memory of an array, said to be writeable; it keeps the array.

    OpenVINO shares no read-only array, though it only reads constants and inputs.
    """

    def __init__(self, array: Array) -> None:
        self.array = array
        known = array.__array_interface__
        self.__array_interface__: dict[str, Any] = {**known, "data": (known["data"][0], False)}


def sharable(array: Array) -> Array:
    """The same elements as OpenVINO can share them: contiguous and not flagged read-only, copied only for the first."""
    flags = array.flags
    if not flags.c_contiguous:
        return np.ascontiguousarray(array)
    return array if flags.writeable else np.asarray(_Writeable(array))
