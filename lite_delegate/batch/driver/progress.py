"""BatchProgress: how far a job is; and its result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a job is.

    Attributes:
        rows: the rows in parts.
        errors: the rows of them that have an error.
        parts: the parts that are written.
        all_rows, all_parts: of the job.
        deaths: the workers that ended in this run.
    """

    rows: int
    errors: int
    parts: int
    all_rows: int
    all_parts: int
    deaths: int


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What a job has done.

    Attributes:
        folder: with the parts.
        rows: of the source.
        errors: the rows without outputs.
        reasons: the number of rows by reason, the most frequent reasons first.
        parts: their number.
        found_parts: the parts that were there before.
        started: when this run began, UTC, as ISO 8601 has it.
        seconds: of this run.
        rows_run: the rows that this run computed.
        deaths: the workers that ended in this run.
        notes: what is to be said of the model and the workers.
        model: kernels, delegated kernels, subgraphs and devices of the plan that ran.
        workers: facts of the engine, and the rows and the seconds of each worker over all runs.
        partition: the partition report of the plan that ran, as ``lite-delegate report --format json`` has it.
    """

    folder: Path
    rows: int
    errors: int
    reasons: Mapping[str, int]
    parts: int
    found_parts: int
    started: str
    seconds: float
    rows_run: int
    deaths: int
    notes: tuple[str, ...]
    model: Mapping[str, Any]
    workers: Mapping[str, Any]
    partition: Mapping[str, Any]

    @property
    def manifest(self) -> dict[str, Any]:
        """The result as plain data; the folder is left out."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "folder"}
