"""``lite-delegate compare``: differences between a delegate's numbers and the reference's."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from ..batch.comparing.data_comparison import DATA_RENDERERS
from ..compare import RENDERERS, CompareOptions, Repair, RepairOptions, Reproducer, UsableLimits
from ..compare import compare as run
from ..errors import InputError
from ..inference.properties.model_properties import ON_ERROR
from .data_set.data_options import DataOptions, data_options
from .frame.command import command
from .frame.loudness import progress
from .frame.tracebacks import show_tracebacks
from .options.build_options import SPLITTING, BuildOptions, building_options
from .options.compare_options import repair_options, usable_options
from .options.files import OutputFolder
from .options.model_inputs import given_arrays, input_arrays, input_option, random_seed_option
from .options.options import (
    allow_fallback_option,
    delegate_option,
    emit,
    format_option,
    full_option,
    isolation_option,
    model_argument,
    numbers_only,
    output_option,
    try_first_options,
    write_noted,
)
from .options.property_options import reference_kernels_option


@command()
@model_argument
@delegate_option("npu", several=True)
@input_option
@random_seed_option
@click.option("--rtol", type=float, metavar="R", help="Relative tolerance.  [default: by the delegate's storage type]")
@click.option("--atol", type=float, metavar="A", help="Absolute tolerance; 0 where only --rtol is given.")
@click.option("--kernels", is_flag=True, help="Compare each kernel of the subgraphs by itself, too.")
@click.option(
    "--bisect",
    is_flag=True,
    help="Find the wrong kernels of a subgraph by splitting it, and try on the device where digits get lost.",
)
@click.option("--save", type=OutputFolder(), metavar="DIR", help="Save the findings of --bisect in this new directory.")
@usable_options
@click.option("--explained-only", is_flag=True, help="Exit with 0 where rounding explains all, usable or not.")
@click.option("--losses", is_flag=True, help="Show where digits get lost also where the model is usable.")
@repair_options
@data_options
@format_option(*RENDERERS)
@output_option("-o", "--output")
@full_option
@building_options(reference_kernels_option, allow_fallback_option, try_first_options, isolation_option, *SPLITTING)
def compare(
    model: Path,
    inputs: tuple[str, ...],
    random_seed: int,
    rtol: float | None,
    atol: float | None,
    kernels: bool,
    bisect: bool,
    save: Path | None,
    usable: UsableLimits,
    explained_only: bool,
    losses: bool,
    repair_file: Path | None,
    repair: RepairOptions | None,
    repair_samples: int,
    data: DataOptions,
    format_: str,
    output: Path | None,
    building: BuildOptions,
) -> None:
    """Runs MODEL on the delegate and on the reference kernels, and shows where the numbers part.

    There are two verdicts: whether rounding explains all differences, and whether the outputs are usable. Exit status
    1 when one of them is no; with --explained-only when the first is, and with --repair when the plan does not mend the
    second. Inputs that are not given are random. --save implies --bisect.

    With --data all rows of a data set are compared: distances, the same best class, and with --label accuracy.
    """
    show_tracebacks(click.get_current_context())
    if data.sources:
        others = {"--input": inputs, "--kernels": kernels, "--bisect": bisect, "--repair": repair_file}
        _check_alone(others, format_)
        return emit(DATA_RENDERERS[format_](data.compared(model, building, save)), output)
    asked = CompareOptions(
        rtol,
        atol,
        kernels,
        bisect,
        usable=usable,
        explained_only=explained_only,
        losses=True if losses else None,
        repair=repair,
    )
    numbers_only(building.shapes, "compare")
    reproducer = None if save is None else Reproducer(save, building.specs, building.options)
    graph = building.read(model)
    given = given_arrays([value.name for value in graph.inputs], inputs)
    built = replace(building, wanted={**building.wanted, ON_ERROR: "FALLBACK"}).build(graph, model, given)
    arrays, random = input_arrays(built, given, random_seed)
    if repair is not None:
        more = range(random_seed + 1, random_seed + repair_samples)
        also = tuple(input_arrays(built, given, seed)[0] for seed in more)
        asked = replace(asked, repair=replace(repair, also=also))
    with progress(f"comparing {model.name}"):
        found = run(built, arrays, asked, reproducer)
    if random:
        found = found.with_note(f"Random inputs (seed {random_seed}): {', '.join(random)}.")
    if repair_file is not None and found.repair is not None:
        found = found.with_note(_saved(found.repair, repair_file))
    emit(RENDERERS[format_](found), output)
    if not found.passed and not (found.explained and found.repair is not None and found.repair.reached):
        sys.exit(1)


def _check_alone(others: Mapping[str, object], format_: str) -> None:
    given = [name for name, value in others.items() if value]
    if given:
        raise InputError(f"--data compares rows, and takes no {' or '.join(given)}; leave that out.")
    if format_ not in DATA_RENDERERS:
        raise InputError(f"--data has the formats {', '.join(DATA_RENDERERS)}, not {format_}.")


def _saved(repair: Repair, path: Path) -> str:
    """Writes the plan of a useful repair, and tells the user so."""
    if not repair.reached:
        return f"'{path}' was not written: the repair did not reach its goal."
    write_noted(path, repair.to_affinity().encode())
    return f"'{path}' has the plan of the repair, for --affinity of run, report, benchmark and compare."
