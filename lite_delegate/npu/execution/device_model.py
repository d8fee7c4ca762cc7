"""DeviceModel: a compiled part of a run on its device, with packing on the way in and unpacking on the way out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from threading import Lock
from weakref import finalize

import numpy as np

from ...basics.counted import counted
from ...basics.forking import free, free_in_children
from ...delegate import RequestMemory, SpanKind, simulated_ready_us, span
from ...delegate.calls.log import DelegateLog, current_model
from ...errors import DelegateExecuteError
from ...ir.axes import Axes, inverse
from ..cost import Packing, PerformanceCounter, cost_of
from ..device import Device, LoadedProgram, Program
from ..device.instructions.dma import Dma
from ..device.pinning import pinned
from ..device.programs.instruction import Array
from ..device.transfer import transferred
from ..ir.module import packed
from ..ir.ports import BufferPort
from ..ir.target import Priority, Target
from ..queue import CommandList, RunTimes, Ticket, reserved_part
from .commands import NOTHING, commands_of


def no_one(_: RunTimes) -> None:
    """Nobody wants to be told of a run."""


class DeviceModel:
    """One part of a run on the device, shared by a graph kernel and its forks.

    ``run`` keeps nothing between calls and may be called from several threads. The device's memory is given back when
    the last graph kernel that uses the model is gone, or by ``release``.

    Args:
        program: the program of the part.
        inputs: the tensors that enter it, in the order of the program's inputs.
        outputs: the tensors that leave it, in the order of the program's outputs.
        constants: gives the contents of the program's constant buffers; called once, by ``prepare``.
        device: the device that runs it.
        target: what the program was compiled for, which its cost is estimated on.

    Attributes:
        log: the log of its runs.
    """

    def __init__(
        self,
        program: Program,
        inputs: Sequence[BufferPort],
        outputs: Sequence[BufferPort],
        constants: Callable[[], Mapping[int, Array]],
        device: Device,
        target: Target,
    ) -> None:
        self.program = program
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.target = target
        self.log = DelegateLog("npu")
        packing = Packing(tuple(c.axes for c in inputs), tuple(c.axes for c in outputs))
        self.cost = cost_of(program, packing, target)
        """The estimated cost of one run."""
        self._device = device
        self._model = current_model()
        self._commands = commands_of(self.cost, target, device.queue.dma_engines)
        self._remote_commands: dict[tuple[Collection[int], Collection[int]], CommandList] = {}
        self._latest: Ticket | None = None
        self._make: Callable[[], Mapping[int, Array]] | None = constants
        self._constants: Mapping[int, Array] | None = None
        self._loaded: LoadedProgram | None = None
        self._unload: finalize[..., DeviceModel] | None = None
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    @property
    def commands(self) -> CommandList:
        """Of a run whose inputs and outputs are the host's."""
        return self._commands

    @property
    def priority(self) -> int:
        """The priority of its runs in the device's queue."""
        return self._commands.priority

    def change(self, priority: Priority | None = None, efficient: bool | None = None) -> None:
        """Changes the priority and the clock of its programs from the next run on; None: no change."""
        old = self.target
        target = replace(
            old,
            priority=old.priority if priority is None else priority,
            efficient=old.efficient if efficient is None else efficient,
        )
        self.cost = replace(self.cost, clock_mhz=target.clock_mhz)
        self._commands = commands_of(self.cost, target, self._device.queue.dma_engines)
        self._remote_commands = {}
        self.target = target

    @property
    def device(self) -> Device:
        """Where it runs."""
        return self._device

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the nodes that it stands for, as far as they became instructions, in the order in which they run."""
        steps = (step for step in self.program.steps if not isinstance(step.instruction, Dma))
        return tuple(dict.fromkeys(layer for step in steps for layer in step.layers))

    @property
    def loaded(self) -> LoadedProgram | None:
        """The program in device memory; None before and after."""
        return self._loaded

    def counters(self) -> tuple[PerformanceCounter, ...]:
        """The cost of each step; where the target wants it the time spent waiting for input before them."""
        if not self.target.print_receive_tensor_time:
            return self.cost.counters()
        wait, times = self.cost.input_wait_cycles, self.times
        if times is not None:
            wait = round(times.input_wait_us * self.cost.clock_mhz)
        return (self.cost.wait_counter(wait), *self.cost.counters())

    def prepare(self) -> None:
        """Packs the constants, once, and loads the program unless that is deferred, or the device is not there.

        The model's constants are not needed any more then.

        Raises:
            DelegateError: the program cannot be loaded.
        """
        with self._lock:
            if self._make is not None:
                self._constants = self._make()
                self._make = None
            if not self._device.present:
                self._device.check_room(self.program)
            elif not self.target.defer_weights_load:
                self._load()

    def rehearse(self) -> None:
        """Takes the room on the device that the program needs, unless that is deferred; packs and loads nothing.

        The model cannot run. The room is given back when it is gone, or by ``release``.

        Raises:
            DelegateError: the program cannot be loaded.
        """
        with self._lock:
            if not self._device.present:
                self._device.check_room(self.program)
            elif self._unload is None and not self.target.defer_weights_load:
                self._unload = self._unloading(self._device.reserve(self.program, self._model))

    def take_request_memory(
        self, state_inputs: Collection[int] = (), state_outputs: Collection[int] = ()
    ) -> RequestMemory:
        """Takes device memory for the inputs and outputs of one more request; loads the program if that was deferred.

        Args:
            state_inputs, state_outputs: positions of the graph kernel's inputs and outputs that are states.

        Raises:
            DelegateError: the memory does not suffice, or the device is not there; no memory is taken.
        """
        with self._lock:
            self._load()
        nbytes = self.request_bytes(state_inputs, state_outputs)
        with ExitStack() as taken:
            for what, size in nbytes.items():
                if size:
                    taken.callback(self._device.free, self._device.allocate(size, what, self._model))
            return RequestMemory(sum(nbytes.values()), taken.pop_all().close)

    def request_bytes(self, state_inputs: Collection[int] = (), state_outputs: Collection[int] = ()) -> dict[str, int]:
        """The device memory for the inputs and outputs of one request, by kind.

        Args:
            state_inputs, state_outputs: as for ``take_request_memory``.
        """
        nbytes = {"request": 0, "state": 0}
        for ports, states in ((self.inputs, state_inputs), (self.outputs, state_outputs)):
            for port in ports:
                what = "state" if port.tensor in states else "request"
                nbytes[what] += self.program.buffers[port.buffer].footprint
        return nbytes

    @property
    def resident_nbytes(self) -> int:
        """The device memory that the program takes; 0 where it is not loaded."""
        loaded = self._loaded
        return 0 if loaded is None else loaded.nbytes

    def release(self) -> None:
        """Gives the device's memory back, if it was taken. The model cannot run any more."""
        with self._lock:
            self._make = self._constants = self._loaded = None
            if self._unload is not None:
                self._unload()

    @property
    def times(self) -> RunTimes | None:
        """When the run that ended last ran on the simulated device, whichever graph kernel's it was; None before."""
        return None if self._latest is None else self._latest.times

    def run(
        self,
        inputs: Sequence[Array],
        there: Collection[int] = NOTHING,
        kept: Collection[int] = NOTHING,
        tell: Callable[[RunTimes], None] = no_one,
    ) -> tuple[list[Array], Ticket]:
        """The outputs in model order, views of the device's results, for the inputs of the whole run in model order.

        The second result is the run's place in the queue of the simulated device: the place that was reserved when the
        run was started, or the last place.

        Args:
            inputs: the inputs of the whole run.
            there: the inputs, by their positions, that are in the device's memory.
            kept: positions of the whole run's outputs that stay in it.
            tell: called with the times, also of a run that was cancelled or has failed; not where a place was reserved.

        Raises:
            RequestCancelled: the run was cancelled.
            DelegateExecuteError: not prepared, an input of another shape than compiled for, or the device failed or
                gave a result of another size.
        """
        loaded = self._loaded
        if loaded is None:
            with self._lock:
                loaded = self._load()
        here = frozenset(n for n, c in enumerate(self.inputs) if c.tensor in there) if there else NOTHING
        stays = frozenset(n for n, c in enumerate(self.outputs) if c.tensor in kept) if kept else NOTHING
        keeps_all = len(stays) == len(self.outputs)
        part = reserved_part(self)
        if part is not None:
            with part:
                results = self._run(loaded, inputs, here, keeps_all)
            self._latest = part.ticket
            return results, part.ticket
        commands = self._commands_for(here, stays) if here or stays else self._commands
        ticket = self._device.queue.submit(commands, simulated_ready_us())
        try:
            with ticket:
                results = self._run(loaded, inputs, here, keeps_all)
        except BaseException:
            tell(ticket.cancel())
            raise
        self._latest = ticket
        tell(ticket.done())
        return results, ticket

    def _commands_for(self, here: Collection[int], stays: Collection[int]) -> CommandList:
        """The command list of a run some of whose inputs and outputs, by their numbers, are on the device."""
        commands = self._remote_commands.get((here, stays))
        if commands is None:
            commands = commands_of(self.cost, self.target, self._device.queue.dma_engines, here, stays)
            self._remote_commands[here, stays] = commands
        return commands

    def _run(
        self, loaded: LoadedProgram, inputs: Sequence[Array], here: Collection[int], keeps_all: bool
    ) -> list[Array]:
        target = self.target
        with pinned(target.pin_cpu):
            arrays = self._packed(inputs, here)
            with span(SpanKind.ENQUEUE), self._device.turns.turn(target.share, self.priority, self):
                run = self._device.run
                results = run(loaded, arrays, keeps_all=True) if keeps_all else run(loaded, arrays)
        with span(SpanKind.COMPUTE if keeps_all else SpanKind.UNPACK):
            self._check(results)
            return [result.transpose(inverse(c.axes)) for result, c in zip(results, self.outputs, strict=True)]

    def _packed(self, inputs: Sequence[Array], here: Collection[int]) -> list[Array]:
        """The program's inputs: the host packs the inputs in its memory, the device packs the other inputs."""
        if not here:
            with span(SpanKind.PACK):
                return [self._pack(port, inputs) for port in self.inputs]
        packed: dict[int, Array] = {}
        for kind, is_here in ((SpanKind.PACK, False), (SpanKind.COMPUTE, True)):
            numbers = [number for number in range(len(self.inputs)) if (number in here) is is_here]
            if not numbers:
                continue
            with span(kind):
                packed.update((number, self._pack(self.inputs[number], inputs)) for number in numbers)
        return [packed[number] for number in range(len(self.inputs))]

    def _pack(self, port: BufferPort, inputs: Sequence[Array]) -> Array:
        dtype = self.program.buffers[port.buffer].element.numpy
        return pack(inputs[port.tensor], port.axes, dtype, self.target.transfer_chunk)

    def constants(self) -> Mapping[int, Array]:
        """The contents of the program's constant buffers, in the element types of device memory.

        Raises:
            DelegateExecuteError: not prepared, or released.
        """
        with self._lock:
            if self._constants is not None:
                return self._constants
            if self._loaded is None:
                raise DelegateExecuteError("must be prepared before its constants can be read.")
            loaded, buffers = self._loaded.constants, self.program.buffers
            return {index: packed(array, buffers[index]) for index, array in loaded.items()}

    def _load(self) -> LoadedProgram:
        """Loads the program unless it is loaded; the caller holds the lock."""
        if self._loaded is None:
            if self._constants is None:
                raise DelegateExecuteError("must be prepared before it can run.")
            if self._unload is not None:
                self._unload()
            loaded = self._device.load(self.program, self._constants, self._model, self.target.transfer_chunk)
            steps = counted(len(self.program.steps), "step")
            self.log.write("LOG_TRACE", "loaded a program of %s, %s", steps, counted(loaded.nbytes, "byte"))
            self._unload = self._unloading(loaded)
            self._loaded, self._constants = loaded, None
        return self._loaded

    def _unloading(self, loaded: LoadedProgram) -> finalize[..., DeviceModel]:
        """Unloads a program when this is gone."""
        unload = finalize(self, self._device.unload, loaded)
        unload.atexit = False
        return unload

    def _check(self, results: Sequence[Array]) -> None:
        expected = len(self.program.outputs)
        if len(results) != expected:
            raise DelegateExecuteError(f"expected {counted(expected, 'output')}, the device gave {len(results)}.")
        for position, (index, result) in enumerate(zip(self.program.outputs, results, strict=True)):
            buffer = self.program.buffers[index]
            if (result.shape, result.dtype) != (buffer.shape, buffer.element.numpy):
                raise DelegateExecuteError(
                    f"output buffer {position}: expected {buffer.element} {buffer.shape} "
                    f"({counted(buffer.nbytes, 'byte')}), "
                    f"the device gave {result.dtype} {result.shape} ({counted(result.nbytes, 'byte')})."
                )


def pack(array: Array, axes: Axes, dtype: np.dtype[np.generic], chunk: int) -> Array:
    """A host array (model order) as the device takes it: permuted and of its element type, in one copy, by chunks.

    Raises:
        DelegateExecuteError: the array has not as many dimensions as ``axes``.
    """
    if array.ndim != len(axes):
        raise DelegateExecuteError(f"expected an input of {counted(len(axes), 'dimension')}, got shape {array.shape}.")
    with np.errstate(over="ignore", invalid="ignore"):
        return transferred(array.transpose(axes), dtype, chunk)
