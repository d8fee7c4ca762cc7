"""``lite-delegate run``: one prediction, or the steps of one request."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..basics.counted import counted
from ..mindspore.model import Model
from ..report import partition_report
from ..report.changes.summary import cpu_group_texts, delegate_text
from ..reporting.terminal import table
from ..runtime.array_files import FileArray
from .frame.command import command
from .frame.hints import say_slow_numpy
from .options.best_classes import best_texts, labels_option, read_labels
from .options.build_options import SPLITTING, BuildOptions, building_options, say_cache, say_shapes
from .options.image_inputs import ImageInputs, image_options
from .options.model_inputs import given_arrays, input_arrays, input_option, random_seed_option
from .options.options import cache_dir_option, delegate_option, model_argument, output_option, write_noted
from .options.property_options import (
    cpu_backends_option,
    on_delegate_error_option,
    reference_kernels_option,
    strict_option,
)
from .options.steps import Output, inputs_of_steps, outputs_of_steps, saved, stateful_option, steps_option

Array = np.ndarray[Any, Any]
NUMBERS = ("min", "mean", "max")


@command()
@model_argument
@delegate_option("none", several=True)
@input_option
@image_options
@labels_option
@random_seed_option
@output_option("-o", "--output", metavar="FILE.npz", help_text="Write there; keys are the outputs' names.")
@steps_option
@building_options(
    stateful_option,
    cache_dir_option,
    strict_option,
    reference_kernels_option,
    cpu_backends_option("auto"),
    on_delegate_error_option,
    *SPLITTING,
)
def run(
    model: Path,
    inputs: tuple[str, ...],
    images: ImageInputs,
    labels: Path | None,
    random_seed: int,
    output: Path | None,
    steps: int | None,
    building: BuildOptions,
) -> None:
    """Runs MODEL once and shows its outputs, and the best classes where an output has scores.

    Inputs that are not given are random.
    """
    names = None if labels is None else read_labels(labels)
    graph = building.read(model)
    files = given_arrays([value.name for value in graph.inputs], inputs)
    graph = building.with_states(graph, files)
    files = {value.name: files[value.name] for value in graph.inputs if value.name in files}
    each: Sequence[Mapping[str, Array | FileArray]] = [files]
    if steps is not None:
        each = inputs_of_steps(graph, files, steps, building.budget)
    pictures = images.arrays(graph.inputs)
    each = [{**one, **pictures} for one in each]
    built = building.build(graph, model, each[0])
    say_shapes(built)
    say_cache(built)
    arrays, random = input_arrays(built, each[0], random_seed)
    started = time.perf_counter()
    if steps is None:
        outputs = [Output(t.name, t.dtype, t.shape, saved(t)) for t in built.predict(arrays)]
    else:
        later = [input_arrays(built, one, random_seed + number)[0] for number, one in enumerate(each[1:], 1)]
        started = time.perf_counter()
        outputs = outputs_of_steps(built.compiled, [arrays, *later])
    seconds = time.perf_counter() - started
    if output is not None:
        write_noted(output, _npz(outputs))
    _show(built, outputs, seconds, random, random_seed)
    say_slow_numpy(built.compiled, seconds / len(each))
    for text in best_texts(outputs, names):
        click.echo(f"\n{text}")
    if steps is not None:
        _show_states(built, steps)


def _show_states(model: Model, steps: int) -> None:
    states = ", ".join(map(str, model.compiled.states))
    click.echo(f"{counted(steps, 'step')}; " + (f"states: {states}" if states else "the model keeps no state"))


def _npz(outputs: Sequence[Output]) -> bytes:
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {each.name: each.data for each in outputs}
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _show(model: Model, outputs: Sequence[Output], seconds: float, random: Sequence[str], seed: int) -> None:
    rows = [(each.name, each.dtype.name, str(list(each.shape)), *_range(each.data)) for each in outputs]
    click.echo(table(("output", "dtype", "shape", *NUMBERS), rows, cut=("output",), wrap=("shape",), right=NUMBERS))
    report = partition_report(model)
    count = len(report.subgraphs)
    where = f"{report.kernels_delegated:,} of {counted(report.kernels_total, 'kernel')} on '{delegate_text(report)}'"
    click.echo(f"\n{where}, {count} subgraph{'s' * (count != 1)}; {seconds * 1e3:.2f} ms measured on this host")
    for text in cpu_group_texts(report):
        click.echo(text)
    failed = [s.name for s in report.subgraphs if s.failures]
    if failed:
        click.echo(f"the CPU ran in place of the device: {', '.join(failed)}")
    if random:
        click.echo(f"random inputs (seed {seed}): {', '.join(random)}")


def _range(array: Array) -> tuple[str, str, str]:
    if array.size == 0 or array.dtype.kind == "U":
        return "", "", ""
    with np.errstate(all="ignore"):
        return f"{array.min():.6g}", f"{array.mean(dtype=np.float64):.6g}", f"{array.max():.6g}"
