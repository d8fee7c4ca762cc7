"""Tensors of a file that is being written."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import STRING_DTYPE

from ....basics.data_class import dataclass
from ....tensors.tensor import Array

TYPES = {
    "float32": 0,
    "float16": 1,
    "int32": 2,
    "uint8": 3,
    "int64": 4,
    "bool": 6,
    "int16": 7,
    "int8": 9,
    "float64": 10,
    "uint64": 12,
    "uint32": 15,
    "uint16": 16,
}
"""The schema's number of each element type (``TensorType``)."""
TEXT = STRING_DTYPE.name
"""The element type of strings, whose bytes are packed as ``lite_delegate_kernels.pack_strings`` does."""
TEXT_TYPE = 5
RESOURCE = "resource"
"""The element type of handles of variables."""
RESOURCE_TYPE = 13


@dataclass(frozen=True, slots=True)
class Quantization:
    """The real numbers that integers stand for: ``(q - zero_point) * scale``.

    Attributes:
        scales: one, or one for each index of ``axis``.
        zero_points: as many.
        axis: the dimension that several scales lie along.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0

    @property
    def is_per_channel(self) -> bool:
        """Whether there are several scales."""
        return len(self.scales) > 1


@dataclass(slots=True, eq=False)
class TfliteTensor:
    """A tensor of a subgraph.

    Attributes:
        name: in the file; a result may be renamed until the file is written.
        dtype: numpy's name of the element type, ``TEXT``, or ``RESOURCE``.
        shape: the dimensions, -1 where one is open.
        quantization: the meaning of integers, None without one.
        data: the contents of a constant, None for any other tensor.
        signature: the dimensions with -1 where one is open, while ``shape`` has the usual ones; None: as ``shape``.
        has_rank: whether the number of dimensions is known; where it is not, ``shape`` is empty.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    quantization: Quantization | None = None
    data: Array | None = None
    signature: tuple[int, ...] | None = None
    has_rank: bool = True

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The element type as numpy has it."""
        return STRING_DTYPE if self.dtype == TEXT else np.dtype(self.dtype)


def tensor_type_of(dtype: str) -> int | None:
    """The schema's number of an element type by numpy's name; None for a type that the format lacks."""
    return {RESOURCE: RESOURCE_TYPE, TEXT: TEXT_TYPE}.get(dtype, TYPES.get(dtype))
