"""``lite-delegate batch``: a model over a data set."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from ..basics.counted import counted
from ..batch import BatchOptions, BatchResult
from ..batch.engines.engine import BatchEngine
from .data_set.build_recipe import BuildRecipe
from .data_set.engine_options import engine_options
from .data_set.row_options import row_options, rows_shown, sources_option
from .frame.command import command
from .frame.loudness import note
from .options.build_options import SPLITTING, BuildOptions, building_options
from .options.files import OutputFolder
from .options.options import allow_fallback_option, cache_dir_option, delegate_option, model_argument
from .options.property_options import (
    cpu_backends_option,
    on_delegate_error_option,
    strict_option,
    threads_option,
)


@command()
@model_argument
@sources_option
@click.option("--output", "folder", type=OutputFolder(), required=True, metavar="FOLDER", help="For parts.")
@click.option(
    "--keep",
    multiple=True,
    metavar="COLUMN",
    help="A column of the source that the parts have, too; none: no column. All numbers, texts and times by default.",
)
@click.option("--save", multiple=True, metavar="OUTPUT[=COLUMN]", help="An output that the parts have; by default all.")
@click.option(
    "--postprocess",
    default="",
    metavar="MODULE:FUNCTION",
    help="How the outputs of a row become columns; see docs/batch.md.",
)
@click.option("--retry-errors", is_flag=True, help="Run parts again that have rows with errors.")
@row_options
@engine_options
@delegate_option("none", several=True)
@building_options(
    threads_option,
    cache_dir_option,
    strict_option,
    allow_fallback_option,
    cpu_backends_option("auto"),
    on_delegate_error_option,
    *SPLITTING,
)
def batch(
    model: Path,
    sources: tuple[str, ...],
    folder: Path,
    keep: tuple[str, ...],
    save: tuple[str, ...],
    postprocess: str,
    retry_errors: bool,
    reading: BatchOptions,
    engine: BatchEngine,
    building: BuildOptions,
) -> None:
    """Runs MODEL over all rows of a data set and writes the outputs as Parquet files, in the order of the rows.

    The same command again goes on where a job stopped. A row that cannot be run has its reason in the column "error".
    """
    from ..batch.driver.run import run_job

    options = replace(
        reading,
        keep=_kept(keep),
        save=save,
        postprocess=postprocess,
        shapes=building.shapes,
        retries_errors=retry_errors,
    )
    with rows_shown() as tell:
        recipe = BuildRecipe(model, building, has_whole_inputs=options.has_whole_inputs)
        result = run_job(recipe, sources, folder, options, engine, tell)
    _say(result)


def _kept(names: Sequence[str]) -> tuple[str, ...] | None:
    if tuple(names) == ("none",):
        return ()
    return tuple(each for name in names for each in name.split(",")) or None


def _say(result: BatchResult) -> None:
    for each in result.notes:
        note(f"note: {each}")
    found = f", {counted(result.found_parts, 'part')} from before" if result.found_parts else ""
    click.echo(f"{result.folder}: {counted(result.rows, 'row')} in {counted(result.parts, 'part')}{found}")
    for text in result.model["where"]:
        click.echo(text)
    if result.rows_run:
        speed = result.rows_run / max(result.seconds, 1e-9)
        click.echo(f"{result.rows_run:,} rows in {result.seconds:.1f} s, {speed:,.1f} rows/s measured on this host")
    if result.deaths:
        click.echo(f"{counted(result.deaths, 'worker')} ended and were started again")
    if result.errors:
        click.echo(f"{counted(result.errors, 'row')} without outputs:")
        for reason, count in result.reasons.items():
            click.echo(f"  {count:,} x {reason}")
    sys.stdout.flush()
