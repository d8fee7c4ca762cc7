"""NPUGraph: the graph kernel of a run on the device."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path

from ...basics.counted import counted
from ...basics.files import write_whole
from ...delegate import DeviceEstimate, Kernel, RequestMemory, SpanKind, span
from ...delegate.answers.estimate import in_turn
from ...delegate.calls.device_clock import tell_device_run
from ...delegate.calls.log import DelegateLog
from ...errors import (
    DelegateBuildError,
    DelegateError,
    DelegateExecuteError,
    DeviceLost,
    InputError,
    RequestCancelled,
)
from ...ir.types.data_type import to_numpy
from ...remote import on_device
from ...tensors.tensor import Tensor
from ..blob import Blob, BlobModel, BlobOrigin, blob_bytes
from ..cost import PerformanceCounter
from ..device.programs.instruction import Array
from ..device.transfer import transferred
from ..ir.target import Priority
from ..queue import Reservation, RunTimes, Ticket, device_run, reserve
from .commands import NOTHING
from .device_model import DeviceModel


class NPUGraph(Kernel):
    """Packs its inputs, runs a program on the device, unpacks the outputs; so for each part of the run.

    Packing is one copy: model order to device order, and float32 to float16 (beyond 65504: infinite). The graph kernel
    keeps no state of a prediction between calls, so forks may run at the same time.

    Args:
        name: unique within the model.
        inputs: its inputs, in the order of the run's boundary.
        outputs: its outputs, in the order of the run's boundary.
        models: the parts of the run on their device, which share only the device; forks share them.
        origin: the device and the options that they were compiled for.
    """

    gives_new_arrays = True

    def __init__(
        self,
        name: str,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        models: Sequence[DeviceModel],
        origin: BlobOrigin,
    ) -> None:
        super().__init__(name, "NPUGraph", inputs, outputs)
        self._models = tuple(models)
        self._origin = origin
        self._tickets: tuple[Ticket, ...] = ()

    @property
    def times(self) -> tuple[RunTimes, ...]:
        """The times of each part on the simulated device in the last ``execute`` of this fork; empty before.

        The times are simulated microseconds, by estimated durations; the order of waiting is the actual order.
        """
        return tuple(ticket.times for ticket in self._tickets)

    @property
    def models(self) -> tuple[DeviceModel, ...]:
        """The parts of the run on their device, in the order in which they run."""
        return self._models

    @property
    def counts_performance(self) -> bool:
        """Whether the option ``PERF_COUNT`` was on when the model was built."""
        return all(model.target.profiling for model in self._models)

    def prepare(self) -> None:
        """Packs the constants of all parts and loads their programs, unless loading is deferred; all or none.

        Raises:
            DelegateBuildError: a program cannot be loaded; the parts before it are unloaded again.
        """
        self._for_each(DeviceModel.prepare)

    def rehearse(self) -> None:
        """Takes the room on the device for all parts, and packs and loads nothing; all or none.

        Raises:
            DelegateBuildError: a program could not be loaded.
        """
        self._for_each(DeviceModel.rehearse)

    def _for_each(self, ready: Callable[[DeviceModel], None]) -> None:
        for number, model in enumerate(self._models):
            try:
                ready(model)
            except Exception as e:
                self.release()
                raise DelegateBuildError(f"{self._where(number)}: {e}") from e

    def execute(self) -> None:
        """Reads the inputs, sets the outputs to new arrays once every part has run.

        Raises:
            RequestCancelled: the run was cancelled.
            DeviceLost: the device is lost, or was since the programs were loaded.
            DelegateExecuteError: not prepared, an input of another shape than compiled for, or the device failed.
        """
        arrays = [tensor.data for tensor in self.inputs]
        there, kept = self._on_device(arrays)
        results: dict[int, Array] = {}
        tickets: list[Ticket] = []
        for number, model in enumerate(self._models):
            try:
                given, ticket = model.run(arrays, there, kept, partial(self._tell, number))
                results.update(zip((c.tensor for c in model.outputs), given, strict=True))
                tickets.append(ticket)
            except RequestCancelled:
                raise
            except Exception as e:  # whatever the device does, the message has to name the graph kernel
                kind = DeviceLost if isinstance(e, DeviceLost) else DelegateExecuteError
                model.log.write("LOG_ERROR", "%s: %s", self._where(number), e)
                raise kind(f"{self._where(number)}: {e}") from e
        self._tickets, chunk = tuple(tickets), self._models[0].target.transfer_chunk
        with span(SpanKind.COMPUTE if len(kept) == len(self.outputs) else SpanKind.UNPACK):
            for position, tensor in enumerate(self.outputs):
                tensor.data = transferred(results[position], to_numpy(tensor.dtype), chunk)

    def reserve(self, run: Sequence[Kernel], ready_us: float) -> Reservation | None:
        """Takes the place of a run in the device's queue, for all its graph kernels of this delegate.

        Returns:
            The place; None where the graph kernels are on several devices.
        """
        graphs = [kernel for kernel in run if isinstance(kernel, NPUGraph)]
        if any(graph.memory_owner is not self.memory_owner for graph in graphs):
            return None
        owed = [(graph, n, model, model.commands) for graph in graphs for n, model in enumerate(graph.models)]
        return reserve(self._models[0].device.queue, owed, ready_us)

    @property
    def memory_owner(self) -> object:
        """The device: tensors in its memory are read and written there."""
        return self._models[0].device

    def _on_device(self, arrays: Sequence[Array]) -> tuple[Collection[int], Collection[int]]:
        """The inputs that are in the device's memory, and the outputs that stay there, by their positions."""
        found, owner = on_device(), self.memory_owner
        if found is None:
            return NOTHING, NOTHING
        there = [position for position, array in enumerate(arrays) if found.has(owner, array)]
        kept = [position for position in range(len(self.outputs)) if found.keeps(owner, self.name, position)]
        return frozenset(there), frozenset(kept)

    def _tell(self, number: int, times: RunTimes) -> None:
        tell_device_run(partial(device_run, self.name, times))
        self.log_run(number, times)

    def log_run(self, number: int, times: RunTimes) -> None:
        """Writes to the log when a part ran, by its number."""
        log = self._models[number].log
        if not log.writes("LOG_DEBUG"):
            return
        where = self._where(number)
        for each in times.commands:
            said = (each.engine, each.number, counted(each.nbytes, "byte"), each.start, each.end)
            log.write("LOG_TRACE", "%s: %s on engine %d, %s, %.1f to %.1f simulated us", where, *said)
        log.write("LOG_DEBUG", "%s ran in %.1f simulated microseconds", where, times.latency_us)

    def with_log(self, log: DelegateLog) -> NPUGraph:
        """This graph kernel, whose runs, and its forks' runs, are told in the log."""
        for model in self._models:
            model.log = log
        return self

    def change(
        self, log_level: str | None = None, priority: Priority | None = None, efficient: bool | None = None
    ) -> None:
        """Changes how this graph kernel and its forks run from the next run on; None: no change.

        Args:
            log_level: the level of the log of runs.
            priority: the priority among the programs that wait for the device.
            efficient: whether it runs behind all programs that are not efficient, one clock level lower.
        """
        for model in self._models:
            if log_level is not None:
                model.log.change(log_level)
            model.change(priority, efficient)

    def estimate(self) -> DeviceEstimate:
        """The expected cost of one run on the device: its parts one after the other."""
        parts = [model.cost.estimate for model in self._models]
        input_us, output_us = [0.0] * len(self.inputs), [0.0] * len(self.outputs)
        for model, part in zip(self._models, parts, strict=True):
            for crossing, us in zip(model.inputs, part.input_us, strict=True):
                input_us[crossing.tensor] += us
            for crossing, us in zip(model.outputs, part.output_us, strict=True):
                output_us[crossing.tensor] += us
        whole = replace(in_turn(parts), input_us=tuple(input_us), output_us=tuple(output_us))
        if not any(model.target.print_receive_tensor_time for model in self._models):
            return whole
        return replace(whole, input_wait_us=sum(m.cost.us(m.cost.input_wait_cycles) for m in self._models))

    def performance_counters(self) -> tuple[PerformanceCounter, ...]:
        """The cost of each step, part by part, as the cost model estimates it.

        With the option ``VPU_PRINT_RECEIVE_TENSOR_TIME`` each part begins with the time spent waiting for input: in its
        last run, on the simulated clock; before the first run the estimate for runs that follow each other.

        Raises:
            InputError: the option ``PERF_COUNT`` was off when the model was built.
        """
        counters: list[PerformanceCounter] = []
        for model in self._models:
            if not model.target.profiling:
                raise InputError(
                    f"Graph kernel '{self.name}' has no performance counters: "
                    "set the delegate's option PERF_COUNT to YES before the model is built."
                )
            counters += model.counters()
        return tuple(counters)

    def take_request_memory(self) -> RequestMemory:
        """Takes device memory for the inputs and outputs of all parts; all or none. Deferred programs are loaded.

        Raises:
            DelegateError: the memory does not suffice, or the device is not there.
        """
        inputs, outputs = (_positions(tensors, self.states) for tensors in (self.inputs, self.outputs))
        taken, nbytes = ExitStack(), 0
        for number, model in enumerate(self._models):
            try:
                memory = model.take_request_memory(inputs, outputs)
            except DelegateError as e:
                taken.close()
                raise type(e)(f"{self._where(number)}: {e}") from e
            nbytes += memory.nbytes
            taken.callback(memory.give_back)
        return RequestMemory(nbytes, taken.close)

    @property
    def request_nbytes(self) -> int:
        """The device memory that ``take_request_memory`` takes for one request."""
        return sum(sum(model.request_bytes().values()) for model in self._models)

    @property
    def resident_nbytes(self) -> int:
        """The device memory that the graph kernel's programs take."""
        return sum(model.resident_nbytes for model in self._models)

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> NPUGraph:
        """A graph kernel of the same programs, loaded once, bound to other tensors."""
        return NPUGraph(self.name, inputs, outputs, self._models, self._origin)

    def export_blob(self, path: str | PathLike[str] | None = None) -> bytes:
        """The compiled run as bytes, which ``NPUDelegate.import_blob`` takes on the same device.

        Args:
            path: a file to write the bytes to as well, whole or not at all.

        Raises:
            DelegateExecuteError: not prepared, or released: the constants are not there.
            DelegateBuildError: the blob does not fit a flatbuffer (2 GiB).
            InputError: the folder of the file does not exist, or the path is a folder.
        """
        models = [BlobModel(m.program, m.inputs, m.outputs, m.constants()) for m in self._models]
        data = blob_bytes(Blob(self._origin, self.name, self.inputs, self.outputs, tuple(models)))
        if path is not None:
            write_whole(Path(path), data)
        return data

    def release(self) -> None:
        """Gives the device's memory back at once. Without it that happens when the graph kernel is gone."""
        for model in self._models:
            model.release()

    def _where(self, number: int) -> str:
        """The name of the graph kernel and of one of its parts, for messages."""
        if len(self._models) == 1:
            return f"Graph kernel '{self.name}'"
        layers = self._models[number].layers
        return f"Graph kernel '{self.name}', part {number + 1} of {len(self._models)} ('{layers[0]}' to '{layers[-1]}')"


def _positions(tensors: Sequence[Tensor], of: Collection[Tensor]) -> frozenset[int]:
    return frozenset(position for position, tensor in enumerate(tensors) if tensor in of)
