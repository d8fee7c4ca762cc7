"""ChunkOutputs: the outputs of a chunk's rows, which become columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...errors import InputError
from ..parts.output_columns import OutputColumn
from ..pyarrow_package import pyarrow


class ChunkOutputs:
    """The outputs of a chunk's rows.

    Args:
        rows: of the chunk.
        columns: of the outputs.
    """

    def __init__(self, rows: int, columns: Sequence[OutputColumn]) -> None:
        self._rows, self._columns = rows, columns
        self._arrays: dict[str, Array] = {}
        self._values: dict[str, dict[int, Array]] = {column.name: {} for column in columns}
        self._is_done = np.zeros(rows, np.bool_)

    def add(self, positions: Array, outputs: Sequence[Any]) -> None:
        """The outputs of rows.

        Args:
            positions: ``(K,)``, the rows' numbers in the chunk, ascending.
            outputs: of the model, each an array ``(K, ...)`` or a list of K arrays.

        Raises:
            InputError: a row of an output has another shape than the column has; no row is added then.
        """
        for column in self._columns:
            shape = np.shape(outputs[column.index])[1:]
            if column.shape is not None and shape != column.shape:
                raise InputError(f"Output '{column.name}' has shape {list(shape)}, expected {list(column.shape)}.")
        first, last = int(positions[0]), int(positions[-1])
        at = slice(first, last + 1) if last - first + 1 == len(positions) else positions
        for column in self._columns:
            found = outputs[column.index]
            if column.shape is None:
                self._values[column.name].update(zip(positions.tolist(), map(np.asarray, found), strict=True))
            else:
                self._array(column)[at] = found
        self._is_done[at] = True

    def _array(self, column: OutputColumn) -> Array:
        assert column.shape is not None
        if column.name not in self._arrays:
            made = np.zeros((self._rows, *column.shape), column.dtype)
            if column.dtype.kind == "O":
                made.fill("")
            self._arrays[column.name] = made
        return self._arrays[column.name]

    def columns(self) -> Mapping[str, Any]:
        """The columns of Arrow by name. The outputs are given up column by column."""
        return {column.name: self._column(column) for column in self._columns}

    def _column(self, column: OutputColumn) -> Any:
        if column.shape is None:
            return column.column_of_shapes(self._values.pop(column.name), self._rows)
        found = self._arrays.pop(column.name, None)
        if found is None:
            return pyarrow().nulls(self._rows, column.type)
        return column.column(found, None if self._is_done.all() else ~self._is_done)
