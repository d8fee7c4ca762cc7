"""Modules for the tests of passes: written by hand, and run before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lite_delegate.ir.axes import identity, inverse
from lite_delegate.npu.device import Device
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.functions import Fused
from lite_delegate.npu.device.instructions.movement import Permute
from lite_delegate.npu.device.programs.instruction import Instruction
from lite_delegate.npu.device.programs.program import Buffer, ElementType, ProgramStep
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.ir.editing import moved_bytes
from lite_delegate.npu.ir.module import Module, ModulePort
from lite_delegate.npu.passes import ModulePass
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import Array, small_ints, variable

NCHW = Permute((0, 3, 1, 2))
NHWC = Permute((0, 2, 3, 1))


class Sketch:
    """A module under construction. Inputs and steps give the number of a buffer; shapes come from running a step."""

    def __init__(self, element: ElementType = ElementType.FLOAT16) -> None:
        self.element = element
        self.buffers: list[Buffer] = []
        self.steps: list[ProgramStep] = []
        self.constants: dict[int, Array] = {}
        self.inputs: list[ModulePort] = []

    def shape(self, index: int) -> tuple[int, ...]:
        return self.buffers[index].shape

    def input(self, *shape: int) -> int:
        index = self._buffer(shape, self.element)
        tensor = variable(f"x{len(self.inputs)}", shape)
        self.inputs.append(ModulePort(tensor, index, identity(len(shape))))
        return index

    def constant(self, array: ArrayLike, element: ElementType | None = None) -> int:
        index = self._buffer(np.shape(array), element or self.element)
        self.constants[index] = np.asarray(array)
        return index

    def step(self, instruction: Instruction, *operands: int, element: ElementType | None = None) -> int:
        zeros = [np.zeros(self.buffers[i].shape, self.buffers[i].element.numpy) for i in operands]
        with np.errstate(all="ignore"):
            shape = instruction.run(zeros).shape
        index = self._buffer(shape, element or self.element)
        name = f"{type(instruction).__name__}{len(self.steps)}"
        self.steps.append(ProgramStep(instruction, operands, index, name, (name,)))
        return index

    def pointwise(self, x: int, channels: int = 3, seed: int = 0) -> int:
        """A convolution of x (N, H, W, C) by one tap, between permutes."""
        return self.step(NHWC, self.spatial(self.step(NCHW, x), channels, seed))

    def spatial(self, x: int, channels: int = 3, seed: int = 0) -> int:
        """A convolution of x (N, C, H, W) by one tap."""
        _, inside, height, width = self.shape(x)
        weight = self.constant(small_ints((channels, 1, 1, inside), seed, -1, 2))
        return self.step(Convolution(Window((1, 1), (1, 1), (1, 1), (0, 0), (height, width))), x, weight)

    def module(self, *outputs: int) -> Module:
        """The module with these buffers as outputs."""
        ports = [
            ModulePort(
                Tensor.describe(f"y{n}", self.inputs[0].tensor.dtype, self.shape(i)), i, identity(len(self.shape(i)))
            )
            for n, i in enumerate(outputs)
        ]
        makes = {index: (lambda array=array: array) for index, array in self.constants.items()}
        module = Module(tuple(self.buffers), tuple(self.steps), makes, tuple(self.inputs), tuple(ports))
        module.program()
        return module

    def _buffer(self, shape: Sequence[int], element: ElementType) -> int:
        self.buffers.append(Buffer(tuple(shape), element))
        return len(self.buffers) - 1


def opcodes(module: Module) -> dict[str, int]:
    """How many steps of each instruction there are."""
    return dict(Counter(step.opcode for step in module.steps))


def whole_feeds(module: Module, seed: int = 0) -> dict[str, Array]:
    """Small whole numbers for every input, by name."""
    return {p.tensor.name: small_ints(p.tensor.shape, seed + i, -6, 7) for i, p in enumerate(module.inputs)}


def run(module: Module, feeds: dict[str, Array]) -> list[Array]:
    """The outputs in model order."""
    device = Device()
    device.open()
    loaded = device.load(module.program(), module.pack_constants())
    with np.errstate(all="ignore"):
        packed = [
            np.array(feeds[p.tensor.name].transpose(p.axes), module.buffers[p.buffer].element.numpy, order="C")
            for p in module.inputs
        ]
        results = device.run(loaded, packed)
    return [r.transpose(inverse(p.axes)) for r, p in zip(results, module.outputs, strict=True)]


def applied(module_pass: ModulePass, module: Module, *, seed: int = 0) -> Module:
    """The module after a pass, which must compute the same numbers, leave itself nothing to do, and move no more."""
    feeds = whole_feeds(module, seed)
    result = module_pass.rewrite(module)
    result.program()
    names = [step.name for step in result.steps]
    assert len(set(names)) == len(names), names
    assert module_pass.rewrite(result) is result
    assert moved_bytes(result) <= moved_bytes(module)
    assert [p.tensor for p in result.outputs] == [p.tensor for p in module.outputs]
    for got, want in zip(run(result, feeds), run(module, feeds), strict=True):
        np.testing.assert_array_equal(got, want)
    return result


def fused_of(step: ProgramStep) -> Fused:
    """What a step clamps or scales its results with, before it stores them."""
    instruction: Any = step.instruction
    fused: Fused = instruction.fused
    return fused
