"""``lite-delegate compile``: a compiled model in a file."""

from __future__ import annotations

from pathlib import Path

import click

from ..basics.counted import counted
from .options.build_options import SPLITTING, BuildOptions, building_options, say_shapes
from .options.options import allow_fallback_option, delegate_option, model_argument, output_option
from .options.property_options import reference_kernels_option, strict_option
from .options.steps import stateful_option


@click.command(name="compile", short_help="Compiles MODEL and writes it to a file.")
@model_argument
@delegate_option("none", several=True)
@output_option("-o", "--output", metavar="FILE.ldm", required=True)
@building_options(stateful_option, strict_option, allow_fallback_option, reference_kernels_option, *SPLITTING)
def compile(model: Path, output: Path, building: BuildOptions) -> None:
    """Compiles MODEL for the delegates and writes all of it, whole or not at all.

    Commands that run models take the file, with the same delegates: nothing is compiled again.
    """
    built = building.model(model)
    say_shapes(built)
    size = len(built.export(output))
    record = built.get_partition()
    count, nodes = len(record.subgraphs), sum(len(each.kernels) for each in record.subgraphs)
    where = f"{nodes:,} of {counted(len(record.nodes), 'kernel')} in {counted(count, 'subgraph')}"
    click.echo(f"{output}: {counted(size, 'byte')}, {where} on {record.delegate or 'no delegate'}")
