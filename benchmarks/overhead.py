"""Host overhead per kernel: chains of 200 tiny kernels against calls of the same functions in a bare loop.

1. CPU kernels: x + 1 on one element, two hundred times.
2. Graph kernels: a delegate that makes a graph kernel of every node, which calls one function.

Run: python benchmarks/overhead.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

from lite_delegate import Context, DataType, Delegate, DelegateModel, Kernel, Model, Supported, SupportResult, Tensor
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
        """The same for other tensors."""
        return Adding(self.name, self.type, inputs, outputs)


class Trivial(Delegate):
    """Makes a graph kernel of each node."""

    name = "trivial"

    def supports(self, kernel: Kernel) -> SupportResult:
        """Everything."""
        return Supported()

    def build(self, model: DelegateModel) -> None:
        """One graph kernel per node, in place of the runs that were planned."""
        for node in list(model):
            boundary = model.boundary_of([node])
            inputs = [t for t in boundary.inputs if not t.is_const]
            model.replace(*model.span([node]), Adding(f"G{node.name}", "Adding", inputs, boundary.outputs))


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


def main() -> None:
    """Prints what a kernel takes either way, and the difference to the bare calls."""
    x = np.zeros(1, np.float32)
    print(f"{'numpy alone':16}{microseconds_per_kernel(bare):8.3f} us per kernel")
    for title, delegate in (("CPU kernels", None), ("graph kernels", Trivial())):
        model, context = Model(), Context()
        context.set_delegate(delegate)
        model.build_from_graph(chain(), context)
        assert len(model.get_graph_kernels()) == (KERNELS if delegate else 0)
        model.predict({"x": x})
        runtime = microseconds_per_kernel(lambda model=model: model.predict({"x": x}))  # type: ignore[misc]
        print(f"{title:16}{runtime:8.3f} us, overhead {runtime - microseconds_per_kernel(bare):6.3f} us per kernel")


if __name__ == "__main__":
    main()
