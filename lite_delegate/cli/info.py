"""``lite-delegate info``: facts about a model file."""

from __future__ import annotations

from pathlib import Path

import click

from ..report.info.compiled_info import COMPILED_RENDERERS, compiled_info
from ..report.info.model_info import model_info
from ..report.info.model_info_text import INFO_RENDERERS
from ..sections.sections import is_model_file, open_sections
from .frame.command import command
from .options.options import emit, format_option, full_option, model_argument, signature_option
from .options.property_options import optimize_option


@command()
@model_argument
@click.option("--imported", is_flag=True, help="Show also the graph made of the file; see --optimize.")
@format_option(*INFO_RENDERERS)
@full_option
@signature_option
@optimize_option
def info(model: Path, imported: bool, format_: str, signature: str | None, optimize: str) -> None:
    """Shows the contents of MODEL as in its file: inputs, outputs, operators, constants, the file's description."""
    if is_model_file(model):
        found = compiled_info(open_sections(model))
        emit(COMPILED_RENDERERS[format_](found), None)
        return
    found = model_info(model, signature, imported=imported, level=optimize)
    emit(INFO_RENDERERS[format_](found), None)
