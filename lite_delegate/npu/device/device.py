"""The device: takes programs, runs them, checks every buffer that crosses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import Any

from ...basics.counted import counted
from ...basics.forking import free, free_in_children
from ...basics.words.one_line import OneLine
from ...delegate import SpanKind, Telemetry, span
from ...delegate.calls.log import ModelName
from ...errors import DelegateBuildError, DelegateExecuteError, DelegateUnavailable, DeviceLost
from ..queue import DeviceQueue
from .direct import without_transfers
from .driver_cache import DriverCache
from .faults import TIME_LIMIT_MS, FaultCounter, Faults, LoadFault, RunFault, too_short
from .interpreter import computed, kept, mismatch, read
from .loaded_program import Allocation, LoadedProgram
from .model_memory import by_model
from .place import Place
from .placement import dram_bytes, memory_used
from .program_check import check_program
from .programs.instruction import Array
from .programs.memory import Capacity, MemoryKind
from .programs.program import Program
from .transfer import CHUNK
from .turns import Turns


class Device(OneLine):
    """A simulated accelerator.

    A program keeps floating tensors and constants as float16 or float32; sums accumulate in float32 and are rounded
    to the type of the buffer once, when an instruction stores its result. Values beyond 65504 become infinite in
    float16, by IEEE 754. Quantized integers are multiplied and added up exactly, and saturate at 32 bits.
    ``run`` keeps nothing between calls and may be called from several threads.

    Args:
        present: False for a device that is not there: ``open`` fails.
        faults: the faults that it simulates.
        memory: sizes of its memories.
        dma_engines: the number of engines that bring data from and to the host.
    """

    def __init__(
        self,
        *,
        present: bool = True,
        faults: Faults | None = None,
        memory: Capacity | None = None,
        dma_engines: int = 1,
    ) -> None:
        self.present = present
        self.memory = Capacity() if memory is None else memory
        self.turns = Turns()
        """The queue of threads that want to run a program; ``run`` itself ignores it."""
        self.queue = DeviceQueue(dma_engines)
        """The command lists of the programs that run, and the simulated clock; ``run`` itself does not look at it."""
        self.driver_cache: DriverCache[Any] = DriverCache()
        """The driver's cache of programs that were compiled for the device."""
        self.place = Place()
        """The position of the device among others."""
        self._users = 0
        self._lock = RLock()  # the garbage collector may end a use, at any point of any thread
        free_in_children(self)
        self._lost = False
        self._held: set[LoadedProgram] = set()
        self._allocations: set[Allocation] = set()
        self._peak = 0
        self._faults = FaultCounter(Faults() if faults is None else faults)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    def inject(self, faults: Faults) -> None:
        """Lets other runs and loads fail, counted from now. ``Faults()`` ends all trouble to come."""
        self._faults = FaultCounter(faults)

    def open(self) -> None:
        """Takes the device into use, once more if it is in use. Opening one that is lost brings it back, empty.

        Raises:
            DelegateUnavailable: the device is not there.
        """
        if not self.present:
            raise DelegateUnavailable("The simulated NPU is not there (Device(present=False)).")
        with self._lock:
            self._users += 1
            self._lost = False

    def close(self) -> None:
        """Ends a use. After the last one programs that are loaded cannot run any more."""
        with self._lock:
            self._users = max(self._users - 1, 0)

    @property
    def is_open(self) -> bool:
        """True from the first ``open`` to the last ``close``, as long as the device is not lost."""
        return self._users > 0 and not self._lost

    def load(
        self,
        program: Program,
        constants: Mapping[int, Array],
        model: ModelName | None = None,
        chunk: int = CHUNK,
    ) -> LoadedProgram:
        """Puts a program and its constants, in storage format, into device memory.

        Args:
            program: the program to load.
            constants: the contents of its constant buffers.
            model: the model that owns it, for figures of the memory.
            chunk: bytes of its inputs and outputs that cross at once.

        Raises:
            DelegateBuildError: the program reads a buffer that is never filled, a constant is missing or of another
                size, or the program does not fit into the rest of the device's memory.
            DelegateExecuteError: the device is not open, or reports that its memory is full.
            DeviceLost: the device is lost.
        """
        self._require_open("load a program")
        self._suffer(self._faults.next_load())
        nbytes = self.check_room(program)
        loaded = {}
        for index in program.constants:
            if index not in constants:
                raise DelegateBuildError(f"Constant buffer {index} has no contents.")
            differs = mismatch(constants[index], program.buffers[index])
            if differs:
                raise DelegateBuildError(f"Constant buffer {index}: {differs}.")
            loaded[index] = kept(constants[index])
        direct = without_transfers(program)
        held = LoadedProgram(program, loaded, direct, direct.last_uses(), nbytes, model, chunk)
        self._held.add(held)
        self._note_peak()
        return held

    def reserve(self, program: Program, model: ModelName | None = None) -> LoadedProgram:
        """Takes the memory of a program without loading its constants, so that it cannot run: for a rehearsal.

        Raises:
            DelegateError: as ``load``, except for errors of constants.
        """
        self._require_open("load a program")
        self._suffer(self._faults.next_load())
        held = LoadedProgram(program, {}, program, (), self.check_room(program), model)
        self._held.add(held)
        self._note_peak()
        return held

    def unload(self, loaded: LoadedProgram) -> None:
        """Gives the memory of a program back. Nothing happens where the device holds it no more.

        It takes no lock, because it may be called whenever an object is collected.
        """
        self._held.discard(loaded)

    def allocate(self, nbytes: int, what: str, model: ModelName | None = None) -> Allocation:
        """Takes memory beside programs, until it is freed or the device is lost.

        Args:
            nbytes: the bytes of DRAM.
            what: the use of the memory: "request", "state", "remote tensor".
            model: the model that owns it, for figures of the memory.

        Raises:
            DelegateBuildError: the rest of the memory does not suffice.
            DelegateExecuteError: the device is not open.
            DeviceLost: the device is lost.
        """
        self._require_open(f"take memory for a {what}")
        used = self.allocated_memory
        if self.memory.dram is not None and used + nbytes > self.memory.dram:
            raise DelegateBuildError(
                f"The {what} needs {counted(nbytes, 'byte')} of device memory, "
                f"{self.memory.dram - used:,} of {self.memory.dram:,} "
                "are free. Release models and tensors that are not needed any more, or use a device with more memory."
            )
        allocation = Allocation(nbytes, what, model)
        self._allocations.add(allocation)
        self._note_peak()
        return allocation

    def free(self, allocation: Allocation) -> None:
        """Gives memory back; does nothing where it was given back, or the device was lost. Takes no lock."""
        self._allocations.discard(allocation)

    def holds(self, allocation: Allocation) -> bool:
        """False once it was given back, or the device lost."""
        return allocation in self._allocations

    def telemetry(self) -> Telemetry:
        """The activity of the device and the use of its memory; times are those of the simulated clock."""
        use, in_flight = self.queue.utilization(), self.queue.waiting
        return Telemetry(
            memory=self.memory_by(),
            peak_bytes=self._peak,
            total_bytes=self.memory.dram,
            in_flight=in_flight,
            waiting=min(self.turns.waiting, in_flight),
            elapsed_us=use.elapsed_us,
            compute_use=use.tiles,
            transfer_use=use.dma,
            by_model=self.memory_by_model(),
        )

    def reset_peak(self) -> None:
        """Sets the peak of taken memory to the memory that is taken now."""
        self._peak = self.allocated_memory

    def _note_peak(self) -> None:
        self._peak = max(self._peak, self.allocated_memory)

    @property
    def allocated_memory(self) -> int:
        """Bytes of DRAM that are taken."""
        return sum(self.memory_by().values())

    @property
    def free_memory(self) -> int | None:
        """Bytes of DRAM that are left; None for a device that has as much as is asked for."""
        return None if self.memory.dram is None else max(self.memory.dram - self.allocated_memory, 0)

    def memory_by(self) -> dict[str, int]:
        """Bytes of DRAM that are taken, by their use: "program", "request", "state", ..."""
        taken = {"program": sum(loaded.nbytes for loaded in list(self._held))}
        for allocation in list(self._allocations):
            taken[allocation.what] = taken.get(allocation.what, 0) + allocation.nbytes
        return taken

    def memory_by_model(self) -> dict[str, dict[str, int]]:
        """The use of memory by compiled model: "" for memory without a model, "name#2" for the second model of a
        name.
        """
        held = [(each.model, "program", each.nbytes) for each in list(self._held)]
        return by_model((*held, *((each.model, each.what, each.nbytes) for each in list(self._allocations))))

    @property
    def programs(self) -> int:
        """The number of programs that the device holds."""
        return len(self._held)

    def run(self, loaded: LoadedProgram, inputs: Sequence[Array], *, keeps_all: bool = False) -> list[Array]:
        """Runs a program on host buffers that have the shapes and element types of its inputs.

        Recorders are told: the instructions are computing, reading the outputs is unpacking. All other time is
        enqueueing, which the caller reports together with its own enqueueing.

        Args:
            loaded: the program.
            inputs: in the order of the program's inputs.
            keeps_all: whether all outputs stay in the device's memory, so that no output is unpacked.

        Raises:
            RequestCancelled: the run was cancelled; the device checks for that before each instruction.
            DelegateExecuteError: the device is not open, an input has another size or element type, or the run did
                not end in time.
            DeviceLost: the device is lost, or was lost after the program was loaded.
        """
        fault = self._started(loaded, inputs)
        chunk = loaded.chunk
        taken = dict(zip(loaded.program.inputs, (kept(array, chunk) for array in inputs), strict=True))
        with span(SpanKind.COMPUTE):
            made = computed(loaded, taken)
        with span(SpanKind.COMPUTE if keeps_all else SpanKind.UNPACK):
            elements = (loaded.program.buffers[i].element for i in loaded.direct.outputs)
            results = [read(array, element, chunk) for array, element in zip(made, elements, strict=True)]
        return too_short(results) if fault is RunFault.BAD_RESULT else results

    def _started(self, loaded: LoadedProgram, inputs: Sequence[Array]) -> RunFault | None:
        """Checks the conditions of a run, and raises a fault of its start. Returns the fault of its end, if any."""
        self._require_open("run a program")
        if loaded not in self._held:
            raise DeviceLost("The device does not hold the program any more: it was lost or unloaded. Load it again.")
        program = loaded.program
        if len(inputs) != len(program.inputs):
            raise DelegateExecuteError(f"Expected {len(program.inputs)} input buffers, got {len(inputs)}.")
        for position, (index, array) in enumerate(zip(program.inputs, inputs, strict=True)):
            differs = mismatch(array, program.buffers[index])
            if differs:
                raise DelegateExecuteError(f"Input buffer {position}: {differs}.")
        fault = self._faults.next_run()
        self._suffer(fault)
        return fault

    def check_room(self, program: Program) -> int:
        """The bytes of DRAM that a program needs, which are free; the device need not be open.

        Raises:
            DelegateBuildError: the program reads a buffer that is never filled, or does not fit into the rest of the
                device's memory.
        """
        check_program(program)
        asked, used = dram_bytes(program), self.allocated_memory
        if self.memory.dram is not None and used + asked > self.memory.dram:
            raise DelegateBuildError(
                f"The program needs {counted(asked, 'byte')} of device memory, {used:,} of "
                f"{self.memory.dram:,} are in use. "
                "Release models that are not needed any more, or compile for a device with more memory."
            )
        scratchpad = memory_used(program, MemoryKind.SCRATCHPAD)
        if self.memory.scratchpad is not None and scratchpad > self.memory.scratchpad:
            raise DelegateBuildError(
                f"The program needs {counted(scratchpad, 'byte')} of scratchpad, the device has "
                f"{self.memory.scratchpad:,}. "
                "Compile it for this device's profile."
            )
        return asked

    def _suffer(self, fault: RunFault | LoadFault | None) -> None:
        if fault in (RunFault.LOST, LoadFault.LOST):
            self._lost = True
            self._held.clear()
            self._allocations.clear()
            raise DeviceLost("The device was lost, with every program in its memory. Open it and load them again.")
        if fault is RunFault.TIMEOUT:
            raise DelegateExecuteError(f"The run took longer than {TIME_LIMIT_MS} ms and was stopped.")
        if fault is LoadFault.NO_MEMORY:
            raise DelegateExecuteError("The device has no memory left to load a program.")

    def _require_open(self, what: str) -> None:
        if not self.present:
            raise DelegateExecuteError(
                f"The device must be there to {what}, and is not. Export the model compiled off-device, and import it "
                "where the device is."
            )
        if self._lost:
            raise DeviceLost(f"The device must be open to {what}; it is lost. Open it and load its programs again.")
        if not self._users:
            raise DelegateExecuteError(f"The device must be open to {what}; it is closed.")

    def _line(self) -> str:
        state = "lost" if self._lost else "present" if self.present else "absent"
        return f"{state}, {counted(self._users, 'user')}"
