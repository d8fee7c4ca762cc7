"""``lite-delegate conformance``: the operator suite against a delegate."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path

import click

from ..conformance import RENDERERS, CaseResult, all_cases, all_patterns, read_known, run_in_workers
from ..conformance.known import check_known
from ..conformance.reports.results import nothing_judged
from ..devices.registry.delegate_spec import is_auto, isolated_spec, resolve_delegate
from ..devices.registry.presence import why_absent
from .frame.command import command
from .frame.loudness import ShownWork, progress
from .frame.tracebacks import are_shown
from .options.build_options import unavailable
from .options.files import InputFile, OutputFolder
from .options.options import (
    allow_fallback_option,
    delegate_option,
    emit,
    format_option,
    full_option,
    isolation_option,
    output_option,
)


@command()
@delegate_option("none")
@click.option("--op", "ops", multiple=True, metavar="NAME", help="Only this operator. Repeatable.")
@click.option("--pattern", "names", multiple=True, metavar="NAME", help="Only this pattern or family. Repeatable.")
@click.option("--no-patterns", is_flag=True, help="Single operators only.")
@click.option("--thorough", is_flag=True, help="Look at every case closely, not at a few per operator.")
@click.option(
    "--known",
    "known_file",
    type=InputFile(),
    metavar="FILE",
    help='Failures that are known: a TOML file of lines "OPERATOR-CASE" = "reason".',
)
@format_option(*RENDERERS)
@output_option("-o", "--output")
@full_option
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Worker processes.  [default: one per CPU]")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="For one case.",
)
@click.option(
    "--allow-nothing-claimed",
    is_flag=True,
    help="Status 0 also where the delegate claims no case, so that nothing was judged; 1 otherwise.",
)
@allow_fallback_option
@isolation_option
@click.option("--save", type=OutputFolder(), metavar="DIR", help="Save failing cases, made small, there.")
def conformance(
    spec: str,
    options: Mapping[str, str],
    ops: tuple[str, ...],
    names: tuple[str, ...],
    no_patterns: bool,
    thorough: bool,
    known_file: Path | None,
    format_: str,
    output: Path | None,
    jobs: int | None,
    timeout: float,
    allow_nothing_claimed: bool,
    allow_fallback: bool,
    isolation: bool,
    save: Path | None,
) -> None:
    """Runs the operator suite.

    Exit status 1 when a claimed case is wrong or fails, an operator has no cases, or no case is claimed.
    """
    if no_patterns and names:
        raise click.UsageError("--pattern and --no-patterns exclude each other.")
    cases = list(all_cases(ops)) if ops or not names else []
    patterns = [] if no_patterns else list(all_patterns(ops, names))
    if not allow_fallback:
        _check_there(isolated_spec(spec) if isolation else spec, options)
    known = {} if known_file is None else read_known(known_file)
    check_known(known)
    number = len(cases) + len(patterns)
    with progress("judging cases", number) as shown:
        found = run_in_workers(
            cases,
            spec,
            options=options,
            jobs=jobs,
            timeout=timeout,
            save=save,
            is_whole=not ops and not names,
            patterns=patterns,
            thorough=thorough,
            known=known,
            heard=_heard(shown, number),
        )
    emit(RENDERERS[format_](found), output)
    if are_shown(click.get_current_context()):
        _show_tracebacks(found.all)
    if not found.judged and not allow_nothing_claimed:
        click.echo(f"lite-delegate: {nothing_judged(found)} --allow-nothing-claimed accepts that.", err=True)
        sys.exit(1)
    if not found.is_conformant:
        sys.exit(1)


def _check_there(spec: str, options: Mapping[str, str]) -> None:
    """Raises where the device of the delegate is not there: each case would be rejected for that."""
    delegate = resolve_delegate(spec, options)
    reason = "" if delegate is None or is_auto([spec]) else why_absent(delegate)
    if delegate is not None and reason:
        raise unavailable(f"Delegate '{delegate.name}' is not there: {reason}")


def _show_tracebacks(results: Sequence[CaseResult]) -> None:
    """Each traceback once, with the first case that it comes from."""
    cases: dict[str, list[str]] = {}
    for result in results:
        cases.setdefault(result.traceback, []).append(f"{result.op_type} {result.name}")
    for traceback, names in cases.items():
        if traceback:
            more = f" and {len(names) - 1} more cases" * (len(names) > 1)
            click.echo(f"{names[0]}{more}:\n{traceback}", err=True)


def _heard(shown: ShownWork, cases: int) -> Callable[[CaseResult], None]:
    """A function to call with each result; the results beyond the cases are those of a closer look."""
    numbers = count(1)

    def hear(result: CaseResult) -> None:
        number = next(numbers)
        is_first = number <= cases
        shown.show(result.op_type if is_first else "a closer look", min(number, cases), cases)

    return hear
