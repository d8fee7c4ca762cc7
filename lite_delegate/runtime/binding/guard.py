"""Asking the budget before a node runs, where only its inputs say how large its outputs are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lite_delegate_kernels import ArraySpec, KernelInputError, ReferenceKernel, as_tuple, spec_of

from ..budget import Budget, nbytes_of, work_of

_Function = Callable[..., Any]
_Key = tuple[Any, ...]


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
    outputs = _outputs(kernel, specs, attributes)
    by_shapes = all(spec.known for spec in outputs)
    if not by_shapes:
        outputs = _outputs(kernel, [None if a is None else spec_of(a) for a in arrays], attributes)
    work = work_of(kernel.op_type, specs, outputs, attributes)
    budget.check(f"{where}: its outputs", sum(nbytes_of(spec) or 0 for spec in outputs) + work.nbytes)
    budget.check_work(where, work.terms)
    return by_shapes


def _outputs(
    kernel: ReferenceKernel, specs: Sequence[ArraySpec | None], attributes: Mapping[str, Any]
) -> tuple[ArraySpec, ...]:
    try:
        return as_tuple(kernel.infer(*specs, **attributes))
    except (KernelInputError, TypeError):
        return ()  # the kernel itself says what does not fit
