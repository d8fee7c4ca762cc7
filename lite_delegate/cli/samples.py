"""``lite-delegate samples``: representative samples of a model, out of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import click

from ..basics.counted import counted
from ..batch import BatchOptions, write_samples
from ..batch.written_samples import DEFAULT_COUNT
from .data_set.build_recipe import BuildRecipe
from .data_set.row_options import feeding_options, sources_option
from .frame.command import command
from .frame.loudness import note, progress
from .options.build_options import BuildOptions
from .options.options import Dims, input_shape_option, model_argument, output_option, signature_option


@command()
@model_argument
@sources_option
@output_option("-o", "--output", metavar="FILE.npz", help_text="For the samples.", required=True)
@click.option(
    "--count",
    type=click.IntRange(1),
    default=DEFAULT_COUNT,
    show_default=True,
    metavar="N",
    help="Rows, at even distances in the data set.",
)
@feeding_options
@signature_option
@input_shape_option
def samples(
    model: Path,
    sources: tuple[str, ...],
    output: Path,
    count: int,
    reading: BatchOptions,
    signature: str | None,
    shapes: Mapping[str, Dims],
) -> None:
    """Writes rows of a data set as representative samples of MODEL, for --samples of other commands.

    Delegates that quantize choose the ranges of numbers by the samples.
    """
    building = BuildOptions("none", signature=signature, shapes=shapes)
    recipe = BuildRecipe(model, building, has_whole_inputs=reading.has_whole_inputs)
    options = {each.name: getattr(reading, each.name) for each in fields(reading)} | {"shapes": shapes}
    with progress(f"reading {counted(count, 'row')}"):
        found = write_samples(recipe, sources, output, count=count, **options)
    for reason, rows in found.left_out.items():
        note(f"note: {counted(rows, 'row')} left out: {reason}")
    click.echo(f"{output}: {counted(found.count, 'sample')} of {counted(found.rows, 'row')}")
