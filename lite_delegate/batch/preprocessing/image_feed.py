"""ImageFeed: a column of encoded images gives the values of one input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ..pyarrow_package import pyarrow
from ..rows.column_values import NO_VALUE, ColumnValues, array_values
from ..rows.feed import Feed, whole
from ..rows.row_type import RowType
from .image_pixels import BadImage, pixels
from .image_plan import ImagePlan


@dataclass(frozen=True, slots=True, eq=False)
class ImageFeed(Feed):
    """Encoded images as the values of one input.

    Attributes:
        wanted: the type of a row.
        column: of bytes, or of structs with bytes.
        plan: how images become values.
        text: of the file that says it.
    """

    wanted: RowType
    column: str
    plan: ImagePlan
    text: str

    @property
    def inputs(self) -> tuple[str, ...]:
        """The one input."""
        return (self.wanted.name,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The column, and the text of the file."""
        return {"images": self.column, "preprocess": self.text}

    def values(self, table: Any) -> Mapping[str, ColumnValues]:
        """The values of the input for all rows."""
        return {self.wanted.name: array_values(list(self._each(table)), self.wanted)}

    def _each(self, table: Any) -> Iterator[Array | str]:
        """The values of each row, or the reason why it has none."""
        for data in encoded_images(whole(table.column(self.column))):
            if data is None:
                yield NO_VALUE
                continue
            try:
                yield image_values(pixels(data, self.plan), self.plan)
            except BadImage as e:
                yield str(e)


def encoded_images(column: Any) -> Iterator[bytes | None]:
    """The bytes of each row; None for a row without any.

    Args:
        column: a ``pyarrow.Array`` of bytes, or of structs with a field ``bytes``.
    """
    from pyarrow import compute

    pa = pyarrow()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_struct(column.type):
        column = compute.struct_field(column, "bytes")
    return (each.as_py() for each in column)


def image_values(found: Array, plan: ImagePlan) -> Array:
    """The values of an image's pixels in the order of the input.

    Args:
        found: ``(H, W, C)`` of uint8, in the order of the plan's colour.
        plan: for the input.
    """
    height, width, channels = found.shape
    planes: Array = np.empty((channels, height, width), plan.values.dtype)
    for channel in range(channels):
        np.take(plan.values[channel], found[..., channel], out=planes[channel], mode="clip")
    if len(plan.axes) == 2:
        planes = planes[0]
    elif plan.axes[0] != 2:
        planes = planes.transpose(1, 2, 0)
    return planes.reshape(-1) if plan.is_flat else planes
