"""``lite-delegate compile``: a compiled model in a file."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import InputError
from ..files import check_target
from .building import SPLITTING, Building, building_options, say_shapes
from .options import allow_fallback_option, delegate_option, model_argument, reference_kernels_option, strict_option
from .steps import stateful_option


@click.command(name="compile", short_help="Compiles MODEL and writes it to a file.")
@model_argument
@delegate_option("none", several=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="FILE.ldm", help="Write there.")
@building_options(stateful_option, strict_option, allow_fallback_option, reference_kernels_option, *SPLITTING)
def compile(model: Path, output: Path, building: Building) -> None:
    """Compiles MODEL for the delegates and writes all of it, whole or not at all.

    Commands that run models take the file, with the same delegates: nothing is compiled again.
    """
    if output.resolve() == model.resolve():
        raise InputError(f"--output is the model itself, '{model}'; name another file.")
    check_target(output)
    built = building.model(model)
    say_shapes(built)
    size = len(built.export(output))
    record = built.get_partition()
    count, nodes = len(record.subgraphs), sum(len(each.kernels) for each in record.subgraphs)
    where = f"{nodes} of {len(record.nodes)} kernels in {count} subgraph{'s' * (count != 1)}"
    click.echo(f"{output}: {size} bytes, {where} on {record.delegate or 'no delegate'}")
