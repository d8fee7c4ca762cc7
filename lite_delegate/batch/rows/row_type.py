"""RowType: the element type and the shape of one row of an input."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...basics.data_class import dataclass
from ...inference.tensors.port import Port
from ...ir import DataType


@dataclass(frozen=True, slots=True)
class RowType:
    """The element type and the shape of one row of an input.

    Attributes:
        name: of the input.
        dtype: the element type of numpy; an object type stands for strings.
        shape: without the dimension of rows; None for an open dimension.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]

    @property
    def holds_strings(self) -> bool:
        """Whether the elements are strings."""
        return self.dtype.kind == "O"

    @property
    def is_open(self) -> bool:
        """Whether rows may have several shapes."""
        return None in self.shape

    @property
    def size(self) -> int:
        """The number of elements, with 1 for each open dimension."""
        return int(np.prod([1 if dim is None else dim for dim in self.shape], dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """The bytes of a row, with 1 for each open dimension."""
        return self.size * self.dtype.itemsize

    @property
    def text(self) -> str:
        """The type and the shape in words: "float32 [3, 224, ?]"."""
        dims = ", ".join("?" if dim is None else str(dim) for dim in self.shape)
        return f"{'strings' if self.holds_strings else self.dtype} [{dims}]"

    def shape_of(self, size: int, shape: tuple[int, ...] | None = None) -> tuple[int, ...] | None:
        """The shape that a value gets; None where it does not fit.

        Args:
            size: the number of elements.
            shape: of the value; None for a flat value, whose elements are in order. A flat value takes the input's
                shape, with one open dimension worked out; a value of another rank must have further dimensions of 1
                only.
        """
        if shape is not None and len(shape) != 1:
            squeezed = shape
            while len(squeezed) > len(self.shape) and squeezed[0] == 1:
                squeezed = squeezed[1:]
            return squeezed if self._takes(squeezed) else None
        if self.shape.count(None) > 1:
            return None
        if not self.is_open:
            return tuple(d for d in self.shape if d is not None) if size == self.size else None
        if self.size == 0 or size % self.size:
            return None
        return tuple(size // self.size if dim is None else dim for dim in self.shape)

    def _takes(self, shape: tuple[int, ...]) -> bool:
        return len(shape) == len(self.shape) and all(
            wanted in (None, dim) for dim, wanted in zip(shape, self.shape, strict=True)
        )


def row_type_of(port: Port, open_dims: tuple[int | None, ...] | None = None) -> RowType:
    """The type of one row of an input whose first dimension is the rows.

    Args:
        port: of the compiled model.
        open_dims: the dimensions of a row as the model's file has them, None where a dimension is open; None: as the
            port has them.
    """
    shape = open_dims
    if shape is None:
        ranges = port.ranges or ()
        shape = tuple(least if least == most else None for least, most in ranges[1:])
    is_text = port.dtype == DataType.STRING or port.element is None
    return RowType(port.name, np.dtype(object) if is_text else np.dtype(port.element), shape)
