"""``lite-delegate report diff``: the changes from one report to another."""

from __future__ import annotations

from pathlib import Path

import click

from ..report import DIFF_RENDERERS, diff, read_report
from .frame.command import command
from .options.files import InputFile
from .options.options import emit, format_option, output_option


@command("report diff")
@click.argument("before", type=InputFile(), metavar="A.json")
@click.argument("after", type=InputFile(), metavar="B.json")
@format_option(*DIFF_RENDERERS)
@output_option("-o", "--output")
def report_diff(before: Path, after: Path, format_: str, output: Path | None) -> None:
    """Shows the changes from report A.json to report B.json, both written by 'report --format json'."""
    emit(DIFF_RENDERERS[format_](diff(read_report(before), read_report(after))), output)
