"""``lite-delegate conformance``: the operator suite against a delegate."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .options import delegate_option, emit, format_option, resolve_delegate


@click.command()
@delegate_option("none")
@click.option("--op", "ops", multiple=True, metavar="NAME", help="Only this operator. Repeatable.")
@format_option("text", "json")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write there.")
def conformance(spec: str, ops: tuple[str, ...], format_: str, output: Path | None) -> None:
    """Runs the operator suite. Exit status 1 when a claimed case is wrong or fails."""
    from ..conformance import all_cases, run_conformance

    delegate = resolve_delegate(spec)
    found = run_conformance(all_cases(ops), delegate)
    emit(found.to_json() if format_ == "json" else found.to_text(), output)
    if not found.is_conformant:
        sys.exit(1)
