"""``lite-delegate report``: who runs what and why, without running the model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from ..report import partition_report
from .options import (
    build_model,
    delegate_option,
    emit,
    format_option,
    input_shape_option,
    model_argument,
    optimize_option,
    signature_option,
    strict_option,
)


@click.command()
@model_argument
@delegate_option("npu")
@format_option("text", "json")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write there.")
@strict_option
@signature_option
@input_shape_option
@optimize_option
def report(
    model: Path,
    spec: str,
    options: Mapping[str, str],
    format_: str,
    output: Path | None,
    strict: bool,
    signature: str | None,
    shapes: Mapping[str, tuple[int, ...]],
    optimize: str,
) -> None:
    """Shows how MODEL is split between the delegate and the CPU, and why."""
    built = build_model(model, spec, options, strict=strict, signature=signature, shapes=shapes, optimize=optimize)
    found = partition_report(built)
    emit(found.to_json() if format_ == "json" else found.to_text(), output)
