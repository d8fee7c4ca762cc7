"""Running a job: a model over all rows of a source, into a folder of parts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ...errors import InputError
from ...version import VERSION
from ..engines.engine import BatchEngine
from ..models.recipe import ModelRecipe
from ..parts.job_folder import JobFolder
from ..parts.part import PartFacts
from ..sources.opened import open_source
from .batch_options import BatchOptions
from .job_totals import JobTotals
from .prepared_job import PreparedJob, prepared_job
from .progress import BatchProgress, BatchResult
from .scheduler import Scheduler

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Tell = Callable[[BatchProgress], None]


def run_job(
    recipe: ModelRecipe,
    source: Paths,
    output: str | os.PathLike[str],
    options: BatchOptions,
    engine: BatchEngine,
    tell: Tell = lambda progress: None,
) -> BatchResult:
    """Runs a model over all rows of a source. The same call again goes on where the job stopped.

    Args:
        recipe: of the model.
        source: files, folders or patterns.
        output: the folder for the parts.
        options: of the user.
        engine: runs the chunks.
        tell: is called after each part.

    Raises:
        InputError: the source does not fit the model, the folder has another job, or too many rows have errors.
        OSError: files cannot be read or written.
        LiteDelegateError: the model cannot be read or compiled.
    """
    begun = JobClock()
    rows = open_source(source, options.types)
    folder = JobFolder(Path(output))
    with folder.held():
        job = prepared_job(recipe, rows, folder, options, engine)
        return run_prepared(job, folder, options, engine, tell, begun)


class JobClock:
    """The start of a job, and the seconds since."""

    def __init__(self) -> None:
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self._begun = time.perf_counter()

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return round(time.perf_counter() - self._begun, 3)


def run_prepared(
    job: PreparedJob, folder: JobFolder, options: BatchOptions, engine: BatchEngine, tell: Tell, begun: JobClock
) -> BatchResult:
    """Runs the chunks of a job that have no part yet, and writes its manifest.

    Args:
        job: the job.
        folder: of the job, held by this process.
        options, engine, tell: as for ``run_job``. The engine is closed.
        begun: when the job was begun.

    Raises:
        InputError, OSError: as ``run_job``.
    """
    with closing(engine):
        totals = _found(job, folder, retries_errors=options.retries_errors)
        _check_errors(totals, options.max_errors)
        found, rows_found = len(totals.done), totals.rows
        deaths = _run_chunks(job, folder, totals, options, engine, tell)
    result = BatchResult(
        folder=folder.path,
        rows=totals.rows,
        errors=totals.errors,
        reasons=totals.reasons,
        parts=len(totals.done),
        found_parts=found,
        started=begun.started,
        seconds=begun.seconds,
        rows_run=totals.rows - rows_found,
        deaths=deaths,
        notes=(*job.model.notes, *totals.notes),
        model={"name": job.order.recipe.name, **job.model.facts, "batch": job.order.batch_rows},
        workers={**engine.facts, "each": totals.workers, "version": VERSION},
        partition=job.model.partition,
    )
    if not folder.is_done:
        folder.finish(result.manifest)
    return result


def _found(job: PreparedJob, folder: JobFolder, *, retries_errors: bool) -> JobTotals:
    """The parts that are there already."""
    totals = JobTotals()
    for facts in folder.parts(job.order.key):
        if facts.chunk >= len(job.chunks) or facts.rows != job.chunks[facts.chunk].rows:
            raise InputError(
                f"'{folder.path}' has a part of {facts.rows:,} rows for chunk {facts.chunk}, which the source does not "
                "have so; take another folder."
            )
        if not (retries_errors and facts.errors):
            totals.add(facts)
    return totals


def _run_chunks(
    job: PreparedJob, folder: JobFolder, totals: JobTotals, options: BatchOptions, engine: BatchEngine, tell: Tell
) -> int:
    """Runs the chunks that have no part, and gives the number of workers that ended."""
    all_rows = sum(chunk.rows for chunk in job.chunks)
    left = [chunk for chunk in job.chunks if chunk.index not in totals.done]

    def on_part(facts: PartFacts) -> None:
        totals.add(facts)
        done = len(totals.done)
        tell(BatchProgress(totals.rows, totals.errors, done, all_rows, len(job.chunks), scheduler.deaths))
        _check_errors(totals, options.max_errors)

    scheduler = Scheduler(engine, on_part)
    if left:
        folder.reopen()
        engine.start(job.order, len(left))
        scheduler.run(left)
    return scheduler.deaths


def _check_errors(totals: JobTotals, most: int | None) -> None:
    if most is not None and totals.errors > most:
        reason = next(iter(totals.reasons), "")
        raise InputError(
            f"{totals.errors:,} rows have errors, more than the {most:,} allowed; the most frequent reason: {reason}."
        )
