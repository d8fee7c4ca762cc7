"""Compiles a run of kernels into one program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...delegate import Boundary, Kernel
from ...errors import DelegateBuildError
from ..operands import op_type_of
from ..passes import passes_for, run_module_passes
from ..target import Target
from .builder import Builder
from .compiled import Compiled
from .lowering import Lowering
from .module import Module


def compile_run(
    kernels: Sequence[Kernel], boundary: Boundary, lowerings: Mapping[str, Lowering], target: Target
) -> Compiled:
    """The program for ``kernels``, which are in execution order, and ``boundary``, theirs.

    Constants are described, not packed: that happens in ``Compiled.pack_constants``.

    Raises:
        DelegateBuildError: an operator without lowering, or a kernel that does not fit its lowering.
    """
    module = lower_run(kernels, boundary, lowerings)
    module = run_module_passes(module, passes_for(target))
    return Compiled(module.program(), module)


def lower_run(kernels: Sequence[Kernel], boundary: Boundary, lowerings: Mapping[str, Lowering]) -> Module:
    """The instructions for ``kernels`` as the lowerings give them, before any pass.

    Raises:
        DelegateBuildError: an operator without lowering, or a kernel that does not fit its lowering.
    """
    missing = sorted(set(map(op_type_of, kernels)) - set(lowerings))
    if missing:
        raise DelegateBuildError(f"No lowering for {', '.join(missing)}. Lowerings: {', '.join(sorted(lowerings))}.")
    builder = Builder(boundary)
    for kernel in kernels:
        builder.begin(kernel)
        lowerings[op_type_of(kernel)].lower(kernel, builder)
    return builder.finish()
