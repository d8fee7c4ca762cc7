"""PostprocessedModel: a function of the user makes columns out of the outputs of a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.unforeseen import shown
from ...errors import InputError
from ..parts.output_columns import OutputColumn
from ..user_function import user_function
from .row_model import RowModel

Function = Callable[[Mapping[str, Array]], Mapping[str, Any]]


class PostprocessedModel:
    """A model whose outputs a function turns into other columns, row by row.

    Args:
        model: gives the outputs.
        outputs: the names of the outputs.
        text: ``module:function``.
    """

    def __init__(self, model: RowModel, outputs: Sequence[str], text: str) -> None:
        self._model, self._outputs, self._text = model, tuple(outputs), text
        self._function = postprocessing(text)
        self._columns = tuple(columns_of(text))

    def run(self, arrays: Mapping[str, Array]) -> Sequence[Any]:
        """The columns of the function for at most one batch of rows; the arguments are those of ``RowModel.run``.

        Raises:
            InputError: the function raised an exception, or gave other columns than it states.
        """
        rows = zip(*self._model.run(arrays), strict=True)
        made = [self._row(dict(zip(self._outputs, row, strict=True))) for row in rows]
        return [[row[name] for row in made] for name in self._columns]

    def _row(self, outputs: Mapping[str, Array]) -> Mapping[str, Any]:
        try:
            made = self._function(outputs)
        except Exception as e:
            raise InputError(f"'{self._text}' failed: {shown(e)}") from e
        if not isinstance(made, Mapping) or set(made) != set(self._columns):
            given = sorted(made) if isinstance(made, Mapping) else type(made).__name__
            raise InputError(f"'{self._text}' must give {sorted(self._columns)}, got {given}.")
        return made


def postprocessing(text: str) -> Function:
    """The function of ``module:function``.

    Raises:
        InputError: it cannot be imported, or does not state its columns.
    """
    found: Function = user_function("--postprocess", text)
    if not isinstance(getattr(found, "columns", None), Mapping):
        name = text.rpartition(":")[2]
        raise InputError(
            f"'{text}' must state the columns that it gives, as {name}.columns = {{'text': 'str', 'score': 'float32'}}."
        )
    return found


def columns_of(text: str) -> dict[str, OutputColumn]:
    """The columns that a function states, by name: single values of "str", or of a type of numpy, such as "float32".

    Raises:
        InputError: as ``postprocessing``; or there is no such type.
    """
    stated: Mapping[str, str] = postprocessing(text).columns  # type: ignore[attr-defined]
    return {
        name: OutputColumn(index, name, _type(text, name, kind), ())
        for index, (name, kind) in enumerate(stated.items())
    }


def _type(text: str, name: str, kind: str) -> np.dtype[Any]:
    if kind == "str":
        return np.dtype(object)
    try:
        found = np.dtype(kind)
    except TypeError:
        found = np.dtype(np.void)
    if found.kind not in "biuf":
        raise InputError(f"'{text}': the column '{name}' must be of 'str' or of numbers, as 'float32', got '{kind}'.")
    return found
