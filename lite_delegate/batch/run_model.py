"""The call that runs a model over a data set."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .driver.batch_options import BatchOptions
from .driver.progress import BatchProgress, BatchResult
from .driver.run import run_job
from .engines.engine import BatchEngine
from .engines.local import LocalEngine
from .models.compiled_recipe import ModelSource, recipe_of

NOTHING: Mapping[str, object] = {}


def run(
    model: ModelSource,
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    device: str = "CPU",
    properties: Mapping[str, object] = NOTHING,
    engine: BatchEngine | None = None,
    on_progress: Callable[[BatchProgress], None] = lambda progress: None,
    **options: Any,
) -> BatchResult:
    """Runs a model over all rows of a data set, into a folder of Parquet files in the order of the rows.

    The same call again goes on where a job stopped: finished parts are kept. A row that cannot be read, does not fit
    the model, or ends its worker has an error in place of outputs.

    Args:
        model: the path of a model's file, its bytes, a model that ``Core.compile_model`` has compiled, or a recipe.
        source: files, folders, or patterns: Parquet, Arrow, NPY, NPZ, CSV, images.
        output: the folder for the parts.
        device: of a path or bytes, as for ``Core.compile_model``.
        properties: of the device. A worker has one thread where they say nothing of threads.
        engine: runs the chunks; None: processes of this machine, one for each processor.
        on_progress: is called after each part.
        options: the fields of ``BatchOptions``: columns, constants, keep, save, types, preprocess, postprocess,
            has_whole_inputs, shapes, rows, chunk_rows, memory, max_errors, retries_errors.

    Raises:
        InputError: the source does not fit the model, the folder has another job, or too many rows have errors.
        OSError: files cannot be read or written.
        LiteDelegateError: the model cannot be read or compiled.
    """
    chosen = LocalEngine() if engine is None else engine
    return run_job(recipe_of(model, device, properties), source, output, BatchOptions(**options), chosen, on_progress)
