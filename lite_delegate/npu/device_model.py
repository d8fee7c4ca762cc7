"""DeviceModel: a compiled part of a run on its device, with packing on the way in and unpacking on the way out."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from weakref import finalize

import numpy as np

from ..delegate import Boundary
from ..errors import DelegateExecuteError
from .compiler.compiled import Compiled
from .compiler.layout import Axes, inverse
from .cost import Packing, cost_of
from .device import Device, LoadedProgram
from .device.instruction import Array
from .target import Target


class DeviceModel:
    """What a graph kernel and its forks share of one part of a run.

    ``run`` keeps nothing between calls and may be called from several threads. The device's memory is given back when
    the last graph kernel that uses the model is gone, or by ``release``.

    Args:
        compiled: the program of the part.
        boundary: the tensors that cross between the whole run and the rest: ``run`` takes its inputs.
        device: where it runs.
        layers: names of the nodes it stands for.
        defer_load: whether the first ``run`` loads the program, and not ``prepare``.
        target: what the program was compiled for, which its cost is estimated on; None: no estimate.
    """

    def __init__(
        self,
        compiled: Compiled,
        boundary: Boundary,
        device: Device,
        *,
        layers: Sequence[str] = (),
        defer_load: bool = False,
        target: Target | None = None,
    ) -> None:
        taken = {tensor: i for i, tensor in enumerate(boundary.inputs)}
        given = {tensor: i for i, tensor in enumerate(boundary.outputs)}
        self.layers = tuple(layers)
        self.gives = tuple(given[port.tensor] for port in compiled.module.outputs)
        """The positions, in the run's boundary, of the outputs of ``run``."""
        self._program = compiled.program
        self._device = device
        self._defer_load = defer_load
        self._compiled: Compiled | None = compiled
        self._constants: dict[int, Array] | None = None
        self._loaded: LoadedProgram | None = None
        self._unload: finalize[..., DeviceModel] | None = None
        self._lock = Lock()
        self.target = target
        module = compiled.module
        packing = Packing(tuple(p.axes for p in module.inputs), tuple(p.axes for p in module.outputs))
        self.cost = None if target is None else cost_of(compiled.program, packing, target)
        """What one run is estimated to cost."""
        self._sources = tuple((taken[port.tensor], port.axes) for port in compiled.module.inputs)
        self._unpacking = tuple(inverse(port.axes) for port in compiled.module.outputs)

    @property
    def loaded(self) -> LoadedProgram | None:
        """What is in device memory; None before and after."""
        return self._loaded

    def prepare(self) -> None:
        """Packs the constants, once, and loads the program unless that is deferred.

        The model's constants are not needed any more then.

        Raises:
            DelegateError: the program cannot be loaded.
        """
        with self._lock:
            if self._compiled is not None:
                self._constants = self._compiled.module.pack_constants()
                self._compiled = None
            if not self._defer_load:
                self._load()

    def release(self) -> None:
        """Gives the device's memory back, if it was taken. The model cannot run any more."""
        with self._lock:
            self._compiled = self._constants = self._loaded = None
            if self._unload is not None:
                self._unload()

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs in model order, views of what the device gave, for the inputs of the whole run in model order.

        Raises:
            DelegateExecuteError: not prepared, an input of another shape than compiled for, or the device failed or
                gave something of another size.
        """
        loaded = self._loaded
        if loaded is None:
            with self._lock:
                loaded = self._load()
        buffers = self._program.buffers
        packed = [
            pack(inputs[i], axes, buffers[index].element.numpy)
            for (i, axes), index in zip(self._sources, self._program.inputs, strict=True)
        ]
        results = self._device.run(loaded, packed)
        self._check(results)
        return [result.transpose(axes) for result, axes in zip(results, self._unpacking, strict=True)]

    def _load(self) -> LoadedProgram:
        """Loads the program unless it is loaded; the caller holds the lock."""
        if self._loaded is None:
            if self._constants is None:
                raise DelegateExecuteError("must be prepared before it can run.")
            loaded = self._device.load(self._program, self._constants)
            self._unload = finalize(self, self._device.unload, loaded)
            self._unload.atexit = False
            self._loaded, self._constants = loaded, None
        return self._loaded

    def _check(self, results: Sequence[Array]) -> None:
        expected = len(self._program.outputs)
        if len(results) != expected:
            raise DelegateExecuteError(f"expected {expected} outputs, the device gave {len(results)}.")
        for position, (index, result) in enumerate(zip(self._program.outputs, results, strict=True)):
            buffer = self._program.buffers[index]
            if (result.shape, result.dtype) != (buffer.shape, buffer.element.numpy):
                raise DelegateExecuteError(
                    f"output buffer {position}: expected {buffer.element} {buffer.shape} ({buffer.nbytes} bytes), "
                    f"the device gave {result.dtype} {result.shape} ({result.nbytes} bytes)."
                )


def pack(array: Array, axes: Axes, dtype: np.dtype[np.generic]) -> Array:
    """A host array (model order) as the device takes it: permuted and of its element type, in one copy.

    Raises:
        DelegateExecuteError: the array has not as many dimensions as ``axes``.
    """
    if array.ndim != len(axes):
        raise DelegateExecuteError(f"expected an input of {len(axes)} dimensions, got shape {array.shape}.")
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array(array.transpose(axes), dtype=dtype, order="C")
