"""Asking the budget before a node runs, where only its inputs say how large its outputs are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lite_delegate_kernels import ArraySpec, KernelInputError, ReferenceKernel, Work, as_tuple, spec_of

from ..budget import Budget, nbytes_of

_Function = Callable[..., Any]
_Key = tuple[Any, ...]


def work_of(kernel: ReferenceKernel, inputs: Sequence[ArraySpec | None], attributes: Mapping[str, Any]) -> Work:
    """What a kernel takes beside inputs and outputs; nothing where the inputs do not say, or do not fit."""
    if kernel.work is None or not all(s is None or s.known for s in inputs):
        return Work()
    try:
        return kernel.work(*inputs, **attributes)
    except (KernelInputError, TypeError):
        return Work()  # the kernel itself says it better


def guarded(
    function: _Function, where: str, kernel: ReferenceKernel, attributes: Mapping[str, Any], budget: Budget
) -> _Function:
    """The function of a node, which asks the budget for its outputs before it runs.

    Inputs of the shapes of the time before are not looked at again, as long as shapes alone say how large outputs are.

    Args:
        function: over arrays.
        where: the node, for messages.
        kernel: infers the outputs.
        attributes: of the node.
        budget: is asked; it raises LimitError.
    """
    asked: _Key = ()

    def run(*arrays: Any) -> Any:
        nonlocal asked
        key = tuple(None if a is None else (a.shape, a.dtype) for a in arrays)
        if key != asked and _ask(arrays, where, kernel, attributes, budget):
            asked = key
        return function(*arrays)

    return run


def _ask(
    arrays: Sequence[Any], where: str, kernel: ReferenceKernel, attributes: Mapping[str, Any], budget: Budget
) -> bool:
    """Asks the budget; whether shapes alone said what the outputs are."""
    specs = [None if a is None else ArraySpec(a.dtype, a.shape) for a in arrays]
    sizes = _sizes(kernel, specs, attributes)
    by_shapes = None not in sizes
    if not by_shapes:
        specs = [None if a is None else spec_of(a) for a in arrays]
        sizes = _sizes(kernel, specs, attributes)
    work = work_of(kernel, specs, attributes)
    budget.check(f"{where}: its outputs", sum(size or 0 for size in sizes) + work.nbytes)
    budget.check_work(where, work.terms)
    return by_shapes


def _sizes(
    kernel: ReferenceKernel, specs: Sequence[ArraySpec | None], attributes: Mapping[str, Any]
) -> list[int | None]:
    try:
        return [nbytes_of(spec) for spec in as_tuple(kernel.infer(*specs, **attributes))]
    except (KernelInputError, TypeError):
        return [0]  # the kernel itself says what does not fit
