"""PreparedJob: the order for workers, the model and the chunks of a job, out of what the user said."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

import numpy as np

from ...basics.data_class import dataclass
from ...cache.key import CacheKey
from ...errors import InputError
from ...inference.tensors.port import Port
from ..engines.engine import BatchEngine
from ..models.compared_model import compared_columns, compared_outputs
from ..models.job_model import JobModel, asked_shapes, compiled_once, constant_facts, job_model
from ..models.postprocessed_model import postprocessing
from ..models.recipe import ModelRecipe
from ..parts.job_folder import JobFolder
from ..parts.output_columns import OutputColumn
from ..preprocessing.chosen import chosen_feeds
from ..sources.chunk import Chunk
from ..sources.data_source import CHUNK_BYTES, DataSource
from ..user_function import source_digest
from ..worker.job_order import WINDOW_BYTES, JobOrder, ReferenceOrder
from .batch_options import BatchOptions
from .rows_order import result_columns, rows_order


@dataclass(frozen=True, slots=True, eq=False)
class PreparedJob:
    """A job that can begin.

    Attributes:
        order: for workers.
        model: compiled.
        chunks: of the source, by their indexes: a few hundred bytes for each 64 MB of rows.
    """

    order: JobOrder
    model: JobModel
    chunks: list[Chunk]


def prepared_job(
    recipe: ModelRecipe,
    source: DataSource,
    folder: JobFolder,
    options: BatchOptions,
    engine: BatchEngine,
    reference: ModelRecipe | None = None,
) -> PreparedJob:
    """Compiles the model, maps columns to inputs, and makes the folder the job's, while a worker starts up.

    Args:
        recipe: of the model.
        source: of the rows.
        folder: held by this process.
        options: of the user.
        engine: runs the job; it is closed where the job cannot begin.
        reference: a model to compare with: the columns of the parts are distances then.

    Raises:
        InputError: the source does not fit the model, or the folder has another job.
        OSError: files cannot be read or written.
        LiteDelegateError: the model cannot be read or compiled.
    """
    engine.expect()
    try:
        return _prepared(recipe, source, folder, options, engine.sharing, reference)
    except BaseException:
        engine.close()
        raise


def _prepared(
    recipe: ModelRecipe,
    source: DataSource,
    folder: JobFolder,
    options: BatchOptions,
    workers: int,
    reference: ModelRecipe | None,
) -> PreparedJob:
    """The job; ``workers`` share the memory of this machine."""
    sizes = {} if (kept := folder.job) is None else kept.sizes
    rows, is_whole = options.rows or sizes.get("batch_rows"), options.has_whole_inputs
    model = job_model(recipe, folder.path, rows, options.shapes, options.constants, is_whole=is_whole)
    feeds, source = chosen_feeds(model.inputs, source, options.columns, options.preprocess)
    compared = None if reference is None else _reference(reference, folder, model, options)
    outputs = result_columns(model, options) if compared is None else compared_columns(compared.outputs)
    order = rows_order(recipe, model, source.schema, feeds, outputs, options, compared)
    key = CacheKey(
        {
            "model": dict(recipe.facts),
            "shapes": {name: list(dims) for name, dims in model.plan.shapes.items()},
            "batch_rows": model.plan.rows,
            "constants": constant_facts(order.constants),
            "inputs": {",".join(feed.inputs): dict(feed.facts) for feed in feeds},
            "kept": list(order.kept),
            "postprocess": [options.postprocess, _postprocess_digest(options.postprocess)],
            "has_whole_inputs": is_whole,
            "reference": None if reference is None else dict(reference.facts),
            "outputs": [column.facts for column in outputs],
            "source": {**source.facts, "state": _state(source.files)},
        }
    )
    chunk_rows = options.chunk_rows or sizes.get("chunk_rows") or _chunk_rows(source, model, outputs, options, workers)
    folder.take(key, {"batch_rows": model.plan.rows, "chunk_rows": chunk_rows})
    if sizes.get("chunk_rows", chunk_rows) != chunk_rows:
        raise InputError(f"The job in '{folder.path}' has chunks of {sizes['chunk_rows']} rows, not {chunk_rows}.")
    passes = options.max_errors is not None
    job = JobOrder.of(order, key=key.digest, source=source, folder=folder.path.resolve(), passes_damage=passes)
    return PreparedJob(job, model, list(source.chunks(chunk_rows)))


def _postprocess_digest(text: str) -> str:
    return source_digest(postprocessing(text)) if text else ""


def _reference(recipe: ModelRecipe, folder: JobFolder, model: JobModel, options: BatchOptions) -> ReferenceOrder:
    """The model to compare with, compiled for the same batch."""
    shapes = asked_shapes(model.plan, options.shapes, options.constants)
    compiled, file, _ = compiled_once(recipe, folder.path, shapes)
    compiled.close()
    rows = 0 if options.has_whole_inputs else model.plan.rows
    return ReferenceOrder(recipe, file and file.resolve(), compared_outputs(model.compiled.outputs, rows))


def _chunk_rows(
    source: DataSource, model: JobModel, outputs: Sequence[OutputColumn], options: BatchOptions, workers: int
) -> int:
    """The rows of a chunk: as the source has it, less where outputs are large or memory is limited; whole batches.

    A worker has the rows of one chunk, with their outputs twice: as arrays, and encoded for the file.
    """
    ports = {port.index: port for port in model.compiled.outputs}
    elements = sum(_row_bytes(ports.get(column.index), column, model.plan.rows) for column in outputs)
    rows = min(source.usual_rows(), max(1, int(CHUNK_BYTES / max(elements, 1))))
    if options.memory is not None:
        budget = options.memory / workers - 2 * WINDOW_BYTES
        rows = min(rows, max(1, int(budget / max(source.row_bytes + 2 * elements, 1))))
    batch = model.plan.rows
    return max(batch, rows // batch * batch)


def _row_bytes(port: Port | None, column: OutputColumn, rows: int) -> float:
    """The bytes of an output's row; of the planned shape where rows have several shapes."""
    planned = (port and port.extents) or (rows,)
    size = np.prod(planned) / rows if column.shape is None else np.prod(column.shape or (1,))
    return float(size * column.dtype.itemsize)


def _state(files: Sequence[str]) -> str:
    """The digest of names, sizes and times of files."""
    digest = hashlib.sha256()
    for file in files:
        status = os.stat(file)
        digest.update(repr((os.path.abspath(file), status.st_size, status.st_mtime_ns)).encode())
    return digest.hexdigest()
