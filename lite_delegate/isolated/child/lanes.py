"""Lanes: threads that run graph kernels over shared memory, one byte for each run."""

from __future__ import annotations

import mmap
import pickle
import socket
from collections.abc import Callable, Sequence
from contextvars import copy_context
from threading import Thread

import numpy as np

from ...delegate import DeviceRun, Kernel, LayerTime, set_token
from ...delegate.answers.status import fault_of
from ...delegate.bound_kernel import is_bindable
from ...delegate.calls.cancel import CancelToken
from ...delegate.calls.spans import start_clock
from ...errors import DelegateExecuteError
from ...tensors.tensor import Array, Tensor
from ..passing.lane_bytes import CANCELLED, FAILED, FLAGS, LENGTH, LOOKED, PROFILED, READY_US, WELL
from ..passing.memory import ArrayPlace, mapped
from .faults import fault_of_error


def open_lane(
    end: socket.socket,
    descriptor: int,
    kernel: Kernel,
    tensors: Sequence[Tensor],
    inputs: Sequence[ArrayPlace],
    outputs: Sequence[ArrayPlace],
) -> None:
    """Runs a graph kernel in a thread of its own whenever the parent says so, until the parent closes its end."""
    memory = mapped(descriptor)
    reads = [place.of(memory, is_read_only=True) for place in inputs]
    writes = [place.of(memory) for place in outputs]
    lane = _Lane(end, memory, kernel, reads, writes, tensors)
    Thread(target=lane.serve, daemon=True, name=f"lane of {kernel.name}").start()


class _Token(CancelToken):
    """Is cancelled by the parent, through the shared memory; and says there that the kernel has looked."""

    def __init__(self, flags: memoryview) -> None:
        self._flags = flags

    @property
    def is_cancelled(self) -> bool:  # type: ignore[override]
        self._flags[LOOKED] = 1
        return bool(self._flags[CANCELLED])


class _Collector:
    """The clock of a run: keeps what the delegate tells of layers and of a simulated device."""

    def __init__(self, simulated_us: float) -> None:
        self.simulated_us = simulated_us
        self.layers: list[tuple[str, Sequence[LayerTime]]] = []
        self.device_runs: list[DeviceRun] = []

    def begin(self, kind: object, name: str, kernel: Kernel | None) -> None:
        """Nothing: the parent has the time of the whole run."""

    def end(self) -> None:
        """Nothing."""

    def add_layers(self, kernel: str, layers: Sequence[LayerTime]) -> None:
        """Keeps layers."""
        self.layers.append((kernel, layers))

    def add_device_run(self, run: DeviceRun) -> None:
        """Keeps a run of a simulated device."""
        self.device_runs.append(run)


class _Lane:
    """A graph kernel bound to shared memory."""

    def __init__(
        self,
        end: socket.socket,
        memory: mmap.mmap,
        kernel: Kernel,
        reads: Sequence[Array],
        writes: Sequence[Array],
        tensors: Sequence[Tensor],
    ) -> None:
        self._end, self._flags = end, memoryview(memory)[:FLAGS]
        self._kernel, self._reads, self._writes, self._tensors = kernel, reads, writes, tensors
        self._bound: Callable[[], object] | None = None

    def serve(self) -> None:
        """Runs the kernel once for each byte."""
        set_token(_Token(self._flags))
        end, run = self._end, self._run
        with end:
            while command := end.recv(1):
                try:
                    told = run() if command != PROFILED else self._profiled()
                except BaseException as e:
                    self._bound = None
                    _send(end, FAILED, fault_of_error(e))
                    continue
                if told is None:
                    end.send(WELL)
                else:
                    _send(end, PROFILED, told)

    def _profiled(self) -> object:
        (ready,) = READY_US.unpack(self._end.recv(READY_US.size, socket.MSG_WAITALL))
        clock = _Collector(ready)

        def run() -> None:
            start_clock(clock)
            self._run()

        copy_context().run(run)
        return clock.layers, clock.device_runs

    def _run(self) -> None:
        """Runs the kernel over the shared memory."""
        if self._bound is None:
            self._bound = self._binding()
        self._bound()

    def _binding(self) -> Callable[[], object]:
        kernel = self._kernel
        bound = kernel.bind(self._reads, self._writes) if is_bindable(kernel) else None
        return self._execute if bound is None else bound

    def _execute(self) -> None:
        execute_over(self._kernel, self._tensors, self._reads, self._writes)


def execute_over(
    kernel: Kernel, tensors: Sequence[Tensor], reads: Sequence[Array], writes: Sequence[Array] | None
) -> list[Array]:
    """Calls ``execute`` with the contents of its inputs. Returns the outputs, copied to ``writes``.

    Raises:
        DelegateExecuteError: an output is missing or has another shape.
        Exception: what ``execute`` raises.
    """
    for tensor, array in zip(tensors, reads, strict=True):
        tensor.bind(array)
    shapes = [tensor.shape for tensor in kernel.outputs]
    try:
        answer: object = kernel.execute()
        if fault := fault_of(answer):
            raise DelegateExecuteError(f"Graph kernel '{kernel.name}' ({kernel.type}): execute {fault}.")
        results = [tensor.take() for tensor in kernel.outputs]
        return [_kept(kernel, i, array, None if writes is None else writes[i]) for i, array in enumerate(results)]
    finally:
        for tensor in tensors:
            tensor.bind(None)
        for tensor, shape in zip(kernel.outputs, shapes, strict=True):
            tensor.bind(None)
            if tensor.shape != shape:
                tensor.shape = shape


def _kept(kernel: Kernel, position: int, array: Array | None, write: Array | None) -> Array:
    name = kernel.outputs[position].name
    if array is None:
        raise DelegateExecuteError(f"Graph kernel '{kernel.name}' did not set its output '{name}'.")
    if write is None:
        return array
    if array.shape != write.shape:
        raise DelegateExecuteError(
            f"Graph kernel '{kernel.name}': output '{name}' must have shape {list(write.shape)}, "
            f"got {list(array.shape)}."
        )
    np.copyto(write, array)
    return write


def _send(end: socket.socket, kind: bytes, message: object) -> None:
    try:
        data = pickle.dumps(message, protocol=5)
    except Exception as e:  # what a delegate tells of its layers may be anything
        kind, data = FAILED, pickle.dumps(fault_of_error(e), protocol=5)
    end.sendall(kind + LENGTH.pack(len(data)) + data)
