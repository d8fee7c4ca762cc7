"""``lite-delegate batch``: a model over a data set."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..basics.counted import counted
from ..batch import BatchOptions, BatchProgress, BatchResult
from ..batch.driver.run import run_job
from ..batch.engines.local import LocalEngine
from ..errors import InputError
from .options.batch_recipe import BuildRecipe
from .options.build_options import SPLITTING, BuildOptions, building_options
from .options.options import allow_fallback_option, cache_dir_option, delegate_option, model_argument
from .options.property_options import (
    bytes_of,
    cpu_backends_option,
    on_delegate_error_option,
    strict_option,
    threads_option,
)


@click.command(short_help="Runs MODEL over a data set.")
@model_argument
@click.option(
    "--input",
    "sources",
    multiple=True,
    required=True,
    metavar="SOURCE",
    help="A file, a folder or a pattern: Parquet, Arrow, NPY, NPZ, CSV or images. Repeatable.",
)
@click.option("--output", "folder", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="For parts.")
@click.option(
    "--map",
    "columns",
    multiple=True,
    metavar="INPUT=COLUMN",
    help="The column of an input; several names or patterns with a comma between are put side by side. Repeatable; "
    "without it an input has the column of its name.",
)
@click.option(
    "--constant",
    "constants",
    multiple=True,
    metavar="INPUT=FILE.npy|NUMBER",
    help="An input that is the same for all rows. Repeatable.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="COLUMN",
    help="A column of the source that the parts have, too; none: no column. All numbers, texts and times by default.",
)
@click.option("--save", multiple=True, metavar="OUTPUT[=COLUMN]", help="An output that the parts have; by default all.")
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="COLUMN=TYPE",
    help="The type of a column of CSV: int64, float32, string. By default the first rows show it. Repeatable.",
)
@click.option(
    "--preprocess",
    default="",
    metavar="FILE.toml|MODULE:FUNCTION",
    help="How images, or rows, become inputs.",
)
@click.option(
    "--batch", "rows", type=click.IntRange(1), metavar="N", help="Rows in a run, where the model leaves it open."
)
@click.option(
    "--chunk-rows", type=click.IntRange(1), metavar="N", help="Rows in a part; by default about 64 MB of them."
)
@click.option(
    "--postprocess",
    default="",
    metavar="MODULE:FUNCTION",
    help="How the outputs of a row become columns; see docs/batch.md.",
)
@click.option(
    "--whole-inputs",
    "has_whole_inputs",
    is_flag=True,
    help="A row is a whole input: the model has no dimension for rows.",
)
@click.option("--memory", callback=bytes_of, metavar="BYTES", help="For the rows of all workers, about: 512M, 2G.")
@click.option("--max-errors", type=click.IntRange(0), metavar="N", help="Stop when more rows than this have errors.")
@click.option("--retry-errors", is_flag=True, help="Run parts again that have rows with errors.")
@click.option("--engine", type=click.Choice(["local"]), default="local", show_default=True)
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes; by default one for each processor.")
@click.option("--chunk-timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="For one part.")
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
    columns: tuple[str, ...],
    constants: tuple[str, ...],
    keep: tuple[str, ...],
    save: tuple[str, ...],
    types: tuple[str, ...],
    preprocess: str,
    postprocess: str,
    has_whole_inputs: bool,
    rows: int | None,
    chunk_rows: int | None,
    memory: int | None,
    max_errors: int | None,
    retry_errors: bool,
    engine: str,
    workers: int | None,
    chunk_timeout: float | None,
    building: BuildOptions,
) -> None:
    """Runs MODEL over all rows of a data set and writes the outputs as Parquet files, in the order of the rows.

    The same command again goes on where a job stopped. A row that cannot be run has its reason in the column "error".
    """
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # for modules of the user
    options = BatchOptions(
        columns=_pairs("--map", columns),
        constants={name: _constant(name, text) for name, text in _pairs("--constant", constants).items()},
        keep=_kept(keep),
        save=save,
        types=_pairs("--type", types),
        preprocess=preprocess,
        postprocess=postprocess,
        has_whole_inputs=has_whole_inputs,
        shapes=building.shapes,
        rows=rows,
        chunk_rows=chunk_rows,
        memory=memory,
        max_errors=max_errors,
        retries_errors=retry_errors,
    )
    chosen = LocalEngine(workers, chunk_timeout)
    with _progress() as tell:
        result = run_job(BuildRecipe(model, building), sources, folder, options, chosen, tell)
    _say(result)


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise InputError(f"{option} must be NAME=VALUE, got '{text}'.")
        if name in found:
            raise InputError(f"{option} names '{name}' twice.")
        found[name] = value
    return found


def _kept(names: Sequence[str]) -> tuple[str, ...] | None:
    if tuple(names) == ("none",):
        return ()
    return tuple(each for name in names for each in name.split(",")) or None


def _constant(name: str, text: str) -> Any:
    if not text.endswith((".npy", ".npz")):
        try:
            return np.array(float(text) if set(text) & set(".eEn") else int(text))
        except ValueError:
            raise InputError(f"--constant {name} must be a number or FILE.npy, got '{text}'.") from None
    return np.load(text)


@contextmanager
def _progress() -> Iterator[Callable[[BatchProgress], None]]:
    """A function to call with the progress: moves a bar on where standard error is a terminal."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda progress: None
        return
    with tqdm(disable=None, leave=False, unit="row", unit_scale=True) as bar:

        def show(progress: BatchProgress) -> None:
            bar.total = progress.all_rows
            bar.set_postfix_str(counted(progress.errors, "error") if progress.errors else "", refresh=False)
            bar.update(progress.rows - bar.n)

        yield show


def _say(result: BatchResult) -> None:
    for note in result.notes:
        click.echo(f"lite-delegate: note: {note}", err=True)
    model = result.model
    kernels = f"{model['kernels_delegated']:,} of {counted(model['kernels'], 'kernel')}"
    found = f", {counted(result.found_parts, 'part')} from before" if result.found_parts else ""
    where = f"{kernels} on {model['delegate'] or 'no delegate'}"
    click.echo(f"{result.folder}: {counted(result.rows, 'row')} in {counted(result.parts, 'part')}{found}; {where}")
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
