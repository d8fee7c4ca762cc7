"""Host overhead per kernel: a chain of 1,000 tiny additions against the same numpy calls in a bare loop.

Run: python benchmarks/overhead.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from lite_delegate import DataType, Model
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive

KERNELS = 1000
ROUNDS = 30


def chain() -> Graph:
    """x -> +1 -> +1 -> ... on one element."""
    x = Value("x", DataType.FLOAT32, (1,))
    one = constant("one", np.ones(1, np.float32))
    last, nodes = x, []
    for i in range(KERNELS):
        y = Value(f"y{i}", DataType.FLOAT32, (1,))
        nodes.append(Node(f"add{i}", make_primitive("AddFusion"), [last, one], [y]))
        last = y
    return Graph("chain", [x], [last], nodes)


def microseconds_per_kernel(work: Callable[[], object]) -> float:
    """Median over the rounds, divided by the number of kernels."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times) / KERNELS * 1e6


def main() -> None:
    """Prints both, and the difference."""
    model = Model()
    model.build_from_graph(chain())
    x, one = np.zeros(1, np.float32), np.ones(1, np.float32)

    def bare() -> None:
        y = x
        for _ in range(KERNELS):
            y = np.add(y, one)

    model.predict({"x": x})
    through_runtime = microseconds_per_kernel(lambda: model.predict({"x": x}))
    through_numpy = microseconds_per_kernel(bare)
    print(f"runtime   {through_runtime:6.3f} us per kernel")
    print(f"numpy     {through_numpy:6.3f} us per kernel")
    print(f"overhead  {through_runtime - through_numpy:6.3f} us per kernel")


if __name__ == "__main__":
    main()
