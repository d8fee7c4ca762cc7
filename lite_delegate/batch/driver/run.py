"""Running a job: a model over all rows of a source, into a folder of parts."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ...cache.key import CacheKey
from ...errors import InputError
from ...version import VERSION
from ..engines.engine import BatchEngine
from ..models.job_model import JobModel, constant_facts, job_model
from ..models.postprocessed_model import columns_of
from ..models.recipe import ModelRecipe
from ..parts.job_folder import JobFolder
from ..parts.output_columns import OutputColumn, output_columns
from ..parts.part import PartFacts
from ..preprocessing.chosen import chosen_feeds
from ..sources.chunk import Chunk
from ..sources.data_source import DataSource
from ..sources.opened import open_source
from ..worker.job_order import JobOrder
from .batch_options import BatchOptions
from .kept_columns import kept_columns
from .progress import BatchProgress, BatchResult, reasons_of, rows_by_worker
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
    started = time.perf_counter()
    rows = open_source(source, options.types)
    folder = JobFolder(Path(output))
    with folder.held():
        order, model, chunks = _prepared(recipe, rows, folder, options)
        parts = folder.parts(order.key)
        if options.retries_errors:
            parts = {index: facts for index, facts in parts.items() if not facts.errors}
        left = [chunk for chunk in chunks if chunk.index not in parts]
        found, rows_found = len(parts), sum(facts.rows for facts in parts.values())
        total = sum(chunk.rows for chunk in chunks)

        def on_part(facts: PartFacts) -> None:
            parts[facts.chunk] = facts
            written = sum(each.rows for each in parts.values()), sum(each.errors for each in parts.values())
            tell(BatchProgress(*written, len(parts), total, len(chunks), scheduler.deaths))
            if options.max_errors is not None and written[1] > options.max_errors:
                raise InputError(_too_many(parts, options.max_errors))

        scheduler = Scheduler(engine, on_part)
        try:
            if left:
                engine.start(order, len(left))
                scheduler.run(left)
        finally:
            engine.close()
        notes = (*model.notes, *dict.fromkeys(facts.note for facts in parts.values() if facts.note))
        result = BatchResult(
            folder=folder.path,
            rows=total,
            errors=sum(facts.errors for facts in parts.values()),
            reasons=reasons_of(parts),
            parts=len(parts),
            found_parts=found,
            seconds=round(time.perf_counter() - started, 3),
            rows_run=total - rows_found,
            deaths=scheduler.deaths,
            notes=notes,
            model={"name": recipe.name, **model.facts, "batch": order.batch_rows},
            workers={**engine.facts, "rows": rows_by_worker(parts), "version": VERSION},
        )
        if left or not folder.is_done:
            folder.finish(result.manifest)
        return result


def _too_many(parts: dict[int, PartFacts], most: int) -> str:
    reasons = reasons_of(parts)
    errors = sum(facts.errors for facts in parts.values())
    first = next(iter(reasons), "")
    return f"{errors:,} rows have errors, more than the {most:,} allowed; the most frequent reason: {first}."


def _prepared(
    recipe: ModelRecipe, source: DataSource, folder: JobFolder, options: BatchOptions
) -> tuple[JobOrder, JobModel, list[Chunk]]:
    """The order for workers, the model, and the chunks of a job."""
    sizes = {} if (kept := folder.job) is None else kept.sizes
    constants = {name: np.asarray(value) for name, value in options.constants.items()}
    rows, is_whole = options.rows or sizes.get("batch_rows"), options.has_whole_inputs
    model = job_model(recipe, folder.path, rows, options.shapes, constants, is_whole=is_whole)
    feeds, source = chosen_feeds(model.inputs, source, options.columns, options.preprocess)
    several = any(wanted.is_open for wanted in model.inputs)
    outputs = _output_columns(model, options, have_several_shapes=several)
    columns = kept_columns(source.schema, feeds, outputs, options.keep)
    key = CacheKey(
        {
            "model": dict(recipe.facts),
            "shapes": {name: list(dims) for name, dims in model.plan.shapes.items()},
            "batch_rows": model.plan.rows,
            "constants": constant_facts(constants),
            "inputs": {",".join(feed.inputs): dict(feed.facts) for feed in feeds},
            "kept": list(columns),
            "postprocess": options.postprocess,
            "has_whole_inputs": is_whole,
            "outputs": [column.facts for column in outputs],
            "source": {**source.facts, "state": _state(source.files)},
        }
    )
    chunk_rows = options.chunk_rows or sizes.get("chunk_rows") or _chunk_rows(source, model, outputs, options)
    folder.take(key, {"batch_rows": model.plan.rows, "chunk_rows": chunk_rows})
    kept_rows = folder.job.sizes["chunk_rows"] if folder.job else chunk_rows
    if kept_rows != chunk_rows:
        raise InputError(f"The job in '{folder.path}' has chunks of {kept_rows} rows, not {chunk_rows}.")
    order = JobOrder(
        key=key.digest,
        recipe=recipe,
        model_file=model.file.resolve(),
        shapes=model.plan.shapes,
        batch_rows=model.plan.rows,
        constants=constants,
        source=source,
        feeds=feeds,
        kept=columns,
        outputs=outputs,
        folder=folder.path.resolve(),
        has_whole_inputs=is_whole,
        postprocess=options.postprocess,
    )
    return order, model, list(source.chunks(chunk_rows))


def _output_columns(model: JobModel, options: BatchOptions, *, have_several_shapes: bool) -> tuple[OutputColumn, ...]:
    if not options.postprocess:
        rows = 0 if options.has_whole_inputs else model.plan.rows
        return output_columns(model.compiled.outputs, rows, options.save, have_several_shapes=have_several_shapes)
    if options.save:
        raise InputError("--save chooses outputs, and --postprocess makes other columns of them; leave one out.")
    return tuple(columns_of(options.postprocess).values())


def _chunk_rows(source: DataSource, model: JobModel, outputs: Sequence[OutputColumn], options: BatchOptions) -> int:
    """The rows of a chunk: as the source has it, less where outputs are large or memory is limited; whole batches."""
    rows = source.usual_rows()
    per_row = source.row_bytes + sum(column.dtype.itemsize * int(np.prod(column.shape or (1,))) for column in outputs)
    limit = options.memory
    if limit is not None:
        rows = min(rows, max(1, int(limit / (4 * max(per_row, 1)))))
    batch = model.plan.rows
    return max(batch, rows // batch * batch)


def _state(files: Sequence[str]) -> str:
    """The digest of names, sizes and times of files."""
    digest = hashlib.sha256()
    for file in files:
        status = os.stat(file)
        digest.update(repr((os.path.abspath(file), status.st_size, status.st_mtime_ns)).encode())
    return digest.hexdigest()
