"""A delegate whose graph kernels wait where a test wants them to, and models for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from lite_delegate import Context, DelegateModel, Kernel, Model, Tensor, cancel_point
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain

LONG = 30.0
"""Seconds after which a test that waits has failed."""
X = np.zeros((2, 3), np.float32)
STEP = 100


class Gate:
    """Where runs wait: each that comes is counted, and goes on once the gate is open, or when it looks and may end.

    Args:
        looks: whether a waiting run looks whether it was cancelled.
        on_enter: called by each run that comes.
    """

    def __init__(self, *, looks: bool = True, on_enter: Callable[[], object] = lambda: None) -> None:
        self.looks = looks
        self.on_enter = on_enter
        self.entered = threading.Semaphore(0)
        self.opened = threading.Event()
        self.inside = self.most = 0
        self._lock = threading.Lock()

    def wait_for_a_run(self) -> None:
        assert self.entered.acquire(timeout=LONG)

    def open(self) -> None:
        self.opened.set()

    def pass_through(self) -> None:
        with self._lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        try:
            self.on_enter()
            self.entered.release()
            while not self.opened.wait(0.001 if self.looks else LONG):
                cancel_point()
        finally:
            with self._lock:
                self.inside -= 1


class Holding(Kernel):
    """y = x + STEP, behind a gate."""

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], gate: Gate) -> None:
        super().__init__(name, "Holding", inputs, outputs)
        self.gate = gate

    def execute(self) -> None:
        x = self.inputs[0].data
        self.gate.pass_through()
        self.outputs[0].data = x + np.float32(STEP)

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return Holding(self.name, inputs, outputs, self.gate)


class HoldingDelegate(NamedDelegate):
    """Makes them of the nodes that it is told."""

    def __init__(self, gate: Gate, names: Sequence[str] | None = None) -> None:
        super().__init__(names)
        self.gate = gate

    def optimal_requests(self) -> int:
        return 3

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        inputs = [t for t in boundary.inputs if not t.is_const]
        return Holding(f"Holding{sum(k.type == 'Holding' for k in model)}", inputs, boundary.outputs, self.gate)


def held(gate: Gate, length: int = 1, names: Sequence[str] | None = ("n0",)) -> Model:
    """x -> n0, which waits at the gate -> n1 -> ... on the CPU, each adding its number plus 1."""
    context, model = Context(), Model()
    context.set_delegate(HoldingDelegate(gate, names))
    model.build_from_graph(chain(length), context)
    return model


def open_gate() -> Gate:
    gate = Gate()
    gate.open()
    return gate
