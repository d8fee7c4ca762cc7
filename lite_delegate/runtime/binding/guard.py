"""The guard that asks the budget before a node runs, where only the node's inputs tell how large its outputs are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lite_delegate_kernels import ArraySpec, KernelInputError, ReferenceKernel, as_tuple, spec_of

from ...basics.data_class import dataclass
from ..budget import Budget, nbytes_of, work_of

_Function = Callable[..., Any]
_Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Asking:
    """The question that a node's kernel puts to the budget before it runs.

    Attributes:
        where: the node, for messages.
        budget: is asked; it raises LimitError.
        computed: positions of inputs that other nodes give, which lie in memory beside the outputs. Constants are the
            model's, and do not count.
    """

    where: str
    budget: Budget
    computed: tuple[int, ...]


def guarded(function: _Function, kernel: ReferenceKernel, attributes: Mapping[str, Any], asking: Asking) -> _Function:
    """The function of a node, which asks the budget for its outputs before it runs.

    Inputs of the shapes of the time before are not looked at again, as long as shapes alone say how large outputs are.

    Args:
        function: over arrays.
        kernel: infers the outputs.
        attributes: of the node.
        asking: whom the budget is asked for.
    """
    asked: _Key = ()

    def run(*arrays: Any) -> Any:
        nonlocal asked
        key = tuple(None if a is None else (a.shape, a.dtype) for a in arrays)
        if key != asked and _ask(arrays, kernel, attributes, asking):
            asked = key
        return function(*arrays)

    return run


def _ask(arrays: Sequence[Any], kernel: ReferenceKernel, attributes: Mapping[str, Any], asking: Asking) -> bool:
    """Asks the budget for a kernel's memory and work; True if shapes alone determined the outputs."""
    specs = [None if a is None else ArraySpec(a.dtype, a.shape) for a in arrays]
    outputs = _outputs(kernel, specs, attributes)
    by_shapes = all(spec.known for spec in outputs)
    if not by_shapes:
        outputs = _outputs(kernel, [None if a is None else spec_of(a) for a in arrays], attributes)
    work = work_of(kernel.op_type, specs, outputs, attributes)
    nbytes = sum(nbytes_of(spec) or 0 for spec in outputs) + work.nbytes
    there = sum(arrays[i].nbytes for i in asking.computed if i < len(arrays) and arrays[i] is not None)
    # The outputs by themselves first: their size alone may be the fault.
    asking.budget.check(f"{asking.where}: its outputs", nbytes)
    asking.budget.check_held(f"{asking.where}: its inputs and outputs", there, nbytes)
    asking.budget.check_work(asking.where, work.terms)
    return by_shapes


def _outputs(
    kernel: ReferenceKernel, specs: Sequence[ArraySpec | None], attributes: Mapping[str, Any]
) -> tuple[ArraySpec, ...]:
    try:
        return as_tuple(kernel.infer(*specs, **attributes))
    except (KernelInputError, TypeError):
        return ()  # the kernel itself says what does not fit
