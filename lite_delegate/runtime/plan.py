"""ExecutionPlan: everything that is decided before a model runs. Immutable, shared by all runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from lite_delegate_kernels import Array

from ..delegate import Kernel
from ..tensor import Tensor
from .node_kernel import NodeKernel
from .records import PartitionRecord

NO_SLOT = 0
"""The slot that always holds None: what an absent optional input reads."""

StepFunction = Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One kernel of the plan, bound to buffer slots.

    Attributes:
        kernel: what runs.
        reads: the slots of its arguments, in order.
        writes: the slots of its results, in order.
        frees: the slots that nothing reads after this step.
        function: for a CPU kernel, the function over arrays; None for a graph kernel.
        lock: for a graph kernel, taken by runs that could not fork it.
    """

    kernel: Kernel
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    frees: tuple[int, ...]
    function: StepFunction | None
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True, eq=False)
class ExecutionPlan:
    """Steps in execution order over numbered buffer slots.

    Attributes:
        inputs: the model's inputs: names, dtypes and shapes; -1 where a dimension is open.
        outputs: the model's outputs.
        steps: in execution order.
        template: the initial buffers: constants in their slots, None elsewhere.
        input_slots: where the inputs go.
        output_slots: where the outputs come from.
        record: the partition, for reports.
        graph_kernels: for each inserted graph kernel, the names of the nodes it stands for.
    """

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    steps: tuple[Step, ...]
    template: tuple[Array | None, ...]
    input_slots: tuple[int, ...]
    output_slots: tuple[int, ...]
    record: PartitionRecord
    graph_kernels: Mapping[Kernel, tuple[str, ...]]


def make_plan(
    kernels: Sequence[Kernel],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    record: PartitionRecord,
    graph_kernels: Mapping[Kernel, tuple[str, ...]],
) -> ExecutionPlan:
    """Binds kernels, in their order, to buffer slots and works out when each buffer can be freed."""
    slots = _number(inputs, kernels, outputs)
    template: list[Array | None] = [None] * (len(slots) + 1)
    for tensor, slot in slots.items():
        if tensor.is_const:
            template[slot] = tensor.data
    kept = {slots[t] for t in outputs} | {slots[t] for t in slots if t.is_const} | {NO_SLOT}
    return ExecutionPlan(
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        steps=_steps(kernels, slots, kept),
        template=tuple(template),
        input_slots=tuple(slots[t] for t in inputs),
        output_slots=tuple(slots[t] for t in outputs),
        record=record,
        graph_kernels=graph_kernels,
    )


def _number(inputs: Iterable[Tensor], kernels: Iterable[Kernel], outputs: Iterable[Tensor]) -> dict[Tensor, int]:
    tensors = dict.fromkeys(inputs)
    for kernel in kernels:
        tensors.update(dict.fromkeys((*kernel.inputs, *kernel.outputs)))
    tensors.update(dict.fromkeys(outputs))
    return {tensor: i for i, tensor in enumerate(tensors, NO_SLOT + 1)}


def _steps(kernels: Sequence[Kernel], slots: Mapping[Tensor, int], kept: set[int]) -> tuple[Step, ...]:
    steps: list[Step] = []
    later = set(kept)
    for kernel in reversed(kernels):
        reads = _reads(kernel, slots)
        writes = tuple(slots[t] for t in kernel.outputs)
        frees = tuple(dict.fromkeys(s for s in (*reads, *writes) if s not in later))
        later.update(reads)
        function = kernel.function if isinstance(kernel, NodeKernel) else None
        steps.append(Step(kernel, reads, writes, frees, function))
    return tuple(reversed(steps))


def _reads(kernel: Kernel, slots: Mapping[Tensor, int]) -> tuple[int, ...]:
    """A node kernel reads all its operands by position; a graph kernel is handed only what varies."""
    if isinstance(kernel, NodeKernel):
        return tuple(NO_SLOT if t is None else slots[t] for t in kernel.operands)
    return tuple(slots[t] for t in kernel.inputs if not t.is_const)
