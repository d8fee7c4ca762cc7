"""``lite-delegate cache explain``: whether the cache has an entry for a model, and why."""

from __future__ import annotations

from pathlib import Path

import click

from ..cache import CacheOutcome
from ..reporting.forms import forms
from .frame.command import command
from .options.build_options import SPLITTING, BuildOptions, building_options
from .options.options import cache_dir_option, delegate_option, emit, format_option, model_argument
from .options.property_options import reference_kernels_option


def _text(found: CacheOutcome) -> str:
    return f"{found.text}\nentry {found.path}"


FORMS = forms(_text)


@command("cache explain")
@model_argument
@delegate_option("none", several=True)
@format_option(*FORMS)
@building_options(cache_dir_option, reference_kernels_option, *SPLITTING)
def cache_explain(model: Path, format_: str, building: BuildOptions) -> None:
    """Says whether the cache has an entry for MODEL with these options, and why. Nothing is compiled."""
    found = building.cache_outcome(model)
    if found is None:
        raise click.UsageError("Missing option '--cache-dir'.")
    emit(FORMS[format_](found), None)
