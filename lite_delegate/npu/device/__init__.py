"""The simulated device: fp16 storage, fp32 accumulation, rank-4 tensors in NCHW order where windows slide."""

from .device import Device
from .faults import Faults
from .fleet import Fleet
from .loaded_program import LoadedProgram
from .programs.instruction import Instruction
from .programs.memory import Capacity, MemoryKind, MemoryRegion
from .programs.program import Buffer, ElementType, Program, ProgramStep

__all__ = [
    "Buffer",
    "Capacity",
    "Device",
    "ElementType",
    "Faults",
    "Fleet",
    "Instruction",
    "LoadedProgram",
    "MemoryKind",
    "Program",
    "MemoryRegion",
    "ProgramStep",
]
