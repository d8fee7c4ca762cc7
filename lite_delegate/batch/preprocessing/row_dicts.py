"""Rows of a table as dicts of plain Python and numpy values, for a function of the user."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from ..pyarrow_package import pyarrow
from ..rows.feed import whole
from ..rows.input_columns import is_shaped
from ..rows.list_shapes import is_list
from .image_feed import encoded_images
from .image_pixels import BadImage, decoded


def row_dicts(table: Any, images: Collection[str]) -> Iterator[dict[str, Any] | str]:
    """The rows of a table; a text in place of a row whose image cannot be read.

    Numbers, texts, times and bytes are Python's; lists and tensors are arrays of numpy; images are ``(H, W, C)`` of
    uint8 with C = 3; a value that is missing is None.

    Args:
        table: a ``pyarrow.Table``.
        images: the columns of encoded images.
    """
    names = table.column_names
    each = [
        _images(whole(table.column(name))) if name in images else _values(whole(table.column(name))) for name in names
    ]
    for values in zip(*each, strict=True):
        bad = next((f"column '{n}' {v}" for n, v in zip(names, values, strict=True) if isinstance(v, BadImage)), None)
        yield dict(zip(names, values, strict=True)) if bad is None else bad


def _images(column: Any) -> Iterator[Any]:
    for data in encoded_images(column):
        try:
            yield None if data is None else _image(data)
        except BadImage as e:
            yield e


def _image(data: bytes) -> Any:
    return np.asarray(decoded(data, "RGB"))


def _values(column: Any) -> Iterator[Any]:
    pa, kind = pyarrow(), column.type
    if isinstance(kind, pa.FixedShapeTensorType):
        flat = _values(column.storage)
        return (None if each is None else each.reshape(kind.shape) for each in flat)
    if is_shaped(kind):
        return (None if each is None else np.array(each["data"]).reshape(each["shape"]) for each in column.to_pylist())
    if not is_list(kind):
        return iter(column.to_pylist())
    if is_list(kind.value_type):
        return (None if each is None else _nested(each) for each in column.to_pylist())
    return (each.values.to_numpy(zero_copy_only=False) if each.is_valid else None for each in column)


def _nested(lists: Any) -> Any:
    try:
        return np.array(lists)
    except ValueError:  # of different lengths
        return lists
