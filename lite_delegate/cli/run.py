"""``lite-delegate run``: one prediction."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from lite_delegate_kernels import STRING_DTYPE
from tabulate import tabulate

from ..files import write_whole
from ..ir import DataType
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
@building_options(cache_dir_option, strict_option, reference_kernels_option, on_delegate_error_option, *SPLITTING)
def run(
    model: Path,
    inputs: tuple[str, ...],
    random_seed: int,
    output: Path | None,
    building: Building,
) -> None:
    """Runs MODEL once and shows its outputs. Inputs that are not given are random."""
    graph = building.read(model)
    given = given_arrays([value.name for value in graph.inputs], inputs)
    built = building.build(graph, model, given)
    say_shapes(built)
    say_cache(built)
    arrays, random = input_arrays(built, given, random_seed)
    started = time.perf_counter()
    outputs = built.predict(arrays)
    seconds = time.perf_counter() - started
    if output is not None:
        write_whole(output, _npz(outputs))
    _show(built, outputs, seconds, random, random_seed)


def _npz(outputs: Sequence[Tensor]) -> bytes:
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {t.name: _saved(t) for t in outputs}
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _saved(tensor: Tensor) -> Array:
    return np.array(tensor.get_strings(), dtype=np.str_) if tensor.dtype == DataType.STRING else tensor.data


def _show(model: Model, outputs: Sequence[Tensor], seconds: float, random: Sequence[str], seed: int) -> None:
    rows = [(t.name, t.dtype.name, str(t.shape), *_range(t.data)) for t in outputs]
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
    if array.size == 0 or array.dtype == STRING_DTYPE:
        return "", "", ""
    with np.errstate(all="ignore"):
        return f"{array.min():.6g}", f"{array.mean(dtype=np.float64):.6g}", f"{array.max():.6g}"
