"""Compiles a run of kernels into one program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...delegate import Boundary, Kernel
from ...errors import DelegateBuildError
from ..operands import op_type_of
from .builder import Builder
from .compiled import Compiled
from .layout import wanted_layouts
from .lowering import Lowering


def compile_run(kernels: Sequence[Kernel], boundary: Boundary, lowerings: Mapping[str, Lowering]) -> Compiled:
    """The program for ``kernels``, which are in execution order, and ``boundary``, theirs.

    Constants are described, not packed: that happens in ``Compiled.pack_constants``.

    Raises:
        DelegateBuildError: an operator without lowering, or a kernel that does not fit its lowering.
    """
    missing = sorted(set(map(op_type_of, kernels)) - set(lowerings))
    if missing:
        raise DelegateBuildError(f"No lowering for {', '.join(missing)}. Lowerings: {', '.join(sorted(lowerings))}.")
    wanted = wanted_layouts(kernels, {op_type: lowering.rule for op_type, lowering in lowerings.items()})
    builder = Builder(boundary, wanted)
    for kernel in kernels:
        lowerings[op_type_of(kernel)].lower(kernel, builder)
    return builder.finish()
