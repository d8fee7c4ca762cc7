"""FunctionFeed: a function of the user gives the values of all inputs, row by row."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...basics.data_class import dataclass
from ...basics.similar import did_you_mean
from ..rows.column_values import ColumnValues, array_values
from ..rows.feed import Feed
from ..rows.row_type import RowType
from ..user_function import source_digest, user_function
from .row_dicts import row_dicts

OPTION = "--preprocess"


@dataclass(frozen=True, slots=True, eq=False)
class FunctionFeed(Feed):
    """The values of inputs by a function, which gets a row as ``row_dicts`` has it.

    Attributes:
        wanted: the types of rows of the inputs.
        seen: the columns that the function sees.
        images: the columns of them that have encoded images.
        spec: ``module:function``.
        folder: where modules are looked for, too.
        digest: of the file that has the function; "" where it has none.
    """

    wanted: tuple[RowType, ...]
    seen: tuple[str, ...]
    images: tuple[str, ...]
    spec: str
    folder: str
    digest: str

    @property
    def inputs(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(wanted.name for wanted in self.wanted)

    @property
    def columns(self) -> tuple[str, ...]:
        """All that the function sees."""
        return self.seen

    @property
    def facts(self) -> Mapping[str, Any]:
        """The name of the function, and the digest of its file."""
        return {"columns": list(self.columns), "preprocess": self.spec, "source": self.digest}

    def values(self, table: Any) -> Mapping[str, ColumnValues]:
        """The values of the inputs for all rows."""
        function = user_function(OPTION, self.spec, self.folder)
        rows = [self._answer(function, row) for row in row_dicts(table, self.images)]
        return {
            wanted.name: array_values([row if isinstance(row, str) else row[wanted.name] for row in rows], wanted)
            for wanted in self.wanted
        }

    def _answer(self, function: Callable[..., Any], row: dict[str, Any] | str) -> dict[str, Any] | str:
        """The value of each input, or the reason why there is none."""
        if isinstance(row, str):
            return row
        try:
            found = function(row)
            given = found if isinstance(found, Mapping) else {self.wanted[0].name: found}
            arrays = {name: np.asarray(value) for name, value in given.items()}
        except Exception as e:  # the user's
            return f"{self.spec} raised {type(e).__name__}: {e}"
        if not isinstance(found, Mapping) and len(self.wanted) > 1:
            return f"{self.spec} returned {type(found).__name__}, expected a dict with {', '.join(self.inputs)}"
        missing = next((name for name in self.inputs if name not in arrays), None)
        if missing is not None:
            return f"{self.spec} returned no '{missing}'{did_you_mean(missing, arrays)}"
        return arrays


def function_feed(spec: str, wanted: Sequence[RowType], columns: Sequence[str], images: Sequence[str]) -> FunctionFeed:
    """The feed of ``module:function``. Modules are looked for in the working directory, too.

    Raises:
        InputError: there is no such module or function, or the module cannot be imported.
    """
    folder = os.getcwd()
    digest = source_digest(user_function(OPTION, spec, folder))
    return FunctionFeed(tuple(wanted), tuple(columns), tuple(images), spec, folder, digest)
