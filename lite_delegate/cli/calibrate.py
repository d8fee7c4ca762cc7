"""``lite-delegate calibrate``: the times of a model's kernels, for placement by gain."""

from __future__ import annotations

from pathlib import Path

import click

from ..basics.counted import counted
from ..partition.placement import MEASURED, KernelTimes
from .frame.command import command
from .frame.loudness import progress
from .options.build_options import BuildOptions, building_options, say_shapes
from .options.options import allow_fallback_option, delegate_option, emit, model_argument, output_option


@command()
@model_argument
@delegate_option("npu")
@output_option("-o", "--output", metavar="FILE.json")
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    default=5,
    show_default=True,
    help="Predictions; their median counts.",
)
@building_options(allow_fallback_option)
def calibrate(
    model: Path,
    output: Path | None,
    runs: int,
    building: BuildOptions,
) -> None:
    """Measures the times of MODEL's kernels, for --placement cost of other commands (--times FILE.json).

    CPU kernels are measured with random inputs. So is the delegate's device, unless it is simulated: then its times are
    the delegate's estimates, and the file says so. A file is for one delegate, so --delegate can be given once.
    """
    built = building.model(model)
    say_shapes(built)
    with progress(f"measuring {model.name}", is_still=True):
        times = built.calibrate(runs)
    emit(times.to_json(), output)
    if output is not None:
        click.echo(_summary(times))


def _summary(times: KernelTimes) -> str:
    host, device = sum(times.host_us.values()), sum(times.device_us.values())
    how = "measured" if times.device_source == MEASURED else "estimated"
    return (
        f"CPU: {counted(len(times.host_us), 'kernel')}, {host:,.1f} us measured on this host\n"
        f"'{times.key.delegate}': {counted(len(times.device_us), 'kernel')}, {device:,.1f} us {how}, "
        f"and {times.launch_us:,.1f} us {how} to start a subgraph"
    )
