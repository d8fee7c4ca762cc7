"""The overhead of a delegate in a process of its own, for each run of a graph kernel.

In turns: the addition alone, a prediction with the same graph kernel in this process and in a process of its own, and
an exchange of two bare processes that do nothing else: the input is copied into shared memory, a byte wakes the other
process, which adds over the shared memory and sends a byte, and the output is copied out. The overhead is what the
isolated prediction takes beyond the bare exchange and beyond what the framework takes for a prediction here.

Run: python benchmarks/isolation.py
"""

from __future__ import annotations

import mmap
import os
import socket
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
from tabulate import tabulate

from lite_delegate import BoundKernel, Context, DataType, Delegate, DelegateModel, Kernel, Model, Supported, Tensor
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.isolated import IsolatedDelegate

ROUNDS = 20
CALLS = 200
SIZES = (1, 1 << 10, 1 << 18)
"""Elements of float32 of the input, and of the output."""


class AddingKernel(BoundKernel):
    """y = x + 1."""

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], object]:
        """The addition over these arrays."""
        return partial(np.add, inputs[0], np.float32(1), outputs[0])

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        """A graph kernel of the same kind for other tensors."""
        return AddingKernel(self.name, self.type, inputs, outputs)


class AddingDelegate(Delegate):
    """Takes everything."""

    name = "adding"

    def supports(self, kernel: Kernel) -> Supported:
        """Yes."""
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """An addition."""
        boundary = model.boundary_of(run)
        return AddingKernel("G", "Adding", [t for t in boundary.inputs if not t.is_const], boundary.outputs)


def prediction(delegate: Delegate, size: int) -> Callable[[], object]:
    """A prediction of y = x + 1 on a delegate."""
    x, y = (Value(name, DataType.FLOAT32, (size,)) for name in "xy")
    node = Node("add", make_primitive("AddFusion"), [x, constant("one", np.ones(1, np.float32))], [y])
    model, context, array = Model(), Context(), np.zeros(size, np.float32)
    context.set_delegate(delegate)
    context.strict = True
    model.build_from_graph(Graph("one", [x], [y], [node]), context)
    (result,) = model.predict({"x": array})
    assert (result.get_data_to_numpy() == 1).all()
    return lambda: model.predict({"x": array})


@contextmanager
def exchange(size: int) -> Iterator[Callable[[], object]]:
    """An addition by another process, which has the input and the output in shared memory."""
    shared = mmap.mmap(-1, 8 * size)  # of both processes after the fork
    there, back = np.frombuffer(shared, np.float32).reshape(2, size)
    mine, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        try:
            mine.close()
            while theirs.recv(1):
                np.add(there, np.float32(1), back)
                theirs.send(b"r")
        finally:
            os._exit(0)
    theirs.close()
    source, result = np.zeros(size, np.float32), np.zeros(size, np.float32)

    def call() -> None:
        np.copyto(there, source)
        mine.send(b"r")
        mine.recv(1)
        np.copyto(result, back)

    try:
        yield call
        assert (result == 1).all()
    finally:
        mine.close()
        os.waitpid(child, 0)


def addition(size: int) -> Callable[[], object]:
    """The addition alone."""
    source, result = np.zeros(size, np.float32), np.zeros(size, np.float32)
    return lambda: np.add(source, np.float32(1), result)


def microseconds(calls: Sequence[Callable[[], object]]) -> list[float]:
    """The median time of each call, measured in turns."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, mine in zip(calls, times, strict=True):
            for _ in range(CALLS):
                started = time.perf_counter()
                call()
                mine.append(time.perf_counter() - started)
    return [statistics.median(each) * 1e6 for each in times]


def main() -> None:
    """Prints a row for each size."""
    rows = []
    isolated = IsolatedDelegate(AddingDelegate)
    for size in SIZES:
        with exchange(size) as bare:
            calls = [addition(size), bare, prediction(AddingDelegate(), size), prediction(isolated, size)]
            add, exchanged, here, there = microseconds(calls)
        rows.append([4 * size, add, exchanged, here, there, there - exchanged - (here - add)])
    print("us per run")
    print(tabulate(rows, ["bytes", "addition", "bare exchange", "here", "isolated", "overhead"], floatfmt=".1f"))


if __name__ == "__main__":
    main()
