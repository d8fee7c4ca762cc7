"""OutputColumns: the columns that the outputs of a model become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...basics.similar import did_you_mean
from ...errors import InputError
from ...inference.tensors.port import Port
from ...ir import DataType
from ..pyarrow_package import pyarrow
from ..rows.arrow_arrays import arrow_type, as_arrow

ERROR = "error"
"""The column with the reason why a row has no outputs."""


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """The column of one output.

    Attributes:
        index: of the output.
        name: of the column.
        dtype: the element type of numpy; an object type stands for strings.
        shape: of a row; None where rows have several shapes.
    """

    index: int
    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...] | None

    @property
    def type(self) -> Any:
        """The type of the column: see ``arrow_type``; a list of elements and a list of dimensions where rows have
        several shapes."""
        if self.shape is not None:
            return arrow_type(_text_for_objects(self.dtype), self.shape, self.name)
        pa = pyarrow()
        element = arrow_type(_text_for_objects(self.dtype), (), self.name)
        return pa.struct([("data", pa.list_(element)), ("shape", pa.list_(pa.int32()))])

    @property
    def facts(self) -> list[Any]:
        """Plain data that tells the column from another one."""
        return [self.index, self.name, str(self.dtype), None if self.shape is None else list(self.shape)]

    def column(self, values: Mapping[int, Any], rows: int, found: Array | None) -> Any:
        """The column of a chunk.

        Args:
            values: the value of each row that has one, where rows have several shapes.
            rows: of the chunk.
            found: ``(rows, ...)`` with the values of rows of one shape; None: no row has a value.
        """
        pa = pyarrow()
        if self.shape is not None:
            if found is None:
                return pa.nulls(rows, self.type)
            is_missing = np.ones(rows, np.bool_)
            is_missing[list(values)] = False
            made = as_arrow(found, is_missing)
            return made if made.type == self.type else made.cast(self.type)
        each = [values.get(row) for row in range(rows)]
        data = [None if a is None else {"data": a.reshape(-1), "shape": np.array(a.shape, np.int32)} for a in each]
        return pa.array(data, self.type)


def _text_for_objects(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.str_) if dtype.kind == "O" else dtype


def output_columns(
    outputs: Sequence[Port], rows: int, wanted: Sequence[str], *, have_several_shapes: bool
) -> tuple[OutputColumn, ...]:
    """The columns of a model's outputs.

    Args:
        outputs: of the compiled model.
        rows: of a batch.
        wanted: ``OUTPUT`` or ``OUTPUT=COLUMN`` for each output that is kept; empty: all, by their names.
        have_several_shapes: whether rows may have several shapes.

    Raises:
        InputError: there is no such output, or two columns have one name.
    """
    names = [port.name for port in outputs]
    pairs = [_pair(text, names) for text in wanted] or [(name, name) for name in names]
    columns = [column for _, column in pairs]
    twice = next((column for column in columns if columns.count(column) > 1 or column == ERROR), None)
    if twice is not None:
        raise InputError(f"Two columns would be called '{twice}'; say --save OUTPUT=COLUMN.")
    return tuple(_column(outputs[names.index(name)], column, rows, have_several_shapes) for name, column in pairs)


def _pair(text: str, names: Sequence[str]) -> tuple[str, str]:
    if text in names:
        return text, text
    name, _, column = text.rpartition("=")
    if name not in names or not column:
        known = ", ".join(f"'{each}'" for each in names)
        raise InputError(f"--save {text}: the model's outputs are {known}{did_you_mean(name or text, names)}.")
    return name, column


def _column(port: Port, column: str, rows: int, have_several_shapes: bool) -> OutputColumn:
    if port.dtype == DataType.STRING or port.element is None:
        return OutputColumn(port.index, column, np.dtype(object), () if rows > 1 else None)
    extents = port.extents
    if extents is None or have_several_shapes:
        is_scalar = extents is not None and len(extents) == 1 and extents[0] == rows
        return OutputColumn(port.index, column, port.element, () if is_scalar else None)
    by_row = bool(extents) and extents[0] == rows
    return OutputColumn(port.index, column, port.element, extents[1:] if by_row else extents)
