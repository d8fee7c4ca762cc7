"""Feeds: what gives the values of inputs, row by row: columns, decoded images, or a function of the user."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...basics.data_class import dataclass
from .column_values import ColumnValues, RowGroup, column_values
from .row_type import RowType


class Feed(ABC):
    """Gives the values of one input or of several. Can be pickled."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, Any]:
        """Plain data that tells this feed from one that gives other values."""

    @abstractmethod
    def values(self, table: Any) -> Mapping[str, ColumnValues]:
        """The values of the inputs for all rows of a ``pyarrow.Table``."""


@dataclass(frozen=True, slots=True)
class ColumnFeed(Feed):
    """The values of one column; or the numbers of several columns, one after the other.

    Attributes:
        wanted: the type of a row.
        columns: their names.
    """

    wanted: RowType
    columns: tuple[str, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The one input."""
        return (self.wanted.name,)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The columns."""
        return {"columns": list(self.columns)}

    def values(self, table: Any) -> Mapping[str, ColumnValues]:
        """The values of the input for all rows."""
        if len(self.columns) == 1:
            return {self.wanted.name: column_values(whole(table.column(self.columns[0])), self.wanted)}
        return {self.wanted.name: _side_by_side(table, self.columns, self.wanted)}


def whole(column: Any) -> Any:
    """A column of a table without chunks."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _side_by_side(table: Any, columns: Sequence[str], wanted: RowType) -> ColumnValues:
    """The numbers of several columns as one array per row."""
    one = RowType(wanted.name, wanted.dtype, ())
    shape = wanted.shape_of(len(columns))
    assert shape is not None, "columns are checked when they are chosen"
    errors: dict[int, str] = {}
    array = np.zeros((table.num_rows, len(columns)), wanted.dtype)
    for number, name in enumerate(columns):
        found = column_values(whole(table.column(name)), one)
        for row, reason in found.errors.items():
            errors.setdefault(row, f"column '{name}' {reason}")
        for group in found.groups:
            rows = slice(None) if len(group.positions) == len(array) else group.positions
            array[rows, number] = group.values
    good = np.arange(len(array))
    if errors:
        good = np.setdiff1d(good, np.fromiter(errors, np.int64, len(errors)))
        array = array[good]
    return ColumnValues((RowGroup(good, array.reshape((len(good), *shape))),) if len(good) else (), errors)
