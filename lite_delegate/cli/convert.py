"""``lite-delegate convert``: a model as a ``.ms``, ``.onnx`` or ``.tflite`` file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path

import click

from ..basics.counted import counted
from ..errors import InputError
from ..flatbuffer.mapping import copying_files
from ..formats import read_facts, read_model
from ..formats.input_shapes import close_shapes, is_open
from ..inference.properties.build_properties import OPTIMIZE
from ..ir import Graph, graph_text
from ..passes import GraphPass, run_passes
from ..passes.optimize import LEVELS
from ..passes.table import PASSES, passes_named, summary
from .frame.command import command
from .frame.loudness import note, progress
from .options.files import note_output
from .options.options import Dims, input_shape_option, model_argument, numbers_only, output_option, signature_option
from .options.property_options import copy_weights_option, property_option

ALL = "all"
"""The word of ``--print-after`` for every pass."""


def _write_ms(graph: Graph, path: Path, threshold: int | None, opset: int | None) -> None:
    from ..formats.ms import write_ms

    write_ms(graph, path, external_data_threshold=threshold)


def _write_onnx(graph: Graph, path: Path, threshold: int | None, opset: int | None) -> None:
    from ..onnx_backend.onnx_file import write_onnx

    release = {} if opset is None else {"opset": opset}
    write_onnx(graph, path, external_data_threshold=threshold, **release)


def _write_tflite(graph: Graph, path: Path, threshold: int | None, opset: int | None) -> None:
    from ..exporting import write_tflite

    closed = write_tflite(graph, path)
    if closed.shapes:
        _note(closed.text)


WRITERS: dict[str, Callable[[Graph, Path, int | None, int | None], None]] = {
    ".ms": _write_ms,
    ".onnx": _write_onnx,
    ".tflite": _write_tflite,
}
"""By the suffix of the file."""


def _names(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[GraphPass, ...] | None:
    return None if text is None else passes_named([name.strip() for name in text.split(",") if name.strip()])


def _list_passes(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        width = max(map(len, PASSES))
        click.echo("\n".join(f"{name:{width}}  {summary(each)}" for name, each in PASSES.items()))
        ctx.exit()


@command()
@model_argument
@output_option("-o", "--output", required=True, help_text="Write the model there: FILE.ms, .onnx or .tflite.")
@property_option(OPTIMIZE, "--optimize", "level")
@click.option(
    "--passes", "chosen", callback=_names, metavar="NAME,...", help="Run exactly these passes, in this order, instead."
)
@click.option(
    "--print-after",
    "shown",
    multiple=True,
    metavar="NAME",
    help="Print the graph after each pass of this name, or 'all', on standard error. May be given several times.",
)
@click.option(
    "--list-passes", is_flag=True, is_eager=True, expose_value=False, callback=_list_passes,
    help="List the passes by name, and stop.",
)  # fmt: skip
@input_shape_option
@signature_option
@copy_weights_option
@click.option(
    "--external-data-threshold",
    "threshold",
    type=click.IntRange(0),
    metavar="BYTES",
    help="Put constants of at least this many bytes into a file beside it: FILE.msw, or FILE.onnx.data.",
)
@click.option(
    "--opset", type=int, metavar="N", help="Release of ONNX's operators for a .onnx file, from 17 on; 21 by default."
)
def convert(
    model: Path,
    output: Path,
    level: str,
    chosen: tuple[GraphPass, ...] | None,
    shown: tuple[str, ...],
    shapes: Mapping[str, Dims],
    signature: str | None,
    enable_mmap: bool,
    threshold: int | None,
    opset: int | None,
) -> None:
    """Writes MODEL as a .ms, .onnx or .tflite file, whole or not at all. Names and order of inputs and outputs stay.

    Open dimensions of inputs stay open in a .ms file, unless the shapes of the inputs change the nodes of the model. In
    that case, and in another file, they get the sizes that a report assumes, or the sizes of --input-shape.
    """
    if output.suffix not in WRITERS:
        raise InputError(f"--output must be a .ms, .onnx or .tflite file, got '{output}'.")
    if threshold is not None and output.suffix == ".tflite":
        raise InputError("--external-data-threshold is for .ms and .onnx files: a .tflite file holds all constants.")
    if opset is not None and output.suffix != ".onnx":
        raise InputError(f"--opset is for .onnx files, got --output '{output}'.")
    if opset is not None:
        from ..formats.onnx.export import check_release

        check_release(opset)
    if threshold is not None:
        _check_side_file(output)
    numbers = numbers_only(shapes, "convert")
    passes = LEVELS[level] if chosen is None else chosen
    printing = _printing(shown, passes)
    steps = (f"reading {model.name}", *(each.name for each in passes), f"writing {output.name}")
    with progress(steps[0], len(steps)) as display, copying_files(not enable_mmap):
        done = count(1)

        def tell(step: str) -> None:
            display.show(step, next(done), len(steps))

        graph = _read(model, numbers, signature, output.suffix)
        before = _size(graph)
        graph = run_passes(graph, passes, tell, printing).graph
        tell(steps[-1])
        WRITERS[output.suffix](graph, output, threshold, opset)
    click.echo(f"{output}: {counted(_size(graph), 'node')}, {before} before")


def _read(model: Path, shapes: Mapping[str, tuple[int, ...]], signature: str | None, suffix: str) -> Graph:
    """The graph to write. Where it is one for known shapes only, these are said on standard error."""
    graph = read_model(model, shapes, signature)
    if not any(map(is_open, graph.inputs)):
        return graph
    from ..inference.compiling.usual_shapes import settle_shapes, settled_graph

    text = ""
    if suffix == ".ms":
        graph, text = settled_graph(graph, lambda: read_facts(model).metadata)
    elif settle_shapes(graph, read_facts(model).metadata) and suffix != ".tflite":  # whose writer leaves some open
        text = close_shapes(graph.inputs).text
    if text:
        _note(text)
    return graph


def _note(text: str) -> None:
    note(f"note: {text}")


def _check_side_file(output: Path) -> None:
    """Checks the file that constants would go into, before anything that takes long.

    Raises:
        InputError: the model has weights in a file of this name, or another model has.
    """
    from ..formats.external_files import check_side_file

    if output.suffix == ".onnx":
        from ..onnx_backend.onnx_file import side_file
    else:
        from ..formats.ms.writer import side_file
    context, side = click.get_current_context(), side_file(output)
    note_output(context, next(each for each in context.command.params if each.name == "output"), side)
    check_side_file(side, output)


def _printing(names: Sequence[str], passes: Sequence[GraphPass]) -> Callable[[str, Graph], None]:
    """A callback that prints the graph after the passes of these names.

    Raises:
        InputError: there is no such pass, or it does not run.
    """
    running = list(dict.fromkeys(each.name for each in passes))
    for each in passes_named([name for name in names if name != ALL]):
        if each.name not in running:
            there = ", ".join(running) or "none"
            raise InputError(f"--print-after {each.name}: this pass does not run; these do: {there}.")

    def show(name: str, graph: Graph) -> None:
        if ALL in names or name in names:
            click.echo(f"after {name}:\n{graph_text(graph)}", err=True, nl=False)

    return show


def _size(graph: Graph) -> int:
    return sum(len(each.nodes) for each in graph.all_graphs())
