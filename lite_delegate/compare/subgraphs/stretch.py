"""Stretches of a subgraph's kernels by themselves, on the reference kernels or on the delegate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.failures import said
from ...basics.unforeseen import FAILURES
from ...delegate import Boundary, Delegate, Kernel
from ...delegate.calls import calls
from ...delegate.model import view_of
from ...errors import DelegateBuildError
from ...runtime.binding.bind import BoundGraph
from ...runtime.binding.node_kernel import NodeKernel
from ...runtime.drafting.draft import GraphDraft
from ...runtime.execution.fallback import Fallback
from ...runtime.execution.graph_call import graph_call
from ...runtime.execution.plan import Step, StepFunction, plan_graph
from ...runtime.execution.steps import BoundSteps
from ...runtime.planning.claims.trial import DelegateTrial
from ...tensors.tensor import Tensor

Wrap = Callable[[Kernel, StepFunction], StepFunction]
"""Gives the function that runs in place of a kernel's own function."""


class KernelStretch:
    """Kernels that run one after another over buffers of their own.

    Args:
        kernels: of nodes, or graph kernels, in an executable order.
        inputs: what varies and they read.
        outputs: what of their results is wanted.
        wrap: what becomes of the function of a node's kernel; None: it stays.
    """

    def __init__(
        self, kernels: Sequence[Kernel], inputs: Sequence[Tensor], outputs: Sequence[Tensor], wrap: Wrap | None = None
    ) -> None:
        graph = BoundGraph(0, "", tuple(inputs), tuple(outputs), (), {}, {})
        self._plan = plan_graph(graph, kernels)
        steps = [step for segment in self._plan.segments for step in segment.steps]
        self._steps = BoundSteps(steps, [_function(step, wrap) for step in steps])
        self._graph_kernels = [step.kernel for step in steps if step.function is None]

    def run(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """The outputs for the inputs.

        Raises:
            KernelError: a CPU kernel failed.
            DelegateExecuteError: a graph kernel failed.
        """
        buffers: list[Any] = list(self._plan.template)
        for slot, array in zip(self._plan.input_slots, arrays, strict=True):
            buffers[slot] = array
        with np.errstate(all="ignore"):
            self._steps.run(buffers)
        return tuple(np.asanyarray(buffers[slot]) for slot in self._plan.output_slots)

    def release(self) -> None:
        """Gives back the resources of the graph kernels; the stretch cannot run any more."""
        for kernel in self._graph_kernels:
            kernel.release()


def _function(step: Step, wrap: Wrap | None) -> StepFunction:
    if step.function is None:
        # tensors have shapes of any run
        return graph_call(step.kernel, Fallback(step.kernel, None), repeats=True, any_shape=True)
    return step.function if wrap is None else wrap(step.kernel, step.function)


def stretch_on_delegate(
    delegate: Delegate,
    nodes: Sequence[NodeKernel],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    trial: DelegateTrial | None = None,
) -> KernelStretch:
    """The nodes as a model of their own that the delegate has built.

    Args:
        delegate: builds it.
        nodes: one after another.
        inputs: what varies and they read.
        outputs: what of their results is wanted.
        trial: tries it in another process first; None: nothing does.

    Raises:
        DelegateBuildError: the delegate does not take them all when they come by themselves; the message says why.
    """
    ended = None if trial is None else trial.error(nodes, Boundary(tuple(inputs), tuple(outputs), ()))
    if ended is not None:
        raise DelegateBuildError(f"delegate '{delegate.name}' cannot build it by itself: {ended}")
    model = GraphDraft(nodes, inputs, outputs, [range(len(nodes))])
    try:
        calls.build(delegate, view_of(model))
        for kernel in model.replaced:
            calls.prepare(kernel, kernel.prepare)
    except FAILURES as e:  # a delegate's own code may raise anything
        _release(model)
        raise DelegateBuildError(f"delegate '{delegate.name}' cannot build it by itself: {said(e)}") from e
    left = [kernel for kernel in model if kernel not in model.replaced]
    if left:
        _release(model)
        reason = model.failures.get(left[0], "it states no reason")
        raise DelegateBuildError(f"delegate '{delegate.name}' does not take '{left[0].name}' by itself: {reason}")
    return KernelStretch(list(model), inputs, outputs)


def _release(model: GraphDraft) -> None:
    for kernel in model.replaced:
        kernel.release()
