"""Comparing two models over all rows of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...basics.similar import did_you_mean
from ...errors import InputError
from ..driver.batch_options import BatchOptions
from ..driver.prepared_job import prepared_job
from ..driver.run import JobClock, Paths, Tell, run_prepared
from ..engines.engine import BatchEngine
from ..models.compared_model import BEST, DISTANCES, WANTED_BEST, ComparedOutput
from ..models.recipe import ModelRecipe
from ..parts.job_folder import JobFolder
from ..parts.output_columns import ERROR
from ..pyarrow_package import pyarrow
from ..sources.opened import open_source
from .data_comparison import DataComparison, OutputDistances, WorstRow
from .saved_rows import save_rows


@dataclass(frozen=True, slots=True)
class CompareRows:
    """What a user asks of a comparison over a data set.

    Attributes:
        label: the column of the source with the index of the right class; "": there are no labels.
        worst: the number of rows that are listed.
        save: a folder for the inputs of the rows that are listed; None: they are not saved.
    """

    label: str = ""
    worst: int = 10
    save: Path | None = None


def compare_rows(
    recipe: ModelRecipe,
    reference: ModelRecipe,
    source: Paths,
    folder: Path,
    options: BatchOptions,
    engine: BatchEngine,
    asked: CompareRows,
    tell: Tell = lambda progress: None,
) -> DataComparison:
    """The distances between the outputs of two models over all rows of a data set.

    Args:
        recipe: of the model that is judged.
        reference: of the model whose outputs are right.
        source, folder, options, engine, tell: as for ``run_job``; the parts in the folder have the distances of rows.
        asked: labels, and the rows that are listed.

    Raises:
        InputError: as ``run_job``; or the labels are no column of integers.
        OSError, LiteDelegateError: as ``run_job``.
    """
    begun, rows, held = JobClock(), open_source(source, options.types), JobFolder(folder)
    if asked.label:
        _check_label(rows.schema, asked.label)
    if asked.label and options.keep is not None:
        options = replace(options, keep=tuple(dict.fromkeys((*options.keep, asked.label))))
    with held.held():
        job = prepared_job(recipe, rows, held, options, engine, reference)
        result = run_prepared(job, held, options, engine, tell, begun)
    table = _parts(folder)
    assert job.order.reference is not None
    outputs = job.order.reference.outputs
    worst = _worst(table, outputs, asked.worst)
    if asked.save is not None:
        worst = save_rows(job, worst, asked.save)
    return DataComparison(
        model=recipe.name,
        delegate=result.model["delegate"] or "no delegate",
        reference=reference.device,
        rows=result.rows,
        errors=result.errors,
        reasons=result.reasons,
        outputs=tuple(_output(table, output, asked.label) for output in outputs),
        worst=tuple(worst),
        folder=str(folder),
    )


def _check_label(schema: Any, label: str) -> None:
    if label not in schema.names:
        raise InputError(f"--label {label}: the source has no such column{did_you_mean(label, schema.names) or '.'}")
    kind = schema.field(label).type
    if not pyarrow().types.is_integer(kind):
        raise InputError(f"--label {label}: expected a column of integers, the index of the right class, got {kind}.")


def _parts(folder: Path) -> Any:
    from pyarrow import parquet

    pa = pyarrow()
    files = sorted(folder.glob("part-*.parquet"))
    return pa.concat_tables([parquet.read_table(file).replace_schema_metadata() for file in files])


def _output(table: Any, output: ComparedOutput, label: str) -> OutputDistances:
    name = output.name
    good = np.asarray(table.column(ERROR).is_null())
    max_abs, rms, snr = (_numbers(table, f"{name}.{each}")[good] for each in DISTANCES)
    agreement = accuracy = right = None
    if output.has_classes and good.any():
        best, wanted = (_numbers(table, f"{name}.{each}")[good] for each in (BEST, WANTED_BEST))
        agreement = float((best == wanted).mean())
        if label:
            labels = _numbers(table, label)[good]
            accuracy, right = float((best == labels).mean()), float((wanted == labels).mean())
    if not good.any():
        return OutputDistances(name, 0.0, 0.0, float("inf"), float("inf"), None, None, None)
    with np.errstate(invalid="ignore"):
        median = float(np.median(snr))
    return OutputDistances(
        name, float(max_abs.max()), float(rms.mean()), float(snr.min()), median, agreement, accuracy, right
    )


def _numbers(table: Any, name: str) -> Array:
    return np.asarray(table.column(name).to_numpy())


def _worst(table: Any, outputs: Sequence[ComparedOutput], count: int) -> list[WorstRow]:
    """The rows with the least signal-to-noise ratio; of equal ones those with the largest difference."""
    names = [output.name for output in outputs]
    good = np.flatnonzero(np.asarray(table.column(ERROR).is_null()))
    snr = np.min([_numbers(table, f"{name}.snr_db")[good] for name in names], axis=0)
    most = np.max([_numbers(table, f"{name}.max_abs")[good] for name in names], axis=0)
    differing = np.flatnonzero(most > 0)
    order = differing[np.lexsort((-most[differing], snr[differing]))][:count]
    made = {column for output in outputs for column in output.columns} | {ERROR}
    kept = [name for name in table.column_names if name not in made]
    return [
        WorstRow(
            int(good[at]), float(snr[at]), float(most[at]), {n: table.column(n)[int(good[at])].as_py() for n in kept}
        )
        for at in order
    ]
