"""``lite-delegate compare``: where a delegate's numbers leave the reference's."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from ..compare import RENDERERS, CompareOptions, Reproducer
from ..compare import compare as run
from .building import SPLITTING, Building, building_options
from .files import OutputFolder
from .model_inputs import given_arrays, input_arrays, input_option, random_seed_option
from .options import (
    delegate_option,
    emit,
    format_option,
    model_argument,
    numbers_only,
    output_option,
    reference_kernels_option,
)
from .tracebacks import show_tracebacks


@click.command(short_help="Shows where a delegate's numbers leave the reference's.")
@model_argument
@delegate_option("npu", several=True)
@input_option
@random_seed_option
@click.option("--rtol", type=float, metavar="R", help="Relative tolerance.  [default: by the delegate's storage type]")
@click.option("--atol", type=float, metavar="A", help="Absolute tolerance; 0 where only --rtol is given.")
@click.option("--kernels", is_flag=True, help="Compare each kernel of the subgraphs by itself, too.")
@click.option("--bisect", is_flag=True, help="Find what is wrong in a subgraph by splitting it.")
@click.option("--save", type=OutputFolder(), metavar="DIR", help="Save what --bisect finds there, a new directory.")
@format_option(*RENDERERS)
@output_option("-o", "--output")
@building_options(reference_kernels_option, *SPLITTING)
def compare(
    model: Path,
    inputs: tuple[str, ...],
    random_seed: int,
    rtol: float | None,
    atol: float | None,
    kernels: bool,
    bisect: bool,
    save: Path | None,
    format_: str,
    output: Path | None,
    building: Building,
) -> None:
    """Runs MODEL on the delegate and on the reference kernels, and shows where the numbers part.

    Exit status 1 when anything is beyond tolerance. Inputs that are not given are random. --save implies --bisect.
    """
    show_tracebacks(click.get_current_context())
    asked = CompareOptions(rtol, atol, kernels, bisect)
    numbers_only(building.shapes, "compare")
    reproducer = None if save is None else Reproducer(save, building.specs, building.options)
    graph = building.read(model)
    given = given_arrays([value.name for value in graph.inputs], inputs)
    built = replace(building, on_delegate_error="fallback").build(graph, model, given)
    arrays, random = input_arrays(built, given, random_seed)
    found = run(built, arrays, asked, reproducer)
    if random:
        found = found.with_note(f"Random inputs (seed {random_seed}): {', '.join(random)}.")
    emit(RENDERERS[format_](found), output)
    if not found.passed:
        sys.exit(1)
