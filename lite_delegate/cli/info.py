"""``lite-delegate info``: what is in a model file."""

from __future__ import annotations

from pathlib import Path

import click

from ..formats import read_model
from ..report.model_info import INFO_RENDERERS, model_info
from .options import emit, format_option, model_argument, signature_option


@click.command(short_help="Shows what is in MODEL.")
@model_argument
@format_option(*INFO_RENDERERS)
@signature_option
def info(model: Path, format_: str, signature: str | None) -> None:
    """Shows what is in MODEL: version, inputs, outputs, operators, constants."""
    emit(INFO_RENDERERS[format_](model_info(model, read_model(model, signature=signature))), None)
