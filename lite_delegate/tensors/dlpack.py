"""DLPack: arrays of other libraries, read where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ..errors import InputError

DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 13: "managed CUDA", 14: "oneAPI", 15: "WebGPU"}
"""Where arrays may be that are not in the host's memory, by DLPack's numbers (``DLDeviceType``)."""


def is_exchangeable(given: object) -> bool:
    """True for an object that tells its memory by DLPack: an array of PyTorch, JAX, TensorFlow, CuPy, ..."""
    return hasattr(type(given), "__dlpack__") and hasattr(type(given), "__dlpack_device__")


def from_dlpack(given: Any, where: str) -> Array:
    """The array of another library's object, not copied.

    Args:
        given: an object that ``is_exchangeable``.
        where: its use, for messages.

    Raises:
        InputError: the object is not in the host's memory, or cannot be exchanged: it needs a gradient, or has a type
            that numpy does not have.
    """
    try:
        kind = int(given.__dlpack_device__()[0])
        if kind not in DEVICES:
            return np.from_dlpack(given)
    except Exception as e:  # of any library's own code
        raise InputError(f"{where}: the {type(given).__name__} cannot be exchanged by DLPack: {e}") from e
    raise InputError(f"{where}: the {type(given).__name__} is in memory of {DEVICES[kind]}; copy it to the host first.")
