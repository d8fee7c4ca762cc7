"""ChunkOutputs: the outputs of a chunk's rows, which become columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...errors import InputError
from ..parts.output_columns import OutputColumn


class ChunkOutputs:
    """The outputs of a chunk's rows.

    Args:
        rows: of the chunk.
        columns: of the outputs.
    """

    def __init__(self, rows: int, columns: Sequence[OutputColumn]) -> None:
        self._rows, self._columns = rows, columns
        self._arrays: dict[str, Array] = {}
        self._values: dict[str, dict[int, Any]] = {column.name: {} for column in columns}
        self._done: dict[int, None] = {}

    def add(self, positions: Array, outputs: Sequence[Any]) -> None:
        """The outputs of rows.

        Args:
            positions: ``(K,)``, the rows' numbers in the chunk.
            outputs: of the model, each an array ``(K, ...)`` or a list of K arrays.

        Raises:
            InputError: a row of an output has another shape than the column has.
        """
        for column in self._columns:
            found = outputs[column.index]
            if column.shape is None:
                self._values[column.name].update(zip(positions.tolist(), found, strict=True))
                continue
            found = np.asarray(found)
            if found.shape[1:] != column.shape:
                raise InputError(
                    f"Output '{column.name}' has shape {list(found.shape[1:])}, expected {list(column.shape)}."
                )
            self._array(column)[positions] = found
        self._done |= dict.fromkeys(positions.tolist())

    def _array(self, column: OutputColumn) -> Array:
        assert column.shape is not None
        if column.name not in self._arrays:
            kind = np.dtype(object) if column.dtype.kind == "O" else column.dtype
            self._arrays[column.name] = np.zeros((self._rows, *column.shape), kind)
        return self._arrays[column.name]

    def columns(self) -> Mapping[str, Any]:
        """The columns of Arrow by name."""
        return {column.name: self._column(column) for column in self._columns}

    def _column(self, column: OutputColumn) -> Any:
        values = self._values[column.name] if column.shape is None else self._done
        return column.column(values, self._rows, self._arrays.get(column.name))
