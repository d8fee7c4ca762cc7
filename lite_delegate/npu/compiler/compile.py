"""Compiles a run of kernels into one program."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Boundary, Kernel
from ..cost import Packing, cost_of
from ..device.programs.program import ElementType
from ..ir.builder import Builder, elements_for
from ..ir.module import Module
from ..ir.target import Target
from ..operators.claims import lower_kernel
from ..passes import ModulePass, passes_for, run_module_passes
from .compiled import Compiled
from .flow import MemoryFlow
from .place import place
from .schedule import schedule
from .tiling import tile


def compile_run(
    kernels: Sequence[Kernel],
    boundary: Boundary,
    target: Target,
    passes: Sequence[ModulePass] | None = None,
) -> Compiled:
    """The program for kernels and their boundary.

    Constants are described, not packed: ``Compiled.pack_constants`` packs them.

    Args:
        kernels: the kernels in execution order.
        boundary: the boundary of the kernels.
        target: the target to compile for.
        passes: the passes to apply; None: the passes for the target.

    Raises:
        DelegateBuildError: an operator without lowering, or a kernel that does not fit its lowering.
    """
    module = lower_run(kernels, boundary, target.precision)
    module = run_module_passes(module, passes_for(target) if passes is None else passes)
    memory = target.profile.memory
    capacity = target.tiles * memory.scratchpad_bytes
    flow = MemoryFlow(tile(module, capacity, memory.dma_setup_cycles * memory.dma_bytes_per_cycle), capacity)
    return fastest(flow, target)


def fastest(flow: MemoryFlow, target: Target) -> Compiled:
    """The program for ``flow``, by the schedule with the shortest estimated time.

    From optimization level 1 on two schedules are compared: compute tiles shared, and each step with all tiles that it
    can use; with level 0 only the second is made.
    """
    made = place(flow, schedule(flow, target))
    if target.optimization_level < 1 or target.tiles < 2:
        return made
    shared = place(flow, schedule(flow, target, sharing=True))
    return shared if cycles_of(shared, target) <= cycles_of(made, target) else made


def cycles_of(made: Compiled, target: Target) -> int:
    """The estimated cycles of one run of a program."""
    packing = Packing(tuple(p.axes for p in made.module.inputs), tuple(p.axes for p in made.module.outputs))
    return cost_of(made.program, packing, target).estimated_cycles


def lower_run(
    kernels: Sequence[Kernel],
    boundary: Boundary,
    precision: ElementType = ElementType.FLOAT16,
) -> Module:
    """The instructions for ``kernels`` as the lowerings give them, before any pass.

    Args:
        kernels: in execution order.
        boundary: theirs.
        precision: the element type in which the device keeps real numbers.

    Raises:
        DelegateBuildError: an operator without lowering, or a kernel that does not fit its lowering.
    """
    builder = Builder(boundary, elements_for(precision))
    for kernel in kernels:
        lower_kernel(kernel, builder)
    return builder.finish()
