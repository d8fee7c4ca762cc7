"""``lite-delegate run``: one prediction."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from lite_delegate_kernels import STRING_DTYPE
from tabulate import tabulate

from ..errors import InputError
from ..files import write_whole
from ..ir import DataType, to_numpy
from ..report import partition_report
from ..runtime import Model
from ..tensor import Tensor
from .options import (
    build_model,
    delegate_option,
    model_argument,
    on_delegate_error_option,
    optimize_option,
    signature_option,
    strict_option,
)

Array = np.ndarray[Any, Any]


@click.command()
@model_argument
@delegate_option("none")
@click.option("--input", "inputs", multiple=True, metavar="NAME=FILE.npy", help="Data of an input. Repeatable.")
@click.option("--random-seed", type=click.IntRange(0), default=0, show_default=True, help="For inputs not given.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE.npz", help="Keys are the outputs' names.")
@strict_option
@on_delegate_error_option
@signature_option
@optimize_option
def run(
    model: Path,
    spec: str,
    options: Mapping[str, str],
    inputs: tuple[str, ...],
    random_seed: int,
    output: Path | None,
    strict: bool,
    on_delegate_error: str,
    signature: str | None,
    optimize: str,
) -> None:
    """Runs MODEL once and shows its outputs. Inputs that are not given are random."""
    built = build_model(
        model,
        spec,
        options,
        strict=strict,
        on_delegate_error=on_delegate_error,
        signature=signature,
        optimize=optimize,
    )
    given = {name: _load(name, file) for name, file in map(_split, inputs)}
    arrays = _arrays(built, given, random_seed)
    _follow_shapes(built, arrays)
    started = time.perf_counter()
    outputs = built.predict(arrays)
    seconds = time.perf_counter() - started
    if output is not None:
        write_whole(output, _npz(outputs))
    _show(built, outputs, seconds, sorted(set(arrays) - set(given)), random_seed)


def _split(text: str) -> tuple[str, Path]:
    name, separator, file = text.rpartition("=")
    if not separator or not name or not file:
        raise InputError(f"--input must be NAME=FILE.npy, got '{text}'.")
    return name, Path(file)


def _load(name: str, file: Path) -> Array:
    try:
        array = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as e:
        raise InputError(f"--input {name}: cannot read '{file}' as .npy: {e}.") from e
    if not isinstance(array, np.ndarray):
        raise InputError(f"--input {name}: '{file}' must be one array (.npy), got an archive.")
    return array


def _arrays(model: Model, given: Mapping[str, Array], seed: int) -> dict[str, Array]:
    tensors = model.get_inputs()
    unknown = sorted(set(given) - {t.name for t in tensors})
    if unknown:
        raise InputError(f"--input {', '.join(unknown)}: the model's inputs are {', '.join(t.name for t in tensors)}.")
    rng = np.random.default_rng(seed)
    return {t.name: given[t.name] if t.name in given else _random(t, rng) for t in tensors}


def _random(tensor: Tensor, rng: np.random.Generator) -> Array:
    """Values that any model can take: floats in [0, 1), integers 0 or 1; unknown dimensions become 1."""
    if tensor.dtype == DataType.STRING:
        raise InputError(f"Input '{tensor.name}' is of strings; give it with --input, an .npy of numpy strings.")
    if tensor.shape == [-2]:
        raise InputError(f"Input '{tensor.name}' has an unknown number of dimensions; give it with --input.")
    shape = [1 if d < 0 else d for d in tensor.shape]
    dtype = to_numpy(tensor.dtype)
    return rng.random(shape).astype(dtype) if dtype.kind == "f" else rng.integers(0, 2, shape).astype(dtype)


def _follow_shapes(model: Model, arrays: Mapping[str, Array]) -> None:
    tensors = model.get_inputs()
    shapes = [t.shape if t.dtype == DataType.STRING else list(arrays[t.name].shape) for t in tensors]
    if any(len(shape) != len(t.shape) and t.shape != [-2] for shape, t in zip(shapes, tensors, strict=True)):
        return
    if shapes != [t.shape for t in tensors]:
        model.resize(tensors, shapes)


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
    where = f"{report.kernels_delegated} of {report.kernels_total} kernels on '{report.delegate}'"
    click.echo(f"\n{where}, {len(report.subgraphs)} subgraphs; {seconds * 1e3:.2f} ms measured on this host")
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
