"""``lite-delegate report``: the device of each node and the reason, without running the model."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import InputError
from ..partition.what_if.what_if import MOST_TOGETHER
from ..report import (
    RENDERERS,
    PartitionReport,
    Requirement,
    parse_requirement,
    partition_report,
    read_comparison,
    read_report,
    unmet,
)
from ..report.changes.gate_text import unmet_text
from .frame.command import command
from .frame.loudness import laid_out_for_errors
from .frame.words import CommandOfWords
from .options import completion
from .options.build_options import SPLITTING, BuildOptions, building_options
from .options.files import InputFile, ModelFile
from .options.options import (
    delegate_option,
    emit,
    format_option,
    full_option,
    output_option,
    try_first_options,
    write_noted,
)
from .options.property_options import cpu_backends_option, strict_option
from .options.steps import stateful_option

WITHOUT_WHAT_IF = ("dot", "model-explorer", "node-data", "netron")
"""Forms that draw the partition as it is."""
WITHOUT_ERRORS = ("text", "markdown", "dot")
"""Forms that have no errors of nodes."""
NETRON = "netron"
"""The form that is no text."""
FORMS = (*RENDERERS, NETRON)
NOT_MET = 1
"""Exit status when the report does not meet a requirement."""

require_option = click.option(
    "--require",
    "requirements",
    multiple=True,
    callback=lambda context, parameter, texts: tuple(map(parse_requirement, texts)),
    metavar="EXPRESSION",
    help="Exit with status 1 unless it is met, such as coverage>=0.9, subgraphs<=3, coverage>=baseline. Repeatable.",
)
what_if_option = click.option(
    "--what-if",
    is_flag=True,
    help="Show what would change if the delegates supported what they reject. --format html has it always.",
)
what_if_set_option = click.option(
    "--what-if-set",
    type=click.IntRange(min=1),
    metavar="K",
    help=f"The most things that --what-if supposes together; implies --what-if.  [default: {MOST_TOGETHER}]",
)
baseline_option = click.option(
    "--baseline",
    type=InputFile(),
    metavar="FILE.json",
    help="An earlier report, written by --format json, that --require compares with.",
)
errors_option = click.option(
    "--errors",
    type=InputFile(),
    metavar="FILE.json",
    help="Errors of the nodes, written by 'lite-delegate compare --kernels --format json': html colors nodes by them.",
)


@command(kind=CommandOfWords)
@click.argument("model", type=ModelFile(), shell_complete=completion.names_or_files)
@delegate_option("npu", several=True)
@format_option(*FORMS)
@output_option("-o", "--output")
@full_option
@what_if_option
@what_if_set_option
@require_option
@baseline_option
@errors_option
@building_options(stateful_option, strict_option, try_first_options, cpu_backends_option("none"), *SPLITTING)
def report(
    model: Path,
    format_: str,
    output: Path | None,
    what_if: bool,
    what_if_set: int | None,
    requirements: tuple[Requirement, ...],
    baseline: Path | None,
    errors: Path | None,
    building: BuildOptions,
) -> None:
    """Shows how MODEL is split between the delegates and the CPU, and why.

    The word 'diff' in place of MODEL is the command below; a model of that name is './diff'.
    """
    what_if = what_if or what_if_set is not None
    if what_if and format_ in WITHOUT_WHAT_IF:
        raise InputError(f"--what-if has no place in --format {format_}: choose text, markdown, html or json.")
    if errors is not None and format_ in WITHOUT_ERRORS:
        forms = ", ".join(name for name in FORMS if name not in WITHOUT_ERRORS)
        raise InputError(f"--errors has no place in --format {format_}: choose one of {forms}.")
    if format_ == NETRON and output is None:
        raise InputError(f"--format {NETRON} writes an ONNX file: give -o FILE.onnx.")
    earlier = _baseline(requirements, baseline)
    comparison = None if errors is None else read_comparison(errors)
    built = building.model(model, plan_only=True)
    most = MOST_TOGETHER if what_if_set is None else what_if_set
    found = partition_report(built, what_if=what_if or format_ == "html", what_if_set=most)
    if comparison is not None:
        found = found.with_errors(comparison)
    missed = unmet(found, requirements, earlier)
    if format_ == NETRON and output is not None:
        write_noted(output, found.to_netron())
    else:
        emit(RENDERERS[format_](found), output)
    if missed:
        with laid_out_for_errors():
            click.echo(unmet_text(missed, found, earlier), err=True)
        click.get_current_context().exit(NOT_MET)


def _baseline(requirements: tuple[Requirement, ...], path: Path | None) -> PartitionReport | None:
    """The earlier report; asked for before the model is built, so that a mistake shows at once."""
    if path is not None:
        if not requirements:
            raise InputError("--baseline needs --require, which names the metrics to compare.")
        return read_report(path)
    relative = next((r for r in requirements if r.bound is None), None)
    if relative is not None:
        raise InputError(f"--require '{relative.text}' needs a report to compare with: give --baseline FILE.json.")
    return None
