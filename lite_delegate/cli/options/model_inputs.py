"""The inputs of a prediction on the command line: files, random numbers for all other inputs, and their shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from ...errors import InputError, KernelError, ShapeError
from ...ir import DataType, to_numpy
from ...mindspore.model import Model
from ...runtime.array_files import FileArray, file_array, loaded
from ...runtime.budget import Budget
from ...runtime.execution.inputs import fits
from ...runtime.execution.random_inputs import not_random, random_array
from ...tensors.tensor import Tensor
from ...tensors.tensor_memory import UNKNOWN_RANK
from .files import INPUT_TEXT

Array = np.ndarray[Any, Any]
Given = Array | FileArray
"""Data of an input, or its file."""

input_option = click.option(
    "--input",
    "inputs",
    type=INPUT_TEXT,
    multiple=True,
    metavar="NAME=FILE.npy",
    help="Data of an input; of a FILE.npz, the array of that name. Repeatable. "
    "The only input of a model needs no NAME=.",
)
random_seed_option = click.option(
    "--random-seed", type=click.IntRange(0), default=0, metavar="N", show_default=True, help="For inputs not given."
)


def given_arrays(names: Sequence[str], texts: Sequence[str]) -> dict[str, FileArray]:
    """The arrays of ``NAME=FILE.npy`` each, by input name. Contents stay in the files until they are known to fit.

    Args:
        names: the names of the model's inputs.
        texts: the user's texts; for a model with one input, a file without a name is enough.

    Raises:
        InputError: a text is no ``NAME=FILE.npy``, a file is no .npy file, or the model has no such input.
    """
    files = named_files("--input", "FILE.npy", names, texts)
    return {name: file_array(name, file) for name, file in files.items()}


def named_files(option: str, form: str, names: Sequence[str], texts: Sequence[str]) -> dict[str, Path]:
    """The files of ``NAME=FILE`` each, by input name.

    Args:
        option: that has the texts.
        form: of the files, for messages.
        names: the names of the model's inputs.
        texts: the user's texts; for a model with one input, a file without a name is enough.

    Raises:
        InputError: a text is no such thing, or the model has no such input.
    """
    files = [_split(option, form, text, names) for text in texts]
    twice = next((name for name, count in Counter(name for name, _ in files).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"{option} names '{twice}' twice.")
    unknown = sorted({name for name, _ in files} - set(names))
    if unknown:
        raise InputError(f"{option} {', '.join(unknown)}: the model's inputs are {', '.join(names)}.")
    return dict(files)


def input_arrays(model: Model, given: Mapping[str, Given], seed: int) -> tuple[dict[str, Array], list[str]]:
    """The model's inputs by name. The model is resized where their shapes differ from its own.

    Args:
        model: a built model.
        given: see ``given_arrays``.
        seed: the seed of the inputs that are not given.

    Returns:
        The arrays, and the names of the random inputs.

    Raises:
        InputError: an input is missing that must be given.
        LiteDelegateError: the model cannot have the shapes.
    """
    rng, budget = np.random.default_rng(seed), model.compiled.settings.budget
    _follow(model, given)
    arrays: dict[str, Array] = {}
    for tensor in model.compiled.plan.inputs:
        one = given.get(tensor.name)
        if isinstance(one, FileArray):
            _check_fits(one, tensor, has_bounds=model.compiled.bounds is not None)
        arrays[tensor.name] = _random(tensor, rng, budget) if one is None else loaded(one, budget)
    return arrays, sorted(set(arrays) - set(given))


def _check_fits(given: FileArray, tensor: Tensor, *, has_bounds: bool) -> None:
    """Compares what the header of a file says with the model, before the contents are unpacked.

    Args:
        given: the header of the file.
        tensor: the input.
        has_bounds: whether the model takes a range of shapes, which it checks itself.

    Raises:
        InputError: the header and the model differ.
    """
    if tensor.dtype == DataType.STRING:
        return
    if given.dtype != to_numpy(tensor.dtype) or (not has_bounds and not fits(given.shape, tensor.shape)):
        raise InputError(f"--input {_against(given, tensor)}.")


def _against(given: Given, tensor: Tensor) -> str:
    """The names, dtypes and shapes of an input and of its file, for messages."""
    source = f"'{given.file}'" if isinstance(given, FileArray) else "the array"
    found = f"{given.dtype} {list(given.shape)}"
    return f"{tensor.name}: the model's input is {tensor.dtype.name} {tensor.shape}, {source} has {found}"


def _split(option: str, form: str, text: str, names: Sequence[str]) -> tuple[str, Path]:
    """A name and a file, both of which may have ``=`` in them: the longest of ``names`` that fits is the name."""
    fitting = [name for name in names if text.startswith(f"{name}=")]
    if text and len(names) == 1 and not fitting and ("=" not in text or Path(text).is_file()):
        return names[0], Path(text)
    name = max(fitting, key=len) if fitting else text.rpartition("=")[0]
    file = text[len(name) + 1 :]
    if not name or not file:
        raise InputError(f"{option} must be NAME={form}, got '{text}'; the model's inputs are {', '.join(names)}.")
    return name, Path(file)


def _random(tensor: Tensor, rng: np.random.Generator, budget: Budget) -> Array:
    if what := not_random(tensor):
        more = ", an .npy of numpy strings" if tensor.dtype == DataType.STRING else ""
        raise InputError(f"Input '{tensor.name}' {what}; give it with --input{more}.")
    return random_array(tensor, rng, budget)


def _follow(model: Model, arrays: Mapping[str, Given]) -> None:
    """Resizes the model where arrays have other shapes than its inputs; wrong ranks are left to ``predict``.

    Raises:
        LiteDelegateError: the model cannot have the shapes.
    """
    if model.compiled.bounds is not None:  # it takes them, or says why not
        return
    tensors = model.compiled.plan.inputs
    shapes = [
        t.shape if t.dtype == DataType.STRING or t.name not in arrays else list(arrays[t.name].shape) for t in tensors
    ]
    if any(len(shape) != len(t.shape) and t.shape != [UNKNOWN_RANK] for shape, t in zip(shapes, tensors, strict=True)):
        return
    if shapes == [t.shape for t in tensors]:
        return
    try:
        model.resize(model.get_inputs(), shapes)
    except (ShapeError, KernelError) as e:
        other = [t for t, shape in zip(tensors, shapes, strict=True) if shape != t.shape]
        told = "; ".join(_against(arrays[t.name], t) for t in other)
        raise type(e)(f"--input {told}. The model cannot take that: {e}") from e
