"""``lite-delegate run``: one prediction, or the steps of one request."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from tabulate import tabulate

from ..errors import InputError
from ..files import write_whole
from ..inference import CompiledModel
from ..ir import DataType, Graph
from ..model import Model
from ..report import partition_report
from ..tensor import Tensor
from .building import SPLITTING, Building, building_options, say_cache, say_shapes
from .model_inputs import given_arrays, input_arrays, input_option, random_seed_option
from .options import (
    cache_dir_option,
    delegate_option,
    model_argument,
    on_delegate_error_option,
    output_option,
    reference_kernels_option,
    strict_option,
)

Array = np.ndarray[Any, Any]


@click.command()
@model_argument
@delegate_option("none", several=True)
@input_option
@random_seed_option
@output_option("-o", "--output", metavar="FILE.npz", help_text="Write there; keys are the outputs' names.")
@click.option(
    "--steps",
    type=click.IntRange(1),
    metavar="N",
    help="Run it N times as one request, whose states go on from run to run. An --input may have a first dimension of "
    "N, and outputs have; random inputs have the seeds from --random-seed on.",
)
@building_options(cache_dir_option, strict_option, reference_kernels_option, on_delegate_error_option, *SPLITTING)
def run(
    model: Path,
    inputs: tuple[str, ...],
    random_seed: int,
    output: Path | None,
    steps: int | None,
    building: Building,
) -> None:
    """Runs MODEL once and shows its outputs. Inputs that are not given are random."""
    graph = building.read(model)
    given = given_arrays([value.name for value in graph.inputs], inputs)
    each = [given] if steps is None else inputs_of_steps(graph, given, steps)
    built = building.build(graph, model, each[0])
    say_shapes(built)
    say_cache(built)
    arrays, random = input_arrays(built, each[0], random_seed)
    started = time.perf_counter()
    if steps is None:
        outputs = [Output(t.name, t.dtype, t.shape, _saved(t)) for t in built.predict(arrays)]
    else:
        later = [input_arrays(built, one, random_seed + number)[0] for number, one in enumerate(each[1:], 1)]
        started = time.perf_counter()
        outputs = outputs_of_steps(built.compiled, [arrays, *later])
    seconds = time.perf_counter() - started
    if output is not None:
        write_whole(output, _npz(outputs))
    _show(built, outputs, seconds, random, random_seed)
    if steps is not None:
        _show_states(built, steps)


@dataclass(frozen=True, slots=True)
class Output:
    """What is shown of an output, and written."""

    name: str
    dtype: DataType
    shape: Sequence[int]
    data: Array


def inputs_of_steps(graph: Graph, given: Mapping[str, Array], steps: int) -> list[Mapping[str, Array]]:
    """What is given for the inputs in each step: a part of an array with one dimension more than the input, or all.

    Raises:
        InputError: an array has one dimension more, but it is not as long.
    """
    ranks = {value.name: None if value.shape is None else len(value.shape) for value in graph.inputs}
    parted = [name for name, array in given.items() if array.ndim - 1 == ranks[name]]
    wrong = next((name for name in parted if len(given[name]) != steps), None)
    if wrong is not None:
        raise InputError(f"--input {wrong}: its first dimension is {len(given[wrong])}, expected {steps} as --steps.")
    return [{name: array[n] if name in parted else array for name, array in given.items()} for n in range(steps)]


def outputs_of_steps(compiled: CompiledModel, inputs: Sequence[Mapping[str, Array]]) -> list[Output]:
    """The outputs of one request's runs, one behind the other: joined where all are of one shape, else step by step."""
    request = compiled.create_infer_request()
    found: list[list[Array]] = [[] for _ in compiled.outputs]
    for each in inputs:
        request.infer(each)
        for index, arrays in enumerate(found):
            arrays.append(_saved(request.get_output_tensor(index)).copy())
    outputs: list[Output] = []
    for port, arrays in zip(compiled.outputs, found, strict=True):
        if len({array.shape for array in arrays}) == 1:
            joined = np.stack(arrays)
            outputs.append(Output(port.name, port.dtype, joined.shape, joined))
        else:
            outputs += [Output(f"{port.name}[{n}]", port.dtype, one.shape, one) for n, one in enumerate(arrays)]
    return outputs


def _show_states(model: Model, steps: int) -> None:
    states = ", ".join(map(str, model.compiled.states))
    click.echo(f"{steps} steps; " + (f"states: {states}" if states else "the model keeps no state"))


def _npz(outputs: Sequence[Output]) -> bytes:
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {each.name: each.data for each in outputs}
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _saved(tensor: Tensor) -> Array:
    return np.array(tensor.get_strings(), dtype=np.str_) if tensor.dtype == DataType.STRING else tensor.data


def _show(model: Model, outputs: Sequence[Output], seconds: float, random: Sequence[str], seed: int) -> None:
    rows = [(each.name, each.dtype.name, str(list(each.shape)), *_range(each.data)) for each in outputs]
    click.echo(tabulate(rows, ("output", "dtype", "shape", "min", "mean", "max"), maxcolwidths=[40, None, 24]))
    report = partition_report(model)
    count = len(report.subgraphs)
    where = f"{report.kernels_delegated} of {report.kernels_total} kernels on '{report.delegate}'"
    click.echo(f"\n{where}, {count} subgraph{'s' * (count != 1)}; {seconds * 1e3:.2f} ms measured on this host")
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
