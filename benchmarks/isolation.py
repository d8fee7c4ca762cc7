"""The overhead of a delegate in a process of its own, for each run of a graph kernel, beside the copies of its arrays.

In turns: a byte there and back between two bare processes, the same graph kernel in this process and in a process of
its own, and a copy of as many bytes as the arrays have, there and back.

Run: python benchmarks/isolation.py
"""

from __future__ import annotations

import os
import socket
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np

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
def echo() -> Iterator[Callable[[], object]]:
    """A byte there and back between this process and another, which does nothing else."""
    mine, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        try:
            mine.close()
            while byte := theirs.recv(1):
                theirs.send(byte)
        finally:
            os._exit(0)
    theirs.close()
    try:
        yield lambda: (mine.send(b"r"), mine.recv(1))
    finally:
        mine.close()
        os.waitpid(child, 0)


def copies(size: int) -> Callable[[], object]:
    """A copy of the input, and one of the output."""
    one, other = np.zeros(size, np.float32), np.zeros(size, np.float32)

    def copy() -> None:
        np.copyto(one, other)
        np.copyto(other, one)

    return copy


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
    print("us per run; overhead: isolated less here less copies")
    print("   bytes  echo  copies    here  isolated  overhead  overhead less echo")
    print("--------  ----  ------  ------  --------  --------  ------------------")
    isolated = IsolatedDelegate(AddingDelegate)
    with echo() as byte:
        for size in SIZES:
            calls = [byte, copies(size), prediction(AddingDelegate(), size), prediction(isolated, size)]
            pair, copied, here, there = microseconds(calls)
            over = there - here - copied
            row = (
                f"{4 * size:8}  {pair:4.1f}  {copied:6.1f}  {here:6.1f}  {there:8.1f}  {over:8.1f}  {over - pair:18.1f}"
            )
            print(row)


if __name__ == "__main__":
    main()
