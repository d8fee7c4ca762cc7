"""SampleFile: representative inputs of a model in a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from lite_delegate_kernels import Array

from ....errors import InputError
from ....ir import DataType, to_numpy
from ....tensors.tensor import Tensor
from ...array_files import FileArray, file_array
from ...budget import Budget

OPTION = "SAMPLES"
"""The property that names the file, for messages."""


class UnfitSamples(InputError):
    """The samples are for other shapes of the inputs than those of a plan."""


class SampleFile:
    """Representative inputs of a model in a ``.npz`` file with an array for each input, or a ``.npy`` file for one.

    The first axis of an array numbers the samples; the rest has the shape of the input. Samples of fewer rows are
    joined: of a file with ``(200, 1, 224, 224, 3)`` a model for ``(32, 224, 224, 3)`` gets 6 samples of 32 rows. Where
    there are too few rows for one sample, the first rows come again. An input that has its shape already, beside others
    that are joined, has the value of the first of the rows.

    Args:
        path: of the file.
        inputs: of the model, in the shapes of the plan.
        budget: of the model: the file's arrays are read into memory.

    Attributes:
        count: the number of samples.

    Raises:
        UnfitSamples: the arrays are for other shapes of the inputs.
        InputError: the file cannot be read, has no array for an input, or one of another type.
    """

    def __init__(self, path: str, inputs: Sequence[Tensor], budget: Budget) -> None:
        self._budget = budget
        self._files = [_checked(tensor, Path(path)) for tensor in inputs]
        counts = {each.shape[0] for each in self._files}
        if len(counts) > 1:
            said = ", ".join(f"'{each.name}' {each.shape[0]}" for each in self._files)
            raise InputError(f"{OPTION}: '{path}' has different numbers of samples by input: {said}.")
        pairs = zip(self._files, inputs, strict=True)
        self._factors = [_factor(each.shape[1:], tuple(tensor.shape)) for each, tensor in pairs]
        if len({*self._factors, 1}) > 2 or 0 in self._factors:
            said = "; ".join(
                f"'{tensor.name}' is {tensor.shape}, samples are {list(each.shape[1:])}"
                for each, tensor in zip(self._files, inputs, strict=True)
            )
            raise UnfitSamples(f"{OPTION}: '{path}' does not fit the shapes of this plan: {said}.")
        self._stored = max(counts, default=0)
        if not self._stored:
            raise InputError(f"{OPTION}: '{path}' has no samples.")
        self.count = max(1, self._stored // max(self._factors))

    @cached_property
    def _arrays(self) -> list[Array]:
        return [each.load(self._budget) for each in self._files]

    def sample(self, number: int) -> list[Array]:
        """The inputs of a sample, in the shapes of the plan."""
        rows = max(self._factors)
        chosen = [(number * rows + row) % self._stored for row in range(rows)]
        return [
            array[chosen[0]] if factor == 1 else array[chosen].reshape(-1, *array.shape[2:])
            for array, factor in zip(self._arrays, self._factors, strict=True)
        ]


def _checked(tensor: Tensor, path: Path) -> FileArray:
    """The array of an input by its header."""
    if tensor.dtype == DataType.STRING:
        raise InputError(f"{OPTION}: input '{tensor.name}' has strings, of which there are no samples.")
    found = file_array(tensor.name, path, OPTION)
    if found.dtype != to_numpy(tensor.dtype):
        raise InputError(
            f"{OPTION}: input '{tensor.name}' is {to_numpy(tensor.dtype)}, '{path}' has {found.dtype} for it."
        )
    if not found.ndim:
        raise InputError(f"{OPTION}: the array for input '{tensor.name}' in '{path}' has no axis for samples.")
    return found


def _factor(stored: tuple[int, ...], planned: tuple[int, ...]) -> int:
    """The number of stored samples that make one of a plan; 0 where they do not fit."""
    if stored == planned:
        return 1
    if not stored or len(stored) != len(planned) or stored[1:] != planned[1:] or not stored[0]:
        return 0
    return 0 if planned[0] < 0 or planned[0] % stored[0] else planned[0] // stored[0]
