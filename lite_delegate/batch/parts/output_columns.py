"""OutputColumns: the columns that the outputs of a model become."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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

    def column(self, found: Array, is_missing: Array | None) -> Any:
        """The column of rows of one shape.

        Args:
            found: ``(rows, ...)``, the values.
            is_missing: ``(rows,)`` of bool, true where a row has no value; None: all rows have values.
        """
        pa = pyarrow()
        if self.dtype.kind == "O" and self.shape:
            flat, mask = pa.array(found.reshape(-1), pa.string()), None if is_missing is None else pa.array(is_missing)
            return pa.FixedSizeListArray.from_arrays(flat, int(np.prod(self.shape)), mask=mask)
        made = as_arrow(found, is_missing)
        return made if made.type == self.type else made.cast(self.type)

    def column_of_shapes(self, values: Mapping[int, Array], rows: int) -> Any:
        """The column of rows of several shapes.

        Args:
            values: of each row that has one, by the row's number.
            rows: of the chunk.
        """
        pa = pyarrow()
        dtype = np.dtype(object) if self.dtype.kind == "O" else self.dtype
        none = np.zeros(0, dtype)
        each = [values.get(row) for row in range(rows)]
        data = np.concatenate([none, *(a.reshape(-1) for a in each if a is not None)])
        dims = np.array([dim for a in each if a is not None for dim in a.shape], np.int32)
        element = self.type.field("data").type.value_type
        lists = _lists([0 if a is None else a.size for a in each], pa.array(data, element))
        shapes = _lists([0 if a is None else a.ndim for a in each], pa.array(dims, pa.int32()))
        is_missing = pa.array([a is None for a in each], pa.bool_())
        return pa.StructArray.from_arrays([lists, shapes], fields=list(self.type), mask=is_missing)


def _lists(lengths: Sequence[int], elements: Any) -> Any:
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int32)
    return pyarrow().ListArray.from_arrays(offsets, elements)


def _text_for_objects(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.str_) if dtype.kind == "O" else dtype


def output_columns(
    outputs: Sequence[Port], rows: int, wanted: Sequence[str], open_outputs: Collection[str] = ()
) -> tuple[OutputColumn, ...]:
    """The columns of a model's outputs.

    Args:
        outputs: of the compiled model.
        rows: of a batch.
        wanted: ``OUTPUT`` or ``OUTPUT=COLUMN`` for each output that is kept; empty: all, by their names.
        open_outputs: the names of the outputs whose rows may have several shapes.

    Raises:
        InputError: there is no such output, two columns have one name, or the first dimension of an output is not the
            rows of a batch.
    """
    names = [port.name for port in outputs]
    pairs = [_pair(text, names) for text in wanted] or [(name, name) for name in names]
    columns = [column for _, column in pairs]
    twice = next((column for column in columns if columns.count(column) > 1 or column == ERROR), None)
    if twice is not None:
        raise InputError(f"Two columns would be called '{twice}'; say --save OUTPUT=COLUMN.")
    return tuple(_column(outputs[names.index(name)], column, rows, name in open_outputs) for name, column in pairs)


def _pair(text: str, names: Sequence[str]) -> tuple[str, str]:
    if text in names:
        return text, text
    name, _, column = text.rpartition("=")
    if name not in names or not column:
        known = ", ".join(f"'{each}'" for each in names)
        raise InputError(f"--save {text}: the model's outputs are {known}{did_you_mean(name or text, names) or '.'}")
    return name, column


def _column(port: Port, column: str, rows: int, is_open: bool) -> OutputColumn:
    dtype = np.dtype(object) if port.dtype == DataType.STRING or port.element is None else port.element
    extents = port.extents
    by_row = extents is not None and bool(extents) and extents[0] == rows
    if extents is not None and rows > 1 and not by_row:
        raise InputError(
            f"{port.where} has shape {list(extents)}: its first dimension is not the {rows} rows of a batch. Leave it "
            "out with --save, or say --batch 1 where the model takes single rows."
        )
    if extents is None or (is_open and extents != (rows,)):
        return OutputColumn(port.index, column, dtype, None)
    return OutputColumn(port.index, column, dtype, extents[1:] if by_row else extents)
