"""OpenedModel: a compiled model that runs any number of rows, in batches of its size."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...errors import InputError, LiteDelegateError
from ...inference import CompiledModel
from ...inference.tensors.port import Port
from ...ir import DataType
from ...tensors.strings import packed, unpacked
from .filling import Filling

KEPT_SHAPES = 32
"""The models for other shapes of rows that are kept."""


class OpenedModel:
    """A compiled model that runs rows in batches of one size. Not safe for several threads.

    Args:
        compiled: for one batch.
        filling: what becomes of a batch that has fewer rows.
        rows: the rows of a batch.
        constants: the values of inputs that are the same in all runs, by name.
        is_whole: whether a row is a whole input, without a dimension of rows; ``rows`` is 1 then.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        filling: Filling,
        rows: int,
        constants: Mapping[str, Array],
        *,
        is_whole: bool = False,
    ) -> None:
        self._is_whole, self._filling = is_whole, filling
        self.compiled, self.rows = compiled, rows
        given = [port for port in compiled.inputs if port.name in constants]
        self._constants = {port.name: _broadcast(constants[port.name], port) for port in given}
        self._reshaped: OrderedDict[tuple[Any, ...], CompiledModel] = OrderedDict()
        self._padded: dict[tuple[Any, ...], Array] = {}

    def run(self, arrays: Mapping[str, Array]) -> list[Any]:
        """The outputs of at most one batch of rows, in the order of the model.

        Args:
            arrays: the rows by input, ``(K, ...)`` with the same K of at most ``rows``.

        Returns:
            For each output an array ``(K, ...)``; or, where the output's first dimension is not the rows, a list of K
            arrays, which is possible for batches of one row only.

        Raises:
            InputError: an output's first dimension is not the rows, and the batch has several.
            LiteDelegateError: the model cannot run these shapes.
        """
        count = len(next(iter(arrays.values()))) if arrays else 1
        if count == self.rows:
            return self._run(arrays, count, count)
        has_texts = any(array.dtype == object for array in arrays.values())
        has_own_plan = not has_texts and self._filling.size_of(count) == count
        if has_own_plan:
            with suppress(LiteDelegateError):
                return self._run(arrays, count, count)
        begun = time.perf_counter()
        outputs = self._run(arrays, count, self.rows)
        self._filling.ran(count, time.perf_counter() - begun)
        if has_own_plan:
            self._filling.cannot_plan()
        return outputs

    def _run(self, arrays: Mapping[str, Array], count: int, size: int) -> list[Any]:
        """The outputs of ``count`` rows, by a run of ``size`` rows."""
        given = {name: self._filled(name, array, size) for name, array in arrays.items()} | self._constants
        outputs = self._model_for(given)(given)
        return [self._cut(port, array, count, size) for port, array in zip(self.compiled.outputs, outputs, strict=True)]

    def _filled(self, name: str, array: Array, size: int) -> Array:
        """The rows as a whole batch: the last row fills the rest."""
        if array.dtype == object:
            texts = array.reshape(len(array), -1).tolist()
            texts += [texts[-1]] * (size - len(texts))
            return packed([text for row in texts for text in row])
        if self._is_whole:
            return np.ascontiguousarray(array[0])
        if len(array) == size:
            return array
        key = name, array.shape[1:]
        if key not in self._padded:
            if len(self._padded) > KEPT_SHAPES:
                self._padded.clear()
            self._padded[key] = np.empty((self.rows, *array.shape[1:]), array.dtype)
        whole = self._padded[key]
        whole[: len(array)] = array
        whole[len(array) :] = array[-1]
        return whole

    def _model_for(self, given: Mapping[str, Array]) -> CompiledModel:
        ports = self.compiled.inputs
        shapes = tuple(
            port.extents or (self.rows,) if port.dtype == DataType.STRING else given[port.name].shape for port in ports
        )
        if all(port.extents in (None, shape) for port, shape in zip(ports, shapes, strict=True)):
            return self.compiled
        found = self._reshaped.get(shapes)
        if found is None:
            found = self.compiled.reshaped(shapes)
            self._reshaped[shapes] = found
            if len(self._reshaped) > KEPT_SHAPES:
                self._reshaped.popitem(last=False)[1].close()
        self._reshaped.move_to_end(shapes)
        return found

    def _cut(self, port: Port, array: Array, count: int, size: int) -> Any:
        if self._is_whole and port.dtype != DataType.STRING:
            return [array]
        if port.dtype == DataType.STRING:
            array = np.array(unpacked(array), dtype=object)
            if array.size > size and array.size % size == 0:
                array = array.reshape(size, -1)
        if array.ndim and array.shape[0] == size:
            return array[:count]
        if self.rows == 1:
            return [array]
        raise InputError(
            f"{port.where} has shape {list(array.shape)}: its first dimension is not the {size} rows of a batch."
        )


def _broadcast(array: Array, port: Port) -> Array:
    shape = port.extents
    if shape is None or array.shape == shape:
        return array
    try:
        return np.ascontiguousarray(np.broadcast_to(array, shape))
    except ValueError:
        raise InputError(f"--constant {port.name}: expected shape {list(shape)}, got {list(array.shape)}.") from None
