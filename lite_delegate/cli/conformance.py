"""``lite-delegate conformance``: the operator suite against a delegate."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from ..conformance import RENDERERS, all_cases, run_in_workers
from ..conformance.results import CaseResult
from .options import delegate_option, emit, format_option, output_option
from .tracebacks import are_shown


@click.command()
@delegate_option("none")
@click.option("--op", "ops", multiple=True, metavar="NAME", help="Only this operator. Repeatable.")
@format_option(*RENDERERS)
@output_option("-o", "--output")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Worker processes.  [default: one per CPU]")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="For one case.",
)
@click.option("--save", type=click.Path(path_type=Path), metavar="DIR", help="Save failing cases, made small, there.")
def conformance(
    spec: str,
    options: Mapping[str, str],
    ops: tuple[str, ...],
    format_: str,
    output: Path | None,
    jobs: int | None,
    timeout: float,
    save: Path | None,
) -> None:
    """Runs the operator suite. Exit status 1 when a claimed case is wrong or fails, or an operator has no cases."""
    cases = list(all_cases(ops))
    found = run_in_workers(cases, spec, options=options, jobs=jobs, timeout=timeout, save=save, is_whole=not ops)
    emit(RENDERERS[format_](found), output)
    if are_shown(click.get_current_context()):
        _show_tracebacks(found.results)
    if not found.is_conformant:
        sys.exit(1)


def _show_tracebacks(results: Sequence[CaseResult]) -> None:
    """Each traceback once, with the first case that it comes from."""
    cases: dict[str, list[str]] = {}
    for result in results:
        cases.setdefault(result.traceback, []).append(f"{result.op_type} {result.name}")
    for traceback, names in cases.items():
        if traceback:
            more = f" and {len(names) - 1} more cases" * (len(names) > 1)
            click.echo(f"{names[0]}{more}:\n{traceback}", err=True)
