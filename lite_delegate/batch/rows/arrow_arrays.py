"""Arrays of numpy as columns of Arrow: one row of the column for each item of the first axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...errors import InputError
from ..pyarrow_package import pyarrow


def arrow_type(dtype: np.dtype[Any], shape: tuple[int, ...], name: str) -> Any:
    """The type of a column whose rows are arrays of one shape: a number, a list of fixed size, or Arrow's fixed-shape
    tensor, which a reader that does not know tensors sees as a list of fixed size.

    Raises:
        InputError: Arrow has no such elements.
    """
    pa = pyarrow()
    if dtype.kind not in "biufUS" or (dtype.kind == "f" and dtype.itemsize > 8):
        raise InputError(f"'{name}' has elements of {dtype}, expected numbers, bool or strings.")
    element = pa.string() if dtype.kind in "US" else pa.from_numpy_dtype(dtype.newbyteorder("="))
    if not shape:
        return element
    if len(shape) == 1 or dtype.kind in "US":
        return pa.list_(element, int(np.prod(shape)))
    return pa.fixed_shape_tensor(element, shape)


def as_arrow(array: Array, is_missing: Array | None = None) -> Any:
    """A column with an array's items. Numbers of this machine's byte order are not copied.

    Args:
        array: ``(N, ...)``.
        is_missing: ``(N,)`` of bool, true where the row has no value; None: all rows have values.
    """
    pa = pyarrow()
    native = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    if native.dtype.kind == "S":
        native = np.strings.decode(native, "utf-8", "replace")
    if native.dtype.kind == "U":
        native = native.astype(object)
    rows, shape = native.shape[0], native.shape[1:]
    if not shape and is_missing is not None:
        return pa.array(native, mask=is_missing)
    flat = _column_of(native.reshape(-1))
    if not shape:
        return flat
    type_ = arrow_type(array.dtype, shape, "column")
    tensor = isinstance(type_, pa.FixedShapeTensorType)
    storage = type_.storage_type if tensor else type_
    validity = None if is_missing is None else pa.array(~is_missing).buffers()[1]
    if is_missing is None or not is_missing.any():
        validity = None
    listed = pa.Array.from_buffers(storage, rows, [validity], children=[flat])
    return pa.ExtensionArray.from_storage(type_, listed) if tensor else listed


def numbers_of(column: Any) -> Array:
    """The numbers of a column without missing ones, not copied.

    ``pyarrow.Array.to_numpy`` imports pandas where it is installed, which takes longer than a small job.
    """
    dtype, data = np.dtype(column.type.to_pandas_dtype()), column.buffers()[1]
    if data is None:
        return np.zeros(0, dtype)
    return np.frombuffer(data, dtype, len(column), column.offset * dtype.itemsize)


def _column_of(flat: Array) -> Any:
    """A column of numbers or strings; see ``numbers_of`` for the way of numbers."""
    pa = pyarrow()
    if flat.dtype.kind not in "iuf":
        return pa.array(flat)
    return pa.Array.from_buffers(pa.from_numpy_dtype(flat.dtype), len(flat), [None, pa.py_buffer(flat)])
