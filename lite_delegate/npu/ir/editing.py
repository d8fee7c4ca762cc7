"""Editing of modules, shared by passes: the makers and readers of buffers, and a module while it is rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..device.programs.instruction import Instruction
from ..device.programs.program import Buffer, ProgramStep
from .module import MakeConstant, Module, ModulePort


class Edit:
    """A module under rewriting. Steps are known by the buffer that they fill, which no rewriting changes.

    A pass makes its changes and calls ``finish``, which leaves out the steps and buffers that nobody needs any more.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._buffers = list(module.buffers)
        self._steps = {step.output: step for step in module.steps}
        self._constants = dict(module.constants)
        self._outputs = list(module.outputs)
        self._inputs = list(module.inputs)
        self._readers: dict[int, set[int]] = {}
        self._changed = False
        self._note(module.steps)
        self.steps: Mapping[int, ProgramStep] = self._steps
        """The steps in execution order, by the buffer that each fills."""
        self.constants: Mapping[int, MakeConstant] = self._constants
        """The makers of the constant buffers' contents."""

    @property
    def inputs(self) -> tuple[ModulePort, ...]:
        """Tensors that come from the host."""
        return tuple(self._inputs)

    @property
    def outputs(self) -> tuple[ModulePort, ...]:
        """Tensors that go to the host."""
        return tuple(self._outputs)

    def buffer(self, index: int) -> Buffer:
        """The shape and element type of a buffer."""
        return self._buffers[index]

    def readers(self, buffer: int) -> list[ProgramStep]:
        """The steps that read a buffer, in the order of the buffers that they fill."""
        return [self._steps[output] for output in sorted(self._readers.get(buffer, ()))]

    def is_output(self, buffer: int) -> bool:
        """True when the host reads the buffer."""
        return buffer in [port.buffer for port in self._outputs]

    def only_reader(self, buffer: int) -> ProgramStep | None:
        """The one step that reads a buffer, when nobody else needs it: no other step, and not the host."""
        readers = self.readers(buffer)
        return readers[0] if len(readers) == 1 and not self.is_output(buffer) else None

    def add_constant(self, buffer: Buffer, make: MakeConstant) -> int:
        """A new constant buffer with the exact contents that ``make`` gives; only useful when a step then reads it."""
        self._buffers.append(buffer)
        self._constants[len(self._buffers) - 1] = make
        return len(self._buffers) - 1

    def put(self, step: ProgramStep) -> None:
        """Puts a step in the place of the one that fills the same buffer. Its operands must be filled by then."""
        self._forget(self._steps[step.output])
        self._steps[step.output] = step
        self._note([step])
        self._changed = True

    def change(self, step: ProgramStep, instruction: Instruction, operands: Iterable[int]) -> None:
        """Makes a step do something else, under its name."""
        self.put(replace(step, instruction=instruction, operands=tuple(operands)))

    def fuse(
        self,
        first: ProgramStep,
        last: ProgramStep,
        main: ProgramStep,
        instruction: Instruction,
        operands: Iterable[int],
    ) -> ProgramStep:
        """Puts one step in the place of two, of which ``last`` is the only reader of ``first``.

        It stands where ``last`` stood, has the name of ``main``, one of the two, and stands for the layers of both.
        """
        self._forget(self._steps.pop(first.output))
        layers = tuple(dict.fromkeys((*first.layers, *last.layers)))
        fused = ProgramStep(instruction, tuple(operands), last.output, main.name, layers)
        self.put(fused)
        return fused

    def redirect(self, old: int, new: int) -> None:
        """Makes all readers of ``old``, the host included, read ``new``, which has the same contents and shape."""
        if old in self._steps:
            self._forget(self._steps.pop(old))
        for step in self.readers(old):
            self.put(replace(step, operands=tuple(new if i == old else i for i in step.operands)))
        self._outputs = [replace(port, buffer=new) if port.buffer == old else port for port in self._outputs]
        self._changed = True

    def become_constant(self, output: int, make: MakeConstant) -> None:
        """Puts a constant in the place of the step that fills ``output``."""
        self._forget(self._steps.pop(output))
        self._constants[output] = make
        self._changed = True

    def set_output(self, position: int, port: ModulePort) -> None:
        """Changes where the host finds an output."""
        self._outputs[position] = port
        self._changed = True

    def set_input(self, position: int, port: ModulePort, buffer: Buffer) -> None:
        """Changes how an input crosses: ``port`` with its buffer as ``buffer``."""
        self._inputs[position] = port
        self._buffers[port.buffer] = buffer
        self._changed = True

    def finish(self) -> Module:
        """The module rewritten, without unneeded steps and buffers; the given module when nothing was changed."""
        return without_dead(self._as_module()) if self._changed else self._module

    def _as_module(self) -> Module:
        return Module(
            buffers=tuple(self._buffers),
            steps=tuple(self._steps.values()),
            constants=self._constants,
            inputs=tuple(self._inputs),
            outputs=tuple(self._outputs),
        )

    def _note(self, steps: Iterable[ProgramStep]) -> None:
        for step in steps:
            for index in step.operands:
                self._readers.setdefault(index, set()).add(step.output)

    def _forget(self, step: ProgramStep) -> None:
        for index in step.operands:
            self._readers[index].discard(step.output)


def without_dead(module: Module) -> Module:
    """The module without steps, inputs, constants and buffers that no output depends on, buffers counted anew.

    The very same module when all are needed.
    """
    needed = {port.buffer for port in module.outputs}
    for step in reversed(module.steps):
        if step.output in needed:
            needed.update(step.operands)
    if len(needed) == len(module.buffers):
        return module
    number = {old: new for new, old in enumerate(sorted(needed))}
    return Module(
        buffers=tuple(map(module.buffers.__getitem__, number)),
        steps=tuple([_renumbered(step, number) for step in module.steps if step.output in needed]),
        constants={number[old]: make for old, make in module.constants.items() if old in needed},
        inputs=tuple(replace(port, buffer=number[port.buffer]) for port in module.inputs if port.buffer in needed),
        outputs=tuple(replace(port, buffer=number[port.buffer]) for port in module.outputs),
    )


def _renumbered(step: ProgramStep, number: Mapping[int, int]) -> ProgramStep:
    return replace(step, operands=tuple(map(number.__getitem__, step.operands)), output=number[step.output])


def moved_bytes(module: Module) -> int:
    """The bytes that the DMA engines move within the device to run the module once: the cost of permutes."""
    total = 0
    for step in module.steps:
        shapes = [module.buffers[i].shape for i in step.operands]
        buffer = module.buffers[step.output]
        total += step.instruction.work(shapes, buffer.shape).moved * buffer.element.numpy.itemsize
    return total


class UniqueNames:
    """Gives out names for new steps that no other step has."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def unique(self, name: str) -> str:
        """``name``, or with the first free number from 2 on after it."""
        number, result = 1, name
        while result in self._taken:
            number += 1
            result = f"{name}.{number}"
        self._taken.add(result)
        return result
