"""``lite-delegate demo``: the main job on the model that ships with the package."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ..devices.registry.delegate_spec import resolve_delegate
from .frame.command import command
from .options.options import delegate_option


@command()
@delegate_option("npu:kirin")
def demo(spec: str, options: Mapping[str, str]) -> None:
    """Classifies real handwritten digits on the CPU and with a delegate, and shows which device ran which node, and
    why.
    """
    from ..demo import run_demo

    click.echo(run_demo(resolve_delegate(spec, options)).to_text())
