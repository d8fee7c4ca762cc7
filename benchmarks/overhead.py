"""Host overhead per kernel: chains of 200 tiny kernels against calls of the same functions in a bare loop.

1. CPU kernels: x + 1 on one element, two hundred times, against numpy's own function.
2. Graph kernels: a delegate that makes a graph kernel of every node, against numpy's function, and against the graph
   kernels' ``execute`` on tensors that are bound once: the difference to that is the runtime's.
3. Bound graph kernels: the same with ``bind``, against the functions that it gave.

Run: python benchmarks/overhead.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from lite_delegate import (
    BoundKernel,
    Context,
    DataType,
    Delegate,
    DelegateModel,
    Kernel,
    Model,
    Supported,
    SupportResult,
    Tensor,
)
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive

KERNELS = 200
ROUNDS = 200
ONE = np.ones(1, np.float32)


class Adding(Kernel):
    """A graph kernel that adds one, and does nothing else."""

    gives_new_arrays = True

    def execute(self) -> None:
        """y = x + 1."""
        self.outputs[0].data = np.add(self.inputs[0].data, ONE)

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        """A graph kernel of the same kind for other tensors."""
        return Adding(self.name, self.type, inputs, outputs)


class AddingArrays(BoundKernel):
    """``Adding`` over arrays that it is bound to."""

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], object]:
        """y = x + 1."""
        return partial(np.add, inputs[0], ONE, outputs[0])

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        """A graph kernel of the same kind for other tensors."""
        return AddingArrays(self.name, self.type, inputs, outputs)


class Trivial(Delegate):
    """Makes a graph kernel of each node.

    Args:
        kernel: what kind of one.
    """

    name = "trivial"

    def __init__(self, kernel: type[Kernel] = Adding) -> None:
        self._kernel = kernel

    def supports(self, kernel: Kernel) -> SupportResult:
        """Everything."""
        return Supported()

    def build(self, model: DelegateModel) -> None:
        """One graph kernel per node, in place of the runs that were planned."""
        for node in list(model):
            boundary = model.boundary_of([node])
            inputs = [t for t in boundary.inputs if not t.is_const]
            model.replace(*model.span([node]), self._kernel(f"G{node.name}", "Adding", inputs, boundary.outputs))


def chain() -> Graph:
    """x -> +1 -> +1 -> ... on one element."""
    x = Value("x", DataType.FLOAT32, (1,))
    one = constant("one", ONE)
    last, nodes = x, []
    for i in range(KERNELS):
        y = Value(f"y{i}", DataType.FLOAT32, (1,))
        nodes.append(Node(f"add{i}", make_primitive("AddFusion"), [last, one], [y]))
        last = y
    return Graph("chain", [x], [last], nodes)


def microseconds_per_kernel(work: Callable[[], object]) -> float:
    """Median over the rounds, divided by the number of kernels; what other processes take meanwhile does not count."""
    times = []
    for _ in range(ROUNDS):
        started = time.thread_time()
        work()
        times.append(time.thread_time() - started)
    return statistics.median(times) / KERNELS * 1e6


def bare() -> None:
    """The calls alone."""
    y = np.zeros(1, np.float32)
    for _ in range(KERNELS):
        y = np.add(y, ONE)


def bare_execute() -> Callable[[], object]:
    """The ``execute`` of graph kernels alone, each on what the one before it gave."""
    tensors = [Tensor(shape=[1]) for _ in range(KERNELS + 1)]
    kernels = [Adding(f"k{i}", "Adding", [tensors[i]], [tensors[i + 1]]) for i in range(KERNELS)]

    def work() -> None:
        for kernel in kernels:
            kernel.execute()

    return work


def bare_bound() -> Callable[[], object]:
    """The functions that ``bind`` gives, for graph kernels of which each reads the output of the one before it."""
    arrays = [np.zeros(1, np.float32) for _ in range(KERNELS + 1)]
    tensors = [Tensor(shape=[1]) for _ in arrays]
    pairs = range(KERNELS)
    kernels = [AddingArrays(f"k{i}", "Adding", [tensors[i]], [tensors[i + 1]]) for i in pairs]
    runs = [kernels[i].bind([arrays[i]], [arrays[i + 1]]) for i in pairs]

    def work() -> None:
        for run in runs:
            run()

    return work


def predictions(delegate: Delegate | None) -> Callable[[], object]:
    """Predictions of the chain; each node is a graph kernel where there is a delegate."""
    model, context, x = Model(), Context(), np.zeros(1, np.float32)
    context.set_delegate(delegate)
    model.build_from_graph(chain(), context)
    assert len(model.get_graph_kernels()) == (KERNELS if delegate else 0)
    return lambda: model.predict({"x": x})


def main() -> None:
    """Prints what a kernel takes each way, and the differences."""
    numpy, execute = microseconds_per_kernel(bare), microseconds_per_kernel(bare_execute())
    cpu, graph = microseconds_per_kernel(predictions(None)), microseconds_per_kernel(predictions(Trivial()))
    print(f"numpy alone           {numpy:6.3f} us per kernel")
    print(f"execute alone         {execute:6.3f} us")
    print(f"CPU kernels           {cpu:6.3f} us, {cpu - numpy:6.3f} us over numpy")
    print(f"graph kernels         {graph:6.3f} us, {graph - numpy:6.3f} us over numpy")
    print(f"                                 {graph - execute:6.3f} us over execute")
    alone, bound = microseconds_per_kernel(bare_bound()), microseconds_per_kernel(predictions(Trivial(AddingArrays)))
    print(f"bound graph kernels   {bound:6.3f} us, {bound - alone:6.3f} us over what bind gave")


if __name__ == "__main__":
    main()
