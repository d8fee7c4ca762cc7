"""Modules made by hand, and runs of them on a device, that the compiler's tests share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lite_delegate.ir.axes import identity
from lite_delegate.npu.compiler.compiled import Compiled
from lite_delegate.npu.compiler.flow import MemoryFlow
from lite_delegate.npu.compiler.place import place
from lite_delegate.npu.compiler.schedule import schedule
from lite_delegate.npu.compiler.tiling import tile
from lite_delegate.npu.device import Buffer, Device, ElementType, Instruction, Program, ProgramStep
from lite_delegate.npu.ir.module import Module, ModulePort
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.profiles import load_profile
from tests.npu.graphs import variable

Array = np.ndarray[Any, Any]
HALF = ElementType.FLOAT16


class Making:
    """A module under construction."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self.steps: list[ProgramStep] = []
        self.constants: dict[int, Array] = {}
        self.inputs: list[int] = []

    def buffer(self, shape: Sequence[int], element: ElementType = HALF) -> int:
        self.buffers.append(Buffer(tuple(shape), element))
        return len(self.buffers) - 1

    def input(self, shape: Sequence[int], element: ElementType = HALF) -> int:
        self.inputs.append(self.buffer(shape, element))
        return self.inputs[-1]

    def constant(self, array: Array, element: ElementType = HALF) -> int:
        index = self.buffer(array.shape, element)
        self.constants[index] = array
        return index

    def step(
        self, instruction: Instruction, operands: Sequence[int], shape: Sequence[int], element: ElementType = HALF
    ) -> int:
        output = self.buffer(shape, element)
        name = f"{type(instruction).__name__}{len(self.steps)}"
        self.steps.append(ProgramStep(instruction, tuple(operands), output, name, (name,)))
        return output

    def module(self, *outputs: int) -> Module:
        def port(index: int) -> ModulePort:
            return ModulePort(
                variable(f"t{index}", self.buffers[index].shape), index, identity(len(self.buffers[index].shape))
            )

        return Module(
            tuple(self.buffers),
            tuple(self.steps),
            {index: partial(np.asarray, array) for index, array in self.constants.items()},
            tuple(map(port, self.inputs)),
            tuple(map(port, outputs)),
        )


def target(scratchpad: int, tiles: int = 1, dma_engines: int = 1) -> Target:
    """A device with so much scratchpad for each compute tile."""
    generic = load_profile("generic")
    memory = replace(generic.memory, scratchpad_bytes=scratchpad, dma_engines=dma_engines)
    profile = replace(generic, memory=memory, compute=replace(generic.compute, tiles=tiles))
    return Target(profile, tiles=tiles, dma_engines=dma_engines)


def compiled(module: Module, scratchpad: int, tiles: int = 1, dma_engines: int = 1) -> Compiled:
    """A module tiled, scheduled and placed."""
    flow = MemoryFlow(tile(module, tiles * scratchpad), tiles * scratchpad)
    return place(flow, schedule(flow, target(scratchpad, tiles, dma_engines)))


def run(program: Program, module: Module, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of a program made from ``module``."""
    device = Device()
    device.open()
    return device.run(device.load(program, module.pack_constants()), list(inputs))


def run_whole(module: Module, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of a module as it is, without tiles or places."""
    return run(module.program(), module, inputs)


def names(program: Program | Module) -> list[str]:
    """The names of the steps."""
    return [step.name for step in program.steps]


def kinds(program: Program | Module) -> Mapping[str, int]:
    """How many steps there are of each instruction."""
    found: dict[str, int] = {}
    for step in program.steps:
        found[step.opcode] = found.get(step.opcode, 0) + 1
    return found
