"""RowRunner: runs a model on rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...errors import LiteDelegateError
from ...inference.tensors.port import Port
from ..parts.output_columns import ERROR
from ..pyarrow_package import pyarrow
from ..rows.feed import whole
from ..rows.prepared_rows import PreparedGroup, PreparedRows, prepared_rows
from ..sources.data_source import ReadRows
from .chunk_outputs import ChunkOutputs
from .job_order import WINDOW_BYTES, RowsOrder
from .row_models import opened_model, row_model

WINDOW_ROWS = 4096
"""The rows that are prepared at a time, at most."""
OPEN_WINDOWS = 16
"""The windows that are prepared together where rows have several shapes: each batch has rows of one shape."""
REASON_LENGTH = 500
"""The characters of a reason."""


NOTHING: Mapping[int, str] = {}


class RowRunner:
    """Runs a model on rows of tables. The model is opened once.

    Args:
        order: about the model and its rows.
    """

    def __init__(self, order: RowsOrder) -> None:
        self._order = order
        opened, note = opened_model(order, order.recipe, order.model_file)
        self._model, other = row_model(order, opened)
        self.note = note or other
        size = sum(bytes_of(port) for port in opened.compiled.inputs)
        batches = min(max(1, WINDOW_BYTES // max(size, 1)), max(1, WINDOW_ROWS // order.batch_rows))
        self._window = order.batch_rows * batches * (OPEN_WINDOWS if order.has_open_rows else 1)
        self._ahead = ThreadPoolExecutor(1, "read-ahead")

    def results(
        self, read: ReadRows, excluded: Mapping[int, str] = NOTHING, span: tuple[int, int] | None = None
    ) -> tuple[Any, dict[int, str]]:
        """The kept columns, the outputs and the errors of rows as a ``pyarrow.Table``; and the errors by row.

        Args:
            read: the rows.
            excluded: the reason for each row that is not run, by number.
            span: the first row that is run, and the last one, exclusive; None: all rows.
        """
        rows = read.table.num_rows
        errors = {row: reason[:REASON_LENGTH] for row, reason in (dict(read.errors) | dict(excluded)).items()}
        outputs = ChunkOutputs(rows, self._order.outputs)
        windows = [] if len(read.errors) == rows else list(self._windows(span or (0, rows), excluded))
        for first, prepared in self._prepared(read, windows):
            for row, reason in prepared.errors.items():
                errors.setdefault(first + row, reason[:REASON_LENGTH])
            for group in prepared.groups:
                self._run_group(group, first, outputs, errors)
        return self._table(read, outputs, errors), errors

    def _windows(self, span: tuple[int, int], excluded: Mapping[int, str]) -> Iterator[tuple[int, int]]:
        """The rows that are to run, in stretches of a window at most: the first, and the last, exclusive.

        No code sees an excluded row.
        """
        start, stop = span
        bounds = [start - 1, *sorted(row for row in excluded if start <= row < stop), stop]
        for before, end in pairwise(bounds):
            for first in range(before + 1, end, self._window):
                yield first, min(first + self._window, end)

    def _prepared(self, read: ReadRows, windows: Sequence[tuple[int, int]]) -> Iterator[tuple[int, PreparedRows]]:
        """The rows of windows, with the number of each window's first row; the next window is prepared meanwhile."""

        def prepare(first: int, stop: int) -> PreparedRows:
            bad = {row - first: reason for row, reason in read.errors.items() if first <= row < stop}
            return prepared_rows(read.table.slice(first, stop - first), self._order.feeds, bad)

        if len(windows) == 1:
            yield windows[0][0], prepare(*windows[0])
            return
        pending: tuple[int, Future[PreparedRows]] | None = None
        for first, stop in windows:
            following = first, self._ahead.submit(prepare, first, stop)
            if pending is not None:
                yield pending[0], pending[1].result()
            pending = following
        if pending is not None:
            yield pending[0], pending[1].result()

    def _run_group(self, group: PreparedGroup, first: int, outputs: ChunkOutputs, errors: dict[int, str]) -> None:
        count = self._order.batch_rows
        for at in range(0, len(group.positions), count):
            positions = group.positions[at : at + count] + first
            self._run_batch(positions, {name: a[at : at + count] for name, a in group.arrays.items()}, outputs, errors)

    def _run_batch(
        self, positions: Array, arrays: Mapping[str, Array], outputs: ChunkOutputs, errors: dict[int, str]
    ) -> None:
        """Runs a batch. The halves of a batch that fails are run again: a row that fails alone is an error."""
        try:
            outputs.add(positions, self._model.run(arrays))
        except LiteDelegateError as e:
            if len(positions) == 1:
                errors[int(positions[0])] = str(e)[:REASON_LENGTH]
                return
            middle = len(positions) // 2
            for half in (slice(middle), slice(middle, None)):
                self._run_batch(positions[half], {name: a[half] for name, a in arrays.items()}, outputs, errors)

    def _table(self, read: ReadRows, outputs: ChunkOutputs, errors: Mapping[int, str]) -> Any:
        pa = pyarrow()
        rows = read.table.num_rows
        columns = {name: whole(read.table.column(name)) for name in self._order.kept}
        columns |= outputs.columns()
        columns[ERROR] = pa.nulls(rows, pa.string())
        if errors:
            texts = np.full(rows, None, dtype=object)
            texts[list(errors)] = list(errors.values())
            columns[ERROR] = pa.array(texts, pa.string())
        return pa.table(columns)


def bytes_of(port: Port) -> int:
    """The bytes of a batch of an input; 0 where they are not known."""
    if port.element is None or port.extents is None:
        return 0
    return port.element.itemsize * int(np.prod(port.extents, dtype=np.int64))
