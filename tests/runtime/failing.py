"""Delegates whose device fails on demand, and what the tests of failing ask of models."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np

from lite_delegate import Context, Delegate, DelegateModel, DelegateWarning, Kernel, Model, Tensor
from lite_delegate.ir import Graph
from lite_delegate.testing.delegates import NamedDelegate

MARK = 1000
"""What the device adds to every output, so that a result shows who computed it."""

Behavior = Callable[["FailingKernel", int], None]
"""What a graph kernel does in its n-th call, counted from 1 over all its forks: raise something, or give outputs."""


def raising(error: Exception, *calls: int) -> Behavior:
    """A device that fails in these calls, in all without any, and works in the others."""

    def behave(kernel: FailingKernel, number: int) -> None:
        if not calls or number in calls:
            raise error
        kernel.compute()

    return behave


class FailingKernel(Kernel):
    """Computes y = x + MARK for each output, or fails as its delegate says."""

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], delegate: Failing) -> None:
        super().__init__(name, "Failing", inputs, outputs)
        self.delegate = delegate

    def compute(self) -> None:
        for tensor in self.outputs:
            tensor.data = (self.inputs[0].data + MARK).astype(self.inputs[0].data.dtype)

    def execute(self) -> None:
        self.delegate.behave(self, self.delegate.count(self.name))

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        return FailingKernel(self.name, inputs, outputs, self.delegate) if self.delegate.forks else None


class Failing(NamedDelegate):
    """Claims by name (None: all); its graph kernels do what ``behave`` says."""

    name = "failing"

    def __init__(self, behave: Behavior, names: Sequence[str] | None = None, *, forks: bool = True) -> None:
        super().__init__(names)
        self.behave = behave
        self.forks = forks
        self.calls: Counter[str] = Counter()
        self.builds = 0
        self._lock = Lock()

    def count(self, name: str) -> int:
        with self._lock:
            self.calls[name] += 1
            return self.calls[name]

    def build(self, model: DelegateModel) -> None:
        self.builds += 1
        super().build(model)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        number = sum(kernel.type == "Failing" for kernel in model)
        return FailingKernel(f"Failing{number}", boundary.inputs, boundary.outputs, self)


def built(graph: Graph, delegate: Delegate | None, on_delegate_error: str = "fallback") -> Model:
    context = Context()
    context.set_delegate(delegate)
    context.on_delegate_error = on_delegate_error
    model = Model()
    model.build_from_graph(graph, context)
    return model


def run(model: Model, **arrays: np.ndarray) -> tuple[list[np.ndarray], list[str]]:
    """The outputs of a prediction, and the warnings it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outputs = model.predict(arrays)
    assert all(w.category is DelegateWarning for w in caught)
    return [t.get_data_to_numpy() for t in outputs], [str(w.message) for w in caught]
