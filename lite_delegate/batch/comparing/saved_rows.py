"""The inputs of rows as files, for ``--input`` of other commands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from lite_delegate_kernels import Array

from ...basics.files import write_whole
from ...reporting.plain import to_plain
from ..driver.prepared_job import PreparedJob
from ..rows.prepared_rows import prepared_rows
from ..worker.job_order import JobOrder
from .data_comparison import WorstRow

INDEX = "rows.json"
"""The file with the numbers and distances of the saved rows."""


def save_rows(job: PreparedJob, rows: Sequence[WorstRow], folder: Path) -> list[WorstRow]:
    """Writes the inputs of rows, one ``.npz`` file each, and an index of them.

    Args:
        job: whose rows they are.
        rows: the rows.
        folder: is made.

    Returns:
        The rows with their files.

    Raises:
        OSError: a file cannot be written, or the source cannot be read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    saved: list[WorstRow] = []
    for number, each in enumerate(rows):
        path = folder / f"row-{number:03d}.npz"
        with path.open("wb") as file:
            np.savez(file, **inputs_of(job, each.row))  # type: ignore[arg-type]
        saved.append(replace(each, file=str(path)))
    write_whole(folder / INDEX, json.dumps(to_plain(saved), indent=1).encode())
    return saved


def inputs_of(job: PreparedJob, row: int) -> Mapping[str, Array]:
    """The inputs of a row, as the model takes them for this row alone."""
    order = job.order
    before = 0
    for chunk in job.chunks:
        if row < before + chunk.rows:
            read = order.read(chunk)
            found = prepared_rows(read.table.slice(row - before, 1), order.feeds, {})
            arrays = {name: _alone(array, order) for group in found.groups for name, array in group.arrays.items()}
            return arrays | dict(order.constants)
        before += chunk.rows
    raise IndexError(f"the data set has {before} rows, not a row {row}")


def _alone(array: Array, order: JobOrder) -> Array:
    return np.ascontiguousarray(array[0] if order.has_whole_inputs else array)
