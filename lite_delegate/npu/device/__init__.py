"""The simulated device: fp16 storage, fp32 accumulation, rank-4 tensors in NCHW order where windows slide."""

from .device import Device, LoadedProgram
from .instruction import Instruction
from .program import Buffer, ElementType, Program, Step

__all__ = ["Buffer", "Device", "ElementType", "Instruction", "LoadedProgram", "Program", "Step"]
