"""A model of additions of one, run on a delegate in a process of its own."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from lite_delegate import Context, DataType, Delegate, Model
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.isolated import IsolatedDelegate, Isolation

COUNT = 1
QUICK = Isolation(restarts=12)


def chain(count: int = COUNT, shape: tuple[int, ...] = (4,)) -> Graph:
    """y = x + 1 + 1 ... with a neighbor that no delegate of these tests takes."""
    x = Value("x", DataType.FLOAT32, shape)
    one = constant("one", np.ones(1, np.float32))
    last, nodes = x, []
    for i in range(count):
        y = Value(f"y{i}", DataType.FLOAT32, shape)
        nodes.append(Node(f"add{i}", make_primitive("AddFusion"), [last, one], [y]))
        last = y
    z = Value("z", DataType.FLOAT32, shape)
    nodes.append(Node("abs", make_primitive("Abs"), [last], [z]))
    return Graph("chain", [x], [z], nodes)


def absolutes() -> Graph:
    """y = | |x| |."""
    x, y, z = (Value(name, DataType.FLOAT32, (4,)) for name in "xyz")
    nodes = [Node(f"abs_{b.name}", make_primitive("Abs"), [a], [b]) for a, b in ((x, y), (y, z))]
    return Graph("absolutes", [x], [z], nodes)


class Seen:
    """What a user sees of a model on a delegate in a process of its own.

    Attributes:
        delegate: the delegate.
        said: all warnings, notes and reasons, one a line.
        results: the results of two predictions.
        on_device: how many kernels are on the device.
        layers: the layers that a profile tells of.
    """

    def __init__(
        self,
        of: str | Callable[[], Delegate | None],
        isolation: Isolation = QUICK,
        count: int = COUNT,
    ) -> None:
        lines: list[str] = []
        self._count = count
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            self.delegate = IsolatedDelegate(of, isolation=isolation)
            names = [spec.name for spec in self.delegate.properties()]
            lines.append(" ".join(names))
            context, model = Context(), Model()
            context.set_delegate(self.delegate)
            context.on_delegate_error = "fallback"
            context.cache = None
            model.build_from_graph(chain(count), context)
            x = np.arange(4, dtype=np.float32)
            self.results = [model.predict({"x": x})[0].get_data_to_numpy().copy() for _ in range(2)]
            partition = model.get_partition()
            self.on_device = sum(node.device == self.delegate.name for node in partition.nodes)
            lines += partition.notes
            lines += [node.reason for node in partition.nodes]
            lines += [f"{subgraph.error}" for subgraph in partition.subgraphs]
            model.close()
        lines += [str(each.message) for each in given]
        self.said = "\n".join(line for line in lines if line)

    @property
    def is_right(self) -> bool:
        """Whether both results are as the model says."""
        return all(np.array_equal(result, np.arange(4) + self._count) for result in self.results)
