"""``lite-delegate compile``: a compiled model in a file."""

from __future__ import annotations

from pathlib import Path

import click

from ..basics.counted import counted
from ..basics.files import write_whole
from ..errors import InputError
from ..mindspore.model import Model
from .frame.command import command
from .options.build_options import SPLITTING, BuildOptions, building_options, say_shapes
from .options.options import allow_fallback_option, delegate_option, model_argument, output_option
from .options.property_options import reference_kernels_option, strict_option
from .options.steps import stateful_option

DEVICE_SUFFIXES = (".onnx", ".tflite")
"""Suffixes of files for the runtimes of devices; files of any other name are compiled models of this package."""


@command("compile")
@model_argument
@delegate_option("none", several=True)
@output_option("-o", "--output", metavar="FILE", required=True)
@building_options(stateful_option, strict_option, allow_fallback_option, reference_kernels_option, *SPLITTING)
def compile(model: Path, output: Path, building: BuildOptions) -> None:
    """Compiles MODEL for the delegates and writes all of it, whole or not at all.

    Commands that run models take FILE.ldm, with the same delegates: nothing is compiled again. With another suffix,
    as in -o FILE.onnx, FILE is what the device's own runtime loads, where the delegate writes such files and takes the
    whole model.
    """
    built = building.model(model)
    say_shapes(built)
    is_ours = output.suffix not in DEVICE_SUFFIXES
    size = len(built.export(output)) if is_ours else _write_for_device(built, output)
    record = built.get_partition()
    count, nodes = len(record.subgraphs), sum(len(each.kernels) for each in record.subgraphs)
    where = f"{nodes:,} of {counted(len(record.nodes), 'kernel')} in {counted(count, 'subgraph')}"
    click.echo(f"{output}: {counted(size, 'byte')}, {where} on {record.delegate or 'no delegate'}")


def _write_for_device(built: Model, output: Path) -> int:
    """Writes the file for the device; returns its bytes."""
    file = built.compiled.device_file()
    if output.suffix != file.suffix:
        raise InputError(f"-o {output}: the file for {file.runtime} is called *{file.suffix}.")
    write_whole(output, file.content)
    click.echo(f"For {file.runtime}.")
    return len(file.content)
