"""Tables of plain data: as rows, as pandas' data frames, and as HTML in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..basics.data_class import dataclass
from ..basics.deferred import optional_package
from ..basics.words.fragments import fragment
from ..errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FormTable:
    """The place of a table in plain data.

    Attributes:
        path: the keys on the way to the rows. A list on the way counts as all of its rows, and gives each row a column
            with its ``name``, such as "subgraphs.name".
        shown: the columns that a notebook shows.
        is_flat: whether an object in a cell becomes columns of its own, such as "own.snr_db".
    """

    path: tuple[str, ...]
    shown: tuple[str, ...] = ()
    is_flat: bool = False

    def rows(self, data: Any) -> list[dict[str, Any]]:
        """The rows in plain data; none where a key on the way has no value."""
        return list(self._rows(data, self.path, {}))

    def _rows(self, data: Any, path: Sequence[str], around: Row) -> Iterator[dict[str, Any]]:
        if not path:
            yield {**around, **(_flat(data) if self.is_flat else data)}
            return
        found = data[path[0]] or ()
        for each in found if isinstance(found, list | tuple) else [found]:
            named = {f"{path[0]}.name": each["name"]} if len(path) > 1 and "name" in each else {}
            yield from self._rows(each, path[1:], {**around, **named})


def _flat(row: Row) -> Row:
    found: dict[str, Any] = {}
    for key, value in row.items():
        found.update({f"{key}.{inner}": of for inner, of in value.items()} if isinstance(value, dict) else {key: value})
    return found


class Tabular(ABC):
    """Data with tables. A notebook shows the first table; ``to_dataframe`` gives each of them."""

    __slots__ = ()
    tables: ClassVar[Mapping[str, FormTable]] = {}
    """The tables by name."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The data as plain data, ready for JSON."""

    def to_dataframe(self, table: str = "") -> DataFrame:
        """A table as a pandas data frame; its columns have the names of the JSON form.

        Args:
            table: one of ``tables``; "": the first one.

        Raises:
            InputError: there is no such table, or pandas is not installed.
        """
        pandas = optional_package("pandas", "Data frames are made by pandas", "notebook")
        found: DataFrame = pandas.DataFrame(self._table(table).rows(self.to_dict()))
        return found

    def _table(self, name: str) -> FormTable:
        found = self.tables.get(name or next(iter(self.tables), ""))
        if found is None:
            known = ", ".join(f"'{each}'" for each in self.tables) or "none"
            raise InputError(f"{type(self).__name__} has no table '{name}'; its tables are {known}.")
        return found

    def _picture(self) -> str:
        """A drawing above the table, as HTML."""
        return ""

    def _repr_html_(self) -> str:
        """What a notebook shows: a line, a drawing for some data, and the first rows of the first table."""
        first = next(iter(self.tables.values()), FormTable(()))
        rows = first.rows(self.to_dict()) if first.shown else []
        cells = [[row.get(column) for column in first.shown] for row in rows]
        return fragment(repr(self), self._picture(), first.shown, cells)
