"""``lite-delegate cache explain``: whether the cache has an entry for a model, and why."""

from __future__ import annotations

from pathlib import Path

import click

from ..reporting.plain import json_text, to_plain
from .cache_texts import FORMATS
from .options.build_options import SPLITTING, BuildOptions, building_options
from .options.options import (
    cache_dir_option,
    delegate_option,
    emit,
    format_option,
    model_argument,
    reference_kernels_option,
)


@click.command(name="cache explain", short_help="Says whether MODEL is in a cache, and if not, why.")
@model_argument
@delegate_option("none", several=True)
@format_option(*FORMATS)
@building_options(cache_dir_option, reference_kernels_option, *SPLITTING)
def cache_explain(model: Path, format_: str, building: BuildOptions) -> None:
    """Says whether the cache has an entry for MODEL with these options, and why. Nothing is compiled."""
    found = building.cache_outcome(model)
    if found is None:
        raise click.UsageError("Missing option '--cache-dir'.")
    emit(json_text(to_plain(found)) if format_ == "json" else f"{found.text}\nentry {found.path}", None)
