"""Small graphs and delegates that the runtime tests share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite_delegate import Boundary, DataType, Delegate, DelegateModel, Kernel, RejectCode, Rejected, Supported
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive

F32 = DataType.FLOAT32


def value(name: str, shape: tuple[int, ...] | None = (2, 3), dtype: DataType = F32) -> Value:
    return Value(name, dtype, shape)


def unary(name: str, x: Value, activation: str = "RELU", **attributes: object) -> Node:
    primitive = make_primitive("Activation", activation_type=activation, **attributes)
    return Node(name, primitive, [x], [value(f"{name}:0", x.shape)])


def binary(name: str, a: Value, b: Value, op: str = "AddFusion") -> Node:
    return Node(name, make_primitive(op), [a, b], [value(f"{name}:0", a.shape)])


def chain(length: int, shape: tuple[int, ...] = (2, 3)) -> Graph:
    """x -> n0 -> n1 -> ... each adding its number plus 1."""
    x = value("x", shape)
    nodes: list[Node] = []
    last = x
    for i in range(length):
        nodes.append(binary(f"n{i}", last, constant(f"c{i}", np.full((1,), i + 1, np.float32))))
        last = nodes[-1].outputs[0]
    return Graph("main", [x], [last], nodes)


class GroupKernel(Kernel):
    """A graph kernel that runs the kernels it stands for, one after another."""

    def __init__(self, name: str, boundary: Boundary, kernels: Sequence[Kernel]) -> None:
        super().__init__(name, "Group", boundary.inputs, boundary.outputs)
        self.kernels = tuple(kernels)
        self.prepared = 0

    def prepare(self) -> None:
        self.prepared += 1

    def execute(self) -> None:
        for kernel in self.kernels:
            kernel.execute()


class NamedDelegate(Delegate):
    """Claims the kernels whose names it is given (None: all), the short way."""

    name = "named"

    def __init__(self, names: Sequence[str] | None = None) -> None:
        self.names = names
        self.inits = 0
        self.made: list[GroupKernel] = []

    def init(self) -> None:
        self.inits += 1

    def supports(self, kernel: Kernel) -> Supported | Rejected | None:
        if self.names is None or kernel.name in self.names:
            return Supported()
        return Rejected(RejectCode.OPERATOR, f"'{kernel.name}' is not in the list")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = GroupKernel(f"Group{len(self.made)}", model.boundary_of(run), run)
        self.made.append(kernel)
        return kernel


class WalkingDelegate(NamedDelegate):
    """The same the original's way: walks the kernels, replaces runs, flushes the trailing one."""

    name = "walking"

    def supports(self, kernel: Kernel) -> Supported | Rejected | None:
        return None

    def build(self, model: DelegateModel) -> None:
        i, start = 0, None
        while i < len(model):
            primitive = model.primitive(model[i])
            claimed = primitive is not None and (self.names is None or model[i].name in self.names)
            if claimed and start is None:
                start = i
            elif not claimed and start is not None:
                i = self._flush(model, start, i)
                start = None
            i += 1
        if start is not None:
            self._flush(model, start, len(model))

    def _flush(self, model: DelegateModel, start: int, stop: int) -> int:
        return model.replace(start, stop, self.create_graph_kernel(model[start:stop], model))


class BrokenDelegate(NamedDelegate):
    """Claims by name, and lets a function decide what happens while graph kernels are made."""

    name = "broken"

    def __init__(self, names: Sequence[str] | None, make: Callable[[GroupKernel], Kernel]) -> None:
        super().__init__(names)
        self.make = make

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        assert isinstance(kernel, GroupKernel)
        return self.make(kernel)
