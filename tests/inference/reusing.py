"""A delegate whose graph kernels write every result into the same array, and models for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite_delegate import Context, DelegateModel, Kernel, Model, Tensor
from lite_delegate.ir import Graph
from lite_delegate.testing.delegates import NamedDelegate

STEP = 100
"""What a graph kernel adds, so that a result shows who computed it."""


class Reusing(Kernel):
    """y = x + STEP, always in the same array."""

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], delegate: ReusingDelegate):
        super().__init__(name, "Reusing", inputs, outputs)
        self.delegate = delegate
        self.result: np.ndarray | None = None

    def execute(self) -> None:
        x = self.inputs[0].data
        if self.delegate.fails:
            raise OSError("no device today")
        if self.result is None or self.result.shape != x.shape:
            self.result = np.empty_like(x)
        np.add(x, np.float32(STEP), out=self.result)
        self.outputs[0].data = self.result

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        self.delegate.forks += 1
        return Reusing(self.name, inputs, outputs, self.delegate) if self.delegate.can_fork else None


class ReusingDelegate(NamedDelegate):
    """Makes them."""

    def __init__(self, names: Sequence[str] | None = None, *, can_fork: bool = True) -> None:
        super().__init__(names)
        self.can_fork = can_fork
        self.forks = 0
        self.fails = False

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        inputs = [t for t in boundary.inputs if not t.is_const]
        return Reusing(f"Reusing{sum(k.type == 'Reusing' for k in model)}", inputs, boundary.outputs, self)


def built(graph: Graph, delegate: ReusingDelegate, on_delegate_error: str = "raise") -> Model:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.on_delegate_error = on_delegate_error
    model.build_from_graph(graph, context)
    return model
