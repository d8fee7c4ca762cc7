"""The budget of a plan: a check that memory and time suffice, before any is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...binding.node_kernel import NodeKernel
from ...budget import Budget


def check_affordable(graphs: Sequence[BoundGraph], budget: Budget) -> None:
    """Checks the memory and steps of predictions with every kernel on the CPU: a tensor lives until its last reader is
    done.

    Only tensors of known shapes count: the budget is asked for tensors of open shapes when they are made
    (``binding.guard``). The memory of several graphs of a model is not added up.

    Raises:
        LimitError: the budget does not suffice; the message names the node that needs the most memory, with the amount,
            or a node that would take too long.
    """
    for graph in graphs:
        for kernel in graph.kernels:
            budget.check(f"{_where(graph, kernel)}: its outputs", _made(kernel))
            budget.check_work(_where(graph, kernel), kernel.work.terms)
        for tensor in graph.inputs:
            budget.check(f"Input '{tensor.name}' of shape {tensor.shape}", tensor.data_size)
        peak, kernel_at = _peak(graph)
        if kernel_at is not None:
            budget.check(f"{_where(graph, kernel_at)}: all tensors that are needed while it runs", peak)


def _peak(graph: BoundGraph) -> tuple[int, NodeKernel | None]:
    """The most bytes that are needed at once, and the kernel that runs then."""
    last = _last_readers(graph)
    live = {tensor: _size(tensor) for tensor in graph.inputs}
    peak: tuple[int, NodeKernel | None] = (0, None)
    held = sum(live.values())
    for position, kernel in enumerate(graph.kernels):
        needed = held + _made(kernel)
        if needed > peak[0]:
            peak = needed, kernel
        for tensor in kernel.outputs:
            live[tensor] = _size(tensor)
            held += live[tensor]
        for tensor in (*kernel.inputs, *kernel.outputs):
            if last.get(tensor, position) <= position:
                held -= live.pop(tensor, 0)
    return peak


def _last_readers(graph: BoundGraph) -> Mapping[Tensor, int]:
    """The position of the last kernel that reads each tensor; one behind all of them for outputs."""
    last = {t: position for position, kernel in enumerate(graph.kernels) for t in kernel.inputs}
    return last | dict.fromkeys(graph.outputs, len(graph.kernels))


def _made(kernel: NodeKernel) -> int:
    return sum(map(_size, kernel.outputs)) + kernel.work.nbytes


def _size(tensor: Tensor) -> int:
    return 0 if tensor.is_const else tensor.data_size


def _where(graph: BoundGraph, kernel: NodeKernel) -> str:
    inside = f"Graph '{graph.label}', node" if graph.label else "Node"
    return f"{inside} '{kernel.name}' ({kernel.type})"
