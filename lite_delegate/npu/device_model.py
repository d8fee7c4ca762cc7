"""DeviceModel: a compiled run on its device, with the packing on the way in and the unpacking on the way out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..delegate import Boundary
from ..errors import DelegateExecuteError
from .compiler.compiled import Compiled
from .compiler.layout import Axes, inverse
from .device import Device, LoadedProgram
from .device.instruction import Array


class DeviceModel:
    """What a graph kernel and its forks share. ``run`` keeps nothing between calls.

    Args:
        compiled: the program of the run.
        boundary: the tensors that cross, in the order in which ``run`` takes and gives arrays.
        device: where it runs.
    """

    def __init__(self, compiled: Compiled, boundary: Boundary, device: Device) -> None:
        position = {tensor: i for i, tensor in enumerate(boundary.inputs)}
        self._device = device
        self._compiled: Compiled | None = compiled
        self._loaded: LoadedProgram | None = None
        self._sources = tuple((position[port.tensor], port.axes) for port in compiled.module.inputs)
        self._unpacking = tuple(inverse(port.axes) for port in compiled.module.outputs)

    @property
    def loaded(self) -> LoadedProgram | None:
        """What ``prepare`` loaded; None before."""
        return self._loaded

    def prepare(self) -> None:
        """Packs the constants and loads the program, once; the model's constants are not needed any more then."""
        if self._compiled is not None:
            self._loaded = self._device.load(self._compiled.program, self._compiled.module.pack_constants())
            self._compiled = None

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs in model order, views of what the device gave, for inputs in model order.

        Raises:
            DelegateExecuteError: not prepared, an input of another shape than compiled for, or the device failed.
        """
        if self._loaded is None:
            raise DelegateExecuteError("must be prepared before it can run.")
        program = self._loaded.program
        packed = [
            pack(inputs[i], axes, program.buffers[index].element.numpy)
            for (i, axes), index in zip(self._sources, program.inputs, strict=True)
        ]
        results = self._device.run(self._loaded, packed)
        return [result.transpose(axes) for result, axes in zip(results, self._unpacking, strict=True)]


def pack(array: Array, axes: Axes, dtype: np.dtype[np.generic]) -> Array:
    """A host array (model order) as the device takes it: permuted and of its element type, in one copy.

    Raises:
        DelegateExecuteError: the array has not as many dimensions as ``axes``.
    """
    if array.ndim != len(axes):
        raise DelegateExecuteError(f"expected an input of {len(axes)} dimensions, got shape {array.shape}.")
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array(array.transpose(axes), dtype=dtype, order="C")
