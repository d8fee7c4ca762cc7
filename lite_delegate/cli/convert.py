"""``lite-delegate convert``: a model as a ``.ms`` file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import click

from ..errors import InputError
from ..files import check_target
from ..formats import read_model
from ..formats.ms import write_ms
from ..ir import Graph
from ..passes.optimize import LEVELS, optimize
from .options import input_shape_option, model_argument, signature_option

BAR_AFTER_SECONDS = 1.0
"""A conversion that takes longer than this shows a bar."""


@click.command()
@model_argument
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, metavar="FILE.ms", help="Write the model there."
)
@click.option(
    "--optimize",
    "level",
    type=click.Choice(tuple(LEVELS)),
    default="general",
    show_default=True,
    help="general folds, fuses and removes what is not needed; none writes the graph as it was read.",
)
@input_shape_option
@signature_option
@click.option(
    "--external-data-threshold",
    "threshold",
    type=click.IntRange(0),
    metavar="BYTES",
    help="Put constants of at least this many bytes into a file beside FILE.ms, with the suffix .msw.",
)
def convert(
    model: Path,
    output: Path,
    level: str,
    shapes: Mapping[str, tuple[int, ...]],
    signature: str | None,
    threshold: int | None,
) -> None:
    """Writes MODEL as a .ms file, whole or not at all. Names and order of inputs and outputs stay."""
    if output.suffix != ".ms":
        raise InputError(f"--output must be a .ms file, got '{output}'.")
    check_target(output)
    with _progress(len(LEVELS[level]) + 2) as show:
        show(f"reading {model.name}")
        graph = read_model(model, shapes, signature)
        before = _size(graph)
        graph = optimize(graph, level, show).graph
        show(f"writing {output.name}")
        write_ms(graph, output, external_data_threshold=threshold)
    click.echo(f"{output}: {_size(graph)} nodes, {before} before")


def _size(graph: Graph) -> int:
    return sum(len(each.nodes) for each in graph.all_graphs())


@contextmanager
def _progress(steps: int) -> Iterator[Callable[[str], None]]:
    """A function to call with the name of each step before it: moves a bar on where standard error is a terminal.

    The bar shows after ``BAR_AFTER_SECONDS``, also where a single step takes longer.

    Without the package ``tqdm``, which the extras for ONNX and TFLite bring, there is no bar.
    """
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda step: None
        return
    bar = tqdm(total=steps, delay=BAR_AFTER_SECONDS, disable=None, leave=False, bar_format="{desc:<24} {bar} {elapsed}")
    first_look = Timer(BAR_AFTER_SECONDS, bar.refresh)
    first_look.daemon = True

    def show(step: str) -> None:
        bar.set_description_str(step, refresh=False)
        bar.update()

    with bar:
        first_look.start()
        try:
            yield show
        finally:
            first_look.cancel()
            first_look.join()
