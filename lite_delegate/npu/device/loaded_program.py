"""Loaded memory: the use of a device's memory by programs and other buffers."""

from __future__ import annotations

from collections.abc import Mapping

from ...basics.data_class import dataclass
from ...delegate.calls.log import ModelName
from .programs.instruction import Array
from .programs.program import Program
from .transfer import CHUNK


@dataclass(frozen=True, slots=True, eq=False)
class LoadedProgram:
    """A program in device memory. Immutable: any number of runs may use it at once.

    Attributes:
        program: the loaded program.
        constants: contents of the constant buffers, float16 numbers as float32 arrays.
        direct: the program as the simulator runs it.
        frees: for each step of ``direct``, the buffers whose memory is given back after it.
        nbytes: its bytes of the device's DRAM.
        model: the model that owns it; None: no model.
        chunk: bytes of its inputs and outputs that cross at once.
    """

    program: Program
    constants: Mapping[int, Array]
    direct: Program
    frees: tuple[tuple[int, ...], ...]
    nbytes: int
    model: ModelName | None = None
    chunk: int = CHUNK


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """Device memory that is taken beside programs.

    Attributes:
        nbytes: the bytes of DRAM.
        what: its use, in figures of the memory: "request", "state", "remote tensor".
        model: the model that owns it; None: no model.
    """

    nbytes: int
    what: str
    model: ModelName | None = None
