"""NPUGraph: the kernel that stands for a run on the device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..delegate import Boundary, Kernel
from ..errors import DelegateExecuteError
from ..ir.data_type import to_numpy
from ..tensor import Tensor
from .compiler import Compiled
from .compiler.layout import Layout, conversion, model_axes
from .device import Device, LoadedProgram
from .device.instruction import Array


class NPUGraph(Kernel):
    """Packs its inputs, runs a program on the device, unpacks the outputs.

    Packing is one copy: model order to device order, and float32 to float16 (beyond 65504: infinite). Nothing
    that changes during a prediction is kept between calls, so forks may run at the same time.

    Args:
        name: unique within the model.
        boundary: the tensors it takes and gives.
        compiled: the program of the run.
        device: where it runs.
    """

    def __init__(self, name: str, boundary: Boundary, compiled: Compiled, device: Device) -> None:
        super().__init__(name, "NPUGraph", boundary.inputs, boundary.outputs)
        self._device = device
        self._compiled: Compiled | None = compiled
        self._loaded: LoadedProgram | None = None
        position = {tensor: i for i, tensor in enumerate(boundary.inputs)}
        self._sources = tuple((position[port.tensor], port.layout) for port in compiled.inputs)
        self._layouts = tuple(port.layout for port in compiled.outputs)

    @property
    def program(self) -> LoadedProgram | None:
        """What ``prepare`` loaded; None before."""
        return self._loaded

    def prepare(self) -> None:
        """Packs the constants and loads the program; the model's constants are not needed any more afterwards.

        Raises:
            DelegateExecuteError: the device cannot take it.
        """
        if self._compiled is not None:
            self._loaded = self._device.load(self._compiled.program, self._compiled.pack_constants())
            self._compiled = None

    def execute(self) -> None:
        """Reads the inputs, sets the outputs.

        Raises:
            DelegateExecuteError: not prepared, an input of another shape than compiled for, or the device failed.
        """
        if self._loaded is None:
            raise DelegateExecuteError(f"Graph kernel '{self.name}' must be prepared before it can run.")
        program = self._loaded.program
        try:
            packed = [
                pack(self.inputs[i].data, layout, program.buffers[index].element.numpy)
                for (i, layout), index in zip(self._sources, program.inputs, strict=True)
            ]
            results = self._device.run(self._loaded, packed)
        except Exception as e:  # whatever the device does, the message has to name the graph kernel
            raise DelegateExecuteError(f"Graph kernel '{self.name}': {e}") from e
        for tensor, layout, result in zip(self.outputs, self._layouts, results, strict=True):
            tensor.data = unpack(result, layout, to_numpy(tensor.dtype))

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> NPUGraph:
        """The same loaded program bound to other tensors.

        Raises:
            DelegateExecuteError: not prepared yet.
        """
        if self._loaded is None:
            raise DelegateExecuteError(f"Graph kernel '{self.name}' must be prepared before it can be forked.")
        other = NPUGraph.__new__(NPUGraph)
        Kernel.__init__(other, self.name, self.type, inputs, outputs)
        other._device, other._loaded, other._compiled = self._device, self._loaded, None
        other._sources, other._layouts = self._sources, self._layouts
        return other


def pack(array: Array, layout: Layout, dtype: np.dtype[np.generic]) -> Array:
    """A host array (model order) as the device takes it."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array(array.transpose(model_axes(layout, array.ndim)), dtype=dtype, order="C")


def unpack(array: Array, layout: Layout, dtype: np.dtype[np.generic]) -> Array:
    """A device array as the host takes it: model order, C-contiguous, memory of its own."""
    return np.array(array.transpose(conversion(layout, Layout.PLAIN, array.ndim)), dtype=dtype, order="C")
