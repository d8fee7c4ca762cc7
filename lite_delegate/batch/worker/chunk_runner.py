"""ChunkRunner: reads chunks, runs the model on their rows, and writes parts."""

from __future__ import annotations

import os
import platform
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from ...errors import LiteDelegateError
from ...inference.tensors.port import Port
from ..parts.output_columns import ERROR
from ..parts.part import PartFacts, write_part
from ..pyarrow_package import pyarrow
from ..rows.feed import whole
from ..rows.prepared_rows import PreparedGroup, PreparedRows, prepared_rows
from ..sources.data_source import ReadRows
from .chunk_outputs import ChunkOutputs
from .job_order import JobOrder, Task
from .row_models import opened_or_compiled, row_model

WINDOW_BYTES = 4 * 2**20
"""The bytes of rows that are prepared at a time, about."""
REASONS = 10
"""The reasons that a part counts one by one."""
REASON_LENGTH = 500
"""The characters of a reason."""


class ChunkRunner:
    """Reads chunks, runs the model on their rows, and writes parts. The model is opened once.

    Args:
        order: of the job.
    """

    def __init__(self, order: JobOrder) -> None:
        self._order = order
        compiled, self._note = opened_or_compiled(order, order.recipe, order.model_file)
        self._model, note = row_model(order, compiled)
        self._note = self._note or note
        size = sum(bytes_of(port) for port in compiled.inputs)
        batches = max(1, WINDOW_BYTES // max(size, 1))
        self._window = order.batch_rows * min(batches, max(1, 4096 // order.batch_rows))
        self._ahead = ThreadPoolExecutor(1, "read-ahead")

    def run(self, task: Task) -> PartFacts:
        """Runs the rows of a task, and writes the part unless rows are only probed.

        Raises:
            OSError: the chunk cannot be read, or the part cannot be written.
            InputError: the source has changed, or is damaged.
        """
        started = time.perf_counter()
        order, chunk = self._order, task.chunk
        read = order.source.read(chunk, order.columns)
        errors = {row: reason[:REASON_LENGTH] for row, reason in (dict(task.excluded) | dict(read.errors)).items()}
        outputs = ChunkOutputs(chunk.rows, order.outputs)
        start, stop = task.probed or (0, chunk.rows)
        for first, prepared in self._prepared(read, errors, start, stop):
            for row, reason in prepared.errors.items():
                errors.setdefault(first + row, reason[:REASON_LENGTH])
            for group in prepared.groups:
                self._run_group(group, first, outputs, errors)
        reasons = dict(Counter(errors.values()).most_common(REASONS))
        who, seconds = f"{platform.node()}:{os.getpid()}", time.perf_counter() - started
        facts = PartFacts(order.key, chunk.index, chunk.rows, len(errors), reasons, round(seconds, 6), who, self._note)
        if task.probed is None:
            write_part(order.folder, self._table(read, outputs, errors), order.outputs, facts)
        return facts

    def _prepared(
        self, read: ReadRows, errors: dict[int, str], start: int, stop: int
    ) -> Iterator[tuple[int, PreparedRows]]:
        """The rows in windows, with the number of each window's first row; the next window is prepared meanwhile."""
        unread = dict(errors)

        def prepare(first: int) -> PreparedRows:
            count = min(self._window, stop - first)
            bad = {row - first: reason for row, reason in unread.items() if first <= row < first + count}
            return prepared_rows(read.table.slice(first, count), self._order.feeds, bad)

        firsts = range(start, stop, self._window)
        if len(firsts) == 1:
            yield start, prepare(start)
            return
        pending: tuple[int, Future[PreparedRows]] | None = None
        for first in firsts:
            following = first, self._ahead.submit(prepare, first)
            if pending is not None:
                yield pending[0], pending[1].result()
            pending = following
        if pending is not None:
            yield pending[0], pending[1].result()

    def _run_group(self, group: PreparedGroup, first: int, outputs: ChunkOutputs, errors: dict[int, str]) -> None:
        count = self._order.batch_rows
        for at in range(0, len(group.positions), count):
            positions = group.positions[at : at + count]
            arrays = {name: array[at : at + count] for name, array in group.arrays.items()}
            try:
                outputs.add(positions + first, self._model.run(arrays))
            except LiteDelegateError as e:
                self._run_one_by_one(positions, arrays, first, outputs, errors, e)

    def _run_one_by_one(
        self,
        positions: Any,
        arrays: dict[str, Any],
        first: int,
        outputs: ChunkOutputs,
        errors: dict[int, str],
        error: LiteDelegateError,
    ) -> None:
        """The rows of a batch that failed, each alone: a row that fails again is an error."""
        if len(positions) == 1:
            errors[int(positions[0]) + first] = str(error)[:REASON_LENGTH]
            return
        for number in range(len(positions)):
            one, alone = positions[number : number + 1], {n: a[number : number + 1] for n, a in arrays.items()}
            try:
                outputs.add(one + first, self._model.run(alone))
            except LiteDelegateError as e:
                errors[int(one[0]) + first] = str(e)[:REASON_LENGTH]

    def _table(self, read: ReadRows, outputs: ChunkOutputs, errors: dict[int, str]) -> Any:
        pa = pyarrow()
        columns = {name: whole(read.table.column(name)) for name in self._order.kept}
        columns |= outputs.columns()
        texts = [errors.get(row) for row in range(read.table.num_rows)] if errors else None
        columns[ERROR] = pa.nulls(read.table.num_rows, pa.string()) if texts is None else pa.array(texts, pa.string())
        return pa.table(columns)


def bytes_of(port: Port) -> int:
    """The bytes of a batch of an input; 0 where they are not known."""
    if port.element is None or port.extents is None:
        return 0
    return port.element.itemsize * int(np.prod(port.extents, dtype=np.int64))
