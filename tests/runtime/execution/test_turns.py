"""Graph kernels that cannot be forked take turns, and so do all that are bound to the same tensors."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

import numpy as np

from lite_delegate import Context, Delegate, DelegateModel, Kernel, Model, Supported
from lite_delegate.ir import Graph
from lite_delegate.runtime.execution.fallback import turns_of
from lite_delegate.tensors.tensor import Tensor
from tests.runtime.graphs import unary, value

PATIENCE = 0.5
"""Seconds that a kernel waits for what must not happen meanwhile."""


class First(Kernel):
    """Gives its input, and tells when it runs for the second time."""

    def __init__(self, *given: object, again: Event) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.again, self.runs, self._lock = again, 0, Lock()

    def execute(self) -> None:
        with self._lock:
            self.runs += 1
        if self.runs > 1:
            self.again.set()
        self.outputs[0].data = self.inputs[0].data.copy()


class Second(Kernel):
    """Gives what its input is after a while, in which the first one must not run."""

    def __init__(self, *given: object, again: Event) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.again = again

    def execute(self) -> None:
        self.again.wait(PATIENCE)
        self.outputs[0].data = self.inputs[0].data.copy()


class Planted(Delegate):
    """A graph kernel for each node; none can be forked."""

    name = "planted"

    def __init__(self) -> None:
        self.again = Event()

    def supports(self, kernel: Kernel) -> Supported:
        return Supported()

    def build(self, model: DelegateModel) -> None:
        for kind, node in zip((First, Second), list(model), strict=True):
            boundary = model.boundary_of([node])
            made = kind(node.name, "Planted", boundary.inputs, boundary.outputs, again=self.again)
            model.replace(*model.span([node]), made)


def _predicted(graph: Graph) -> list[list[np.ndarray]]:
    """Two predictions of different numbers at once."""
    context, model = Context(), Model()
    context.set_delegate(Planted())
    model.build_from_graph(graph, context)

    def predict(number: int) -> list[np.ndarray]:
        outputs = model.predict({"x": np.full((2, 3), number, np.float32)})
        return [output.get_data_to_numpy() for output in outputs]

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(predict, (1, 2)))


def test_two_graph_kernels_that_read_one_tensor() -> None:
    x = value("x")
    first, second = unary("first", x), unary("second", x)
    graph = Graph("main", [x], [*first.outputs, *second.outputs], [first, second])
    for number, outputs in enumerate(_predicted(graph), start=1):
        for output in outputs:
            np.testing.assert_array_equal(output, np.full((2, 3), number))


def test_one_graph_kernel_reads_what_another_one_gives() -> None:
    first = unary("first", value("x"))
    second = unary("second", first.outputs[0])
    graph = Graph("main", list(first.inputs)[:1], list(second.outputs), [first, second])  # type: ignore[arg-type]
    for number, (output,) in enumerate(_predicted(graph), start=1):
        np.testing.assert_array_equal(output, np.full((2, 3), number))


def test_turns_are_shared_by_what_tensors_connect_and_by_nothing_else() -> None:
    a, b, c, d, e = (Tensor(np.zeros(1, np.float32)) for _ in range(5))

    class Any(Kernel):
        def execute(self) -> None:
            raise AssertionError

    def kernel(inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Any:
        return Any("k", "Any", list(inputs), list(outputs))

    reads_a, reads_b, joins, apart = kernel([a], [c]), kernel([b], []), kernel([c], [b]), kernel([d], [e])
    turns = turns_of([reads_a, reads_b, apart, joins])
    assert turns[reads_a] is turns[reads_b] is turns[joins]
    assert turns[apart] is not turns[joins]
